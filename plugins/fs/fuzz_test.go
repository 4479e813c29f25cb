package fs_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// fuzzed are the encodings that files are made in; the marks belong to files of a project in UTF-8.
var fuzzed = []struct{ encoding, mark string }{
	{"utf-8", ""}, {"utf-8", "\xef\xbb\xbf"}, {"utf-8", "\xff\xfe"}, {"utf-8", "\xfe\xff"}, {"utf-16-le", ""}, {"utf-16-be", ""}, {"latin-1", ""}, {"cp1252", ""}, {"ascii", ""},
	{"shift_jis", ""}, {"cp932", ""}, {"euc_jp", ""}, {"gbk", ""}, {"gb18030", ""}, {"euc_kr", ""}, {"big5", ""}, {"koi8-r", ""}, {"iso8859-15", ""},
}

// fuzzEncoding makes the project's encoding the n-th, and returns the mark of its files and the encoding that they have.
func fuzzEncoding(t *testing.T, h *sdktest.Harness, n uint8) (mark string, enc textenc.Encoding) {
	t.Helper()
	kind := fuzzed[int(n)%len(fuzzed)]
	h.Project.Encoding = kind.encoding
	name := map[string]string{"\xff\xfe": "utf-16-le", "\xfe\xff": "utf-16-be"}[kind.mark]
	if name == "" {
		name = kind.encoding
	}
	enc, err := textenc.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return kind.mark, enc
}

