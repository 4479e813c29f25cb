package textenc_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/textenc"
)

func lookup(t *testing.T, name string) textenc.Encoding {
	t.Helper()
	e, err := textenc.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Expected values: python3, codecs.lookup(name).name.
func TestLookup_knows_pythons_names(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "utf-8", "utf8": "utf-8", "UTF-8": "utf-8", "u8": "utf-8", "utf_8_sig": "utf-8-sig",
		"latin_1": "latin-1", "LATIN1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1", "l1": "latin-1", "cp819": "latin-1",
		"utf-16le": "utf-16-le", "utf_16_be": "utf-16-be", "U16": "utf-16", "windows-1252": "cp1252", "1252": "cp1252", "us-ascii": "ascii", "646": "ascii",
	} {
		if e, err := textenc.Lookup(name); err != nil || e.Name() != want {
			t.Errorf("%q: got %q, %v; want %q", name, e.Name(), err, want)
		}
	}
	_, err := textenc.Lookup("latin-2")
	if want := `encoding "latin-2" is not known; did you mean "latin-1"? (known: ascii, cp1252, latin-1, utf-16, utf-16-be, utf-16-le, utf-8, utf-8-sig)`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// Expected bytes: python3, "naïve\r\n€ “x” 😀\n".encode(name).
func TestDecode_and_Encode_agree_with_python(t *testing.T) {
	t.Parallel()
	const text = "naïve\r\n€ “x” 😀\n"
	for name, tc := range map[string]struct{ project, file string }{
		"utf-8":                       {"utf-8", "6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"utf-8 with mark":             {"utf-8", "efbbbf6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"mark against the project's":  {"latin-1", "efbbbf6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"utf-16 with mark":            {"utf-8", "fffe6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
		"utf-16 with mark, big":       {"ascii", "feff006e006100ef00760065000d000a20ac0020201c0078201d0020d83dde00000a"},
		"utf-16-le without mark":      {"utf-16-le", "6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
		"utf-16-be without mark":      {"utf-16-be", "006e006100ef00760065000d000a20ac0020201c0078201d0020d83dde00000a"},
		"utf-16 without mark, little": {"utf-16", "6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
	} {
		data := unhex(t, tc.file)
		got, err := textenc.Decode(lookup(t, tc.project), data)
		if err != nil || got.Text != text {
			t.Errorf("%s: got %v, %v", name, got, err)
			continue
		}
		if back, err := got.Encode(text); err != nil || string(back) != string(data[got.ToFile(0):]) {
			t.Errorf("%s: encoded as %x, %v", name, back, err)
		}
	}
}

func TestDecode_refuses_what_is_not_of_the_encoding(t *testing.T) {
	t.Parallel()
	// Offsets: python3, UnicodeDecodeError.start; for utf-16 the mark's two bytes are added.
	for name, tc := range map[string]struct {
		encoding, data string
		offset         int
	}{
		"ascii":                   {"ascii", "ab\xe9\n", 2},
		"undefined in cp1252":     {"cp1252", "caf\xe9\x81", 4},
		"high surrogate alone":    {"utf-16-le", "a\x00\x3d\xd8b\x00", 2},
		"low surrogate alone":     {"utf-8", "\xff\xfea\x00\x00\xdc", 4},
		"odd byte":                {"utf-16-le", "a\x00b", 2},
		"high surrogate at end":   {"utf-16-be", "\xd8\x3d", 0},
		"utf-32, not taken as 16": {"utf-8", "\xff\xfe\x00\x00a\x00\x00\x00", 2},
	} {
		_, err := textenc.Decode(lookup(t, tc.encoding), []byte(tc.data))
		var de *textenc.DecodeError
		if !errors.As(err, &de) || de.Offset != tc.offset {
			t.Errorf("%s: got %v, want offset %d", name, err, tc.offset)
		}
	}
}

func TestInvalid_reports_bytes_within_the_range_only(t *testing.T) {
	t.Parallel()
	text, err := textenc.Decode(textenc.Encoding{}, []byte("\xef\xbb\xbfab\xe9c\xef\xbf\xbdd\xc3"))
	if err != nil {
		t.Fatal(err)
	}
	if e := text.Invalid(0, 2); e != nil {
		t.Errorf("before: got %v", e)
	}
	if e := text.Invalid(0, 3); e == nil || e.Error() != "the byte 0xe9 at offset 5 is not utf-8" {
		t.Errorf("at: got %v", e)
	}
	if e := text.Invalid(3, 8); e != nil { // a replacement character that is really in the file
		t.Errorf("between: got %v", e)
	}
	if e := text.Invalid(3, len(text.Text)); e == nil || e.Offset != 11 || e.Byte != 0xc3 {
		t.Errorf("cut character at the end: got %v", e)
	}
}

// Expected values: python3, UnicodeEncodeError.start as an offset in the text's UTF-8.
func TestEncode_refuses_what_the_encoding_lacks(t *testing.T) {
	t.Parallel()
	const text = "naïve\r\n€ “x” 😀\n"
	for name, tc := range map[string]struct {
		offset  int
		message string
	}{
		"latin-1": {8, "the encoding latin-1 has no character '€' (U+20AC)"},
		"cp1252":  {20, "the encoding cp1252 has no character '😀' (U+1F600)"},
		"ascii":   {2, "the encoding ascii has no character 'ï' (U+00EF)"},
	} {
		_, err := lookup(t, name).Encode(text)
		var ee *textenc.EncodeError
		if !errors.As(err, &ee) || ee.Offset != tc.offset || err.Error() != tc.message {
			t.Errorf("%s: got %v at %v", name, err, ee)
		}
	}
	if data, err := (textenc.Encoding{}).Encode("a\xffb"); err != nil || string(data) != "a\xffb" {
		t.Errorf("utf-8 keeps foreign bytes: got %q, %v", data, err)
	}
}

func TestToFile_maps_every_character(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for name, runes := range map[string][]rune{
		"latin-1": []rune("aé\r\nÿ\u0085"), "cp1252": []rune("a€”\n"), "utf-16": []rune("a€😀\n\ufffd"), "utf-16-be": []rune("é😀z"), "utf-8": []rune("aé€😀"),
	} {
		enc := lookup(t, name)
		var b strings.Builder
		for range 6000 { // several marks
			b.WriteRune(runes[rng.IntN(len(runes))])
		}
		data, err := enc.Encode(b.String())
		if err != nil {
			t.Fatal(err)
		}
		text, err := textenc.Decode(enc, data)
		if err != nil || text.Text != b.String() {
			t.Fatalf("%s: not read back: %v", name, err)
		}
		at := 0
		for off, r := range text.Text {
			if got := text.ToFile(off); got != at {
				t.Fatalf("%s: offset %d is %d in the file, want %d", name, off, got, at)
			}
			one, _ := enc.Encode(string(r))
			at += len(one)
		}
		if got := text.ToFile(len(text.Text)); got != len(data) {
			t.Errorf("%s: the end is %d, want %d", name, got, len(data))
		}
	}
}

func TestIsWide(t *testing.T) {
	t.Parallel()
	wide, narrow := lookup(t, "utf-16"), lookup(t, "utf-8")
	for data, want := range map[string][2]bool{
		"": {true, false}, "a\x00": {true, false}, "\xff\xfea\x00": {true, true}, "\xfe\xff": {true, true}, "\xef\xbb\xbf": {false, false},
	} {
		if got := [2]bool{textenc.IsWide(wide, []byte(data)), textenc.IsWide(narrow, []byte(data))}; got != want {
			t.Errorf("%q: got %v, want %v", data, got, want)
		}
	}
}
