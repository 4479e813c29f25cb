package textenc_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/textenc"
)

// askPython runs the oracle and returns what it printed.
func askPython(t *testing.T, names ...string) []byte {
	t.Helper()
	var out, errors bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"testdata/oracle.py"}, names...)...)
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("python3: %v\n%s", err, errors.String())
	}
	return out.Bytes()
}

// differences are where an encoding is not its Python codec: how many characters it alone reads (of one or two bytes), how many
// of Python's it reads otherwise or not, and how many it writes otherwise or not. All others have none. What is read is written back.
var differences = map[string]struct{ more, otherwise, writes int }{
	"shift_jis": {more: 846, writes: 2},                   // Microsoft's additions; the yen sign and the overline, which would become "\\" and "~"
	"euc_jp":    {writes: 2},                              // as above
	"cp932":     {otherwise: 1884, writes: 1891},          // characters for private use, and seven that Python writes as what they resemble
	"gbk":       {more: 83},                               // the euro sign, and what was added later
	"gb2312":    {more: 14429},                            // GBK's
	"gb18030":   {more: 1, otherwise: 2068, writes: 2069}, // characters for private use
	"euc_kr":    {more: 8823, writes: 8822},               // those of cp949, which Python writes in eight bytes
	"big5":      {more: 34},                               // control pictures
	"cp950":     {more: 33, writes: 17},                   // as above, and those that Python writes as what they resemble
	"cp1255":    {more: 1},
}

func TestEncodings_are_Pythons(t *testing.T) {
	t.Parallel()
	var names []string
	_, err := textenc.Lookup("none of them")
	_, list, _ := strings.Cut(err.Error(), "known: ")
	for name := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ", ") {
		if !strings.HasPrefix(name, "utf-") {
			names = append(names, name)
		}
	}
	if len(names) != 49 {
		t.Errorf("%d encodings besides those of UTF, want 49", len(names))
	}
	dec := json.NewDecoder(bytes.NewReader(askPython(t, names...)))
	for range names {
		var codec struct {
			Name          string
			Reads, Writes map[string]string
		}
		if err := dec.Decode(&codec); err != nil {
			t.Fatal(err)
		}
		enc := lookup(t, codec.Name)
		if enc.Name() != codec.Name {
			t.Errorf("%s is called %s", codec.Name, enc.Name())
		}
		var more, otherwise, writes []string
		for code, want := range codec.Reads {
			if got := decoded(enc, unhex(t, code)); got != want {
				otherwise = append(otherwise, code+" "+want+got)
			}
		}
		for first := range 256 {
			for second := range 256 {
				data := []byte{byte(first), byte(second)}
				if len(codec.Writes) < 1000 || codec.Reads[hex.EncodeToString(data[:1])] != "" || decoded(enc, data[:1]) != "" {
					continue
				}
				if code := hex.EncodeToString(data); codec.Reads[code] == "" && decoded(enc, data) != "" {
					more = append(more, code+decoded(enc, data))
				}
			}
			if one := []byte{byte(first)}; codec.Reads[hex.EncodeToString(one)] == "" && decoded(enc, one) != "" {
				more = append(more, hex.EncodeToString(one)+decoded(enc, one))
			}
		}
		for character, want := range codec.Writes {
			got, err := enc.Encode(character)
			if err != nil || hex.EncodeToString(got) != want {
				writes = append(writes, character+hex.EncodeToString(got)+want)
			}
		}
		if d := differences[codec.Name]; d.more != len(more) || d.otherwise != len(otherwise) || d.writes != len(writes) {
			for _, l := range [][]string{more, otherwise, writes} {
				slices.Sort(l)
			}
			t.Errorf("%s: %d more %q, %d otherwise %q, %d written otherwise %q", codec.Name, len(more), few(more), len(otherwise), few(otherwise), len(writes), few(writes))
		}
	}
}

func few(all []string) []string { return all[:min(len(all), 15)] }

// decoded is the text of data, or "" if it is not of the encoding.
func decoded(enc textenc.Encoding, data []byte) string {
	text, err := textenc.Decode(enc, data)
	if err != nil {
		return ""
	}
	return text.Text
}

func TestLookup_knows_Pythons_aliases(t *testing.T) {
	t.Parallel()
	var aliases map[string]string
	if err := json.Unmarshal(askPython(t), &aliases); err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		want, err := textenc.Lookup(aliases[alias])
		if err != nil {
			continue // an encoding that is not known
		}
		checked[want.Name()] = true
		for _, name := range []string{alias, strings.ReplaceAll(alias, "_", "-"), strings.ToUpper(alias)} {
			if got, err := textenc.Lookup(name); err != nil || got.Name() != want.Name() {
				t.Errorf("%s: got %q, %v; want %q", name, got.Name(), err, want.Name())
			}
		}
	}
	if len(checked) < 45 {
		t.Errorf("only %d encodings have aliases: %v", len(checked), checked)
	}
}