// hasMark tells whether a file that is to have none begins as if it had one.
func hasMark(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// asWritten tells whether bytes are a text in an encoding, but for the form of its line endings.
func asWritten(enc textenc.Encoding, got []byte, want string) bool {
	text, err := textenc.DecodeAround(enc, got)
	unify := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace
	return err == nil && unify(text.Text) == unify(want)
}

// The model: a file is what stands before the one needle, the needle, and what stands behind it, as bytes. An edit changes the
// needle alone, or nothing.
func FuzzReplaceContent(f *testing.F) {
	for n := range fuzzed {
		for _, ending := range []string{"\n", "\r\n", "\r"} {
			f.Add(uint8(n), []byte("caf\xe9 \x93\xfa"+ending+"\x81"), []byte(ending+"\xff\x40\x80"+ending), "x\ny", n%2 == 0)
		}
		f.Add(uint8(n), []byte("a\x00"), []byte{}, "é日한€😀", false)
	}
	f.Fuzz(func(t *testing.T, n uint8, head, tail []byte, repl string, regex bool) {
		h := project(t, nil)
		mark, enc := fuzzEncoding(t, h, n)
		needle, err := enc.Encode("<@>")
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Concat([]byte(mark), head, needle, tail)
		if mark == "" && hasMark(before) || bytes.Count(before, needle) != 1 || strings.ToValidUTF8(repl, "") != repl || strings.Contains(repl, "$!") {
			t.Skip("not of the model")
		}
		write(t, h, "f", string(before))
		a := args{"relative_path": "f", "needle": "<@>", "repl": repl, "mode": "literal"}
		if regex {
			a["needle"], a["mode"] = "<(?=@)@>", "regex"
		}
		_, err = h.Call(t.Context(), "edit", "replace_content", a)
		got := []byte(read(t, h, "f"))
		if err != nil {
			var refusal *sdk.Error
			if !errors.As(err, &refusal) || !bytes.Equal(got, before) {
				t.Fatalf("%q became %q: %v", before, got, err)
			}
			return
		}
		keeps := len(got) >= len(before)-len(needle) && bytes.HasPrefix(got, before[:len(mark)+len(head)]) && bytes.HasSuffix(got, tail)
		if !keeps || !asWritten(enc, got[len(mark)+len(head):len(got)-len(tail)], repl) {
			t.Fatalf("%s: %q became %q, with %q for the needle", enc.Name(), before, got, repl)
		}
	})
}

// splitLines is the lines of a file as bytes with their endings, in units of one byte or, of UTF-16, two.
func splitLines(data []byte, enc textenc.Encoding) [][]byte {
	unit := 1
	if strings.HasPrefix(enc.Name(), "utf-16") {
		unit = 2
	}
	is := func(at int, c byte) bool {
		if at+unit > len(data) {
			return false
		}
		want, _ := enc.Encode(string(c))
		return bytes.Equal(data[at:at+unit], want)
	}
	var all [][]byte
	start := 0
	for at := 0; at < len(data); {
		next := min(at+unit, len(data))
		switch {
		case is(at, '\r') && is(next, '\n'):
			next += unit
		case is(at, '\r'), is(at, '\n'):
		default:
			at = next
			continue
		}
		all = append(all, data[start:next])
		start, at = next, next
	}
	if start < len(data) {
		all = append(all, data[start:])
	}
	return all
}

// The model: a file is a list of lines, as bytes.
func FuzzLineEdits(f *testing.F) {
	for n := range fuzzed {
		for op := range 3 {
			f.Add(uint8(n), []byte("a\r\n\xe9b\r\nc\xff\x81"), 1, 1, "x\ny", uint8(op))
			f.Add(uint8(n), []byte("a\x00\n\x00\r\x00\n\x00\x3d\xd8"), 0, 1, "é", uint8(op))
			f.Add(uint8(n), []byte("\x0c\rb\n\nc"), 1, 2, "", uint8(op))
			f.Add(uint8(n), []byte(""), 0, 0, "日\n", uint8(op))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte, first, last int, content string, op uint8) {
		h := project(t, nil)
		mark, enc := fuzzEncoding(t, h, n)
		if mark == "" && hasMark(data) || mark == "\xff\xfe" && bytes.HasPrefix(data, []byte{0, 0}) || strings.ToValidUTF8(content, "") != content {
			t.Skip("not of the model")
		}
		before := mark + string(data)
		write(t, h, "f", before)
		all := splitLines(data, enc)
		a := args{"relative_path": "f", "start_line": first, "end_line": last, "content": content}
		method := []string{"delete_lines", "replace_lines", "insert_at_line"}[op%3]
		legal := first >= 0 && first <= last && last < len(all)
		switch method {
		case "delete_lines":
			delete(a, "content")
			content = ""
		case "insert_at_line":
			delete(a, "start_line")
			delete(a, "end_line")
			a["line"], last, legal = first, first-1, first >= 0 && first <= len(all)
		}
		_, err := h.Call(t.Context(), "edit", method, a)
		got := read(t, h, "f")
		if err != nil {
			if got != before || legal && !sdk.IsKind(err, sdk.KindUnicode) {
				t.Fatalf("%s(%v) of %q: %v, and it became %q", method, a, before, err, got)
			}
			return
		}
		if !legal {
			t.Fatalf("%s(%v) of the %d lines of %q was not refused", method, a, len(all), before)
		}
		head, tail := mark+string(bytes.Join(all[:first], nil)), string(bytes.Join(all[last+1:], nil))
		if len(got) < len(head)+len(tail) || !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
			t.Fatalf("%s(%v): %q became %q", method, a, before, got)
		}
		middle := got[len(head) : len(got)-len(tail)]
		if method == "delete_lines" && middle != "" {
			t.Fatalf("%s(%v): %q became %q", method, a, before, got)
		}
		if method != "delete_lines" && !asLines(enc, middle, content, len(all) > 0 && first == len(all)) {
			t.Fatalf("%s(%v): %q became %q", method, a, before, got)
		}
	})
}

// asLines tells whether bytes are a content, with a final line break if it had none, or without where it replaces an open end;
// behind the last line a break may come first.
func asLines(enc textenc.Encoding, got, content string, last bool) bool {
	for _, form := range []string{content, content + "\n"} {
		if asWritten(enc, []byte(got), form) || last && asWritten(enc, []byte(got), "\n"+form) {
			return true
		}
	}
	return false
}
