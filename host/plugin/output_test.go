package plugin

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

func newTestLog(now func() time.Time) (*pluginLog, *strings.Builder) {
	out := &strings.Builder{}
	return newPluginLog(hclog.New(&hclog.LoggerOptions{Name: "p", Level: hclog.Trace, Output: out, DisableTime: true}), now), out
}

func TestPluginLog_levels(t *testing.T) {
	t.Parallel()
	log, out := newTestLog(time.Now)
	w := log.stream()
	for _, piece := range []string{
		`{"@level":"warn","@message":"as a record","@timestamp":"t","n":1,"a":"b"}` + "\n",
		"plain", " text\r\n", "\n[ERROR] with a prefix\n", "bytes \xff\n", `{"not":"a record"}` + "\n",
		`{"@level":"debug","@message":"detail"}` + "\npanic: oh\n", "unfinished",
	} {
		fmt.Fprint(w, piece)
	}
	w.flush()
	want := `[WARN]  p: as a record: a=b n=1
[DEBUG] p: plain text
[ERROR] p: [ERROR] with a prefix
[DEBUG] p: bytes ` + "\uFFFD" + `
[DEBUG] p: {"not":"a record"}
[DEBUG] p: detail
[ERROR] p: panic: oh
[DEBUG] p: unfinished
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	want = "[WARN] as a record a=b n=1\nplain text\n[ERROR] with a prefix\nbytes \uFFFD\n{\"not\":\"a record\"}\npanic: oh\nunfinished"
	if got := log.lastLines(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestPluginLog_flood(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	log, out := newTestLog(func() time.Time { return now })
	w := log.stream()
	fmt.Fprint(w, "panic: first\n")
	for i := range 9999 {
		fmt.Fprintf(w, "line %d\n", i)
	}
	if n := strings.Count(out.String(), "\n"); n != logBurst {
		t.Errorf("%d lines", n)
	}
	now = now.Add(time.Second / 50) // worth two lines
	fmt.Fprint(w, strings.Repeat("z", 3*maxLogLine)+"\nb\nc\n")
	tail := strings.SplitAfter(out.String(), "\n")[logBurst:]
	want := []string{
		"[WARN]  p: lines left out: the plugin writes more than the log takes: lines=9500\n",
		"[DEBUG] p: " + strings.Repeat("z", maxLogLine) + " … (16384 bytes more)\n",
		"[DEBUG] p: b\n", "",
	}
	if !slices.Equal(tail, want) {
		t.Errorf("%q", tail)
	}
	last := strings.Split(log.lastLines(), "\n")
	if len(last) != 2+tailLines || last[0] != "panic: first" || last[1] != "…" || last[2] != "line 9982" || last[21] != "c" {
		t.Errorf("%d lines: %q", len(last), last)
	}
	if longest := slices.MaxFunc(last, func(a, b string) int { return len(a) - len(b) }); len(longest) > 310 {
		t.Errorf("a line of %d bytes in an error", len(longest))
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", maxFirstLine)
	for name, c := range map[string]struct {
		writes []string
		want   []string
	}{
		"one line":            {[]string{"1|1|unix|/s|grpc\n"}, []string{"1|1|unix|/s|grpc"}},
		"in pieces":           {[]string{"1|", "1\n2", "\n3\n"}, []string{"1|1"}},
		"unfinished":          {[]string{"half"}, []string{"half"}},
		"nothing":             {nil, nil},
		"an empty line first": {[]string{"\nnext\n"}, []string{""}},
		"without an end":      {[]string{long, long, long}, []string{long}},
		"just too long":       {[]string{"x" + long + "\nz\n"}, []string{"x" + long[1:]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, r := newFirstLine()
			go func() {
				for _, w := range c.writes {
					io.WriteString(f, w)
				}
				f.close()
			}()
			var got []string
			s := bufio.NewScanner(r)
			for s.Scan() {
				got = append(got, s.Text())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q", got)
			}
		})
	}
}
