package fs_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

const ioTS = "function open(p: string) {\n  try {\n    read(p);\n  } catch (e) {\n    log(\"read\");\n  }\n  return 1;\n}\n\n" +
	"function shut(p: string) {\n  try {\n    write(p);\n  } catch (e) {\n    log(\"write\");\n  }\n  return 2;\n}\n"

func TestReplaceContent_writes(t *testing.T) {
	t.Parallel()
	const (
		msg   = "package msg\n\nimport \"fmt\"\n\nfunc Hello(name string) {\n\tfmt.Printf(\"hello %s\", name)\n}\n"
		hello = "package msg\n\nimport \"fmt\"\n\nfunc Hello(name string) {\n\tfmt.Printf(\"hello,\\n\\tdear %s\\n\", name)\n}\n"
		moved = "move D:\\new\\$1\\1 from a\nmove D:\\new\\$1\\1 from b\n"
	)
	for name, tc := range map[string]struct {
		before   string
		args     args
		after    string
		answer   string
		encoding string
	}{
		"C01.1": {msg, args{"needle": `"hello %s"`, "repl": `"hello,\n\tdear %s\n"`, "mode": "literal"}, hello, "OK", ""},
		"C01.2": {msg, args{"needle": `"hello [^"]*"`, "repl": `"hello,\n\tdear %s\n"`, "mode": "regex"}, hello, "OK", ""},
		"C02.1": {"copy src/a.txt to D\ncopy src/b.txt to D\n", args{"needle": `copy src/(\w)\.txt to (\w)`, "repl": `move $!2:\new\$1\1 from $!1`, "mode": "regex", "allow_multiple_occurrences": true}, moved, "OK (2 occurrences replaced)", ""},
		"C02.2": {moved, args{"needle": `(?<=from )a(?!b)`, "repl": "A", "mode": "regex"}, strings.Replace(moved, "from a", "from A", 1), "OK", ""},
		"C02.4": {moved, args{"needle": "from b", "repl": "cost $!1", "mode": "literal"}, strings.Replace(moved, "from b", "cost $!1", 1), "OK", ""},
		"C03.4": {ioTS, args{"needle": `write\(p\);.*?log\("write"\);`, "repl": `log("w");`, "mode": "regex"}, ioTS[:strings.Index(ioTS, "write(p)")] + "log(\"w\");\n  }\n  return 2;\n}\n", "OK", ""},

		"C05.1, foreign bytes stay":     {"// caf\xe9\nx = 1\n", args{"needle": "x = 1", "repl": "x = 2", "mode": "literal"}, "// caf\xe9\nx = 2\n", "OK", ""},
		"C05.2, latin-1":                {"// caf\xe9\nx = 1\n", args{"needle": "x = 1", "repl": "x = 2", "mode": "literal"}, "// caf\xe9\nx = 2\n", "OK", "latin-1"},
		"C05.3, byte order mark":        {"\xef\xbb\xbfn = 1\n", args{"needle": "n = 1", "repl": "n = 2", "mode": "literal"}, "\xef\xbb\xbfn = 2\n", "OK", ""},
		"at the very start, by regex":   {"\xef\xbb\xbfn = 1\n", args{"needle": `\An`, "repl": "m", "mode": "regex"}, "\xef\xbb\xbfm = 1\n", "OK", ""},
		"latin-1, needle and text":      {"// caf\xe9\nx\n", args{"needle": "café\nx", "repl": "thé\ny", "mode": "literal"}, "// th\xe9\ny\n", "OK", "latin-1"},
		"cp1252":                        {"a \x80 b\n", args{"needle": "€ b", "repl": "€ “c”", "mode": "literal"}, "a \x80 \x93c\x94\n", "OK", "cp1252"},
		"utf-16":                        {"\xff\xfea\x00\x3d\xd8\x00\xdeb\x00\r\x00\n\x00", args{"needle": "b\n", "repl": "\U0001F600\n", "mode": "literal"}, "\xff\xfea\x00\x3d\xd8\x00\xde\x3d\xd8\x00\xde\r\x00\n\x00", "OK", ""},
		"utf-16, big":                   {"\xfe\xff\x00a\x00b", args{"needle": "b", "repl": "c", "mode": "literal"}, "\xfe\xff\x00a\x00c", "OK", ""},
		"utf-8 mark in a latin project": {"\xef\xbb\xbf\xc3\xa9 1\n", args{"needle": "1", "repl": "é", "mode": "literal"}, "\xef\xbb\xbf\xc3\xa9 \xc3\xa9\n", "OK", "latin-1"},
		"shift_jis":                     {"\x95\\ \x93\xfa\n", args{"needle": "表 日", "repl": "表\n〜本", "mode": "literal"}, "\x95\\\n\x81\x60\x96{\n", "OK", "shift_jis"},
		"shift_jis, foreign bytes stay": {"\x95\\\xff a\xf0", args{"needle": "a", "repl": "b", "mode": "literal"}, "\x95\\\xff b\xf0", "OK", "shift_jis"},
		"gbk":                           {"\xd6\xd0 a\r\n", args{"needle": "中 a\n", "repl": "文\n", "mode": "literal"}, "\xce\xc4\r\n", "OK", "gbk"},
		"ascii, foreign bytes stay":     {"\xe9 a \xc3\xa9", args{"needle": "a", "repl": "b", "mode": "literal"}, "\xe9 b \xc3\xa9", "OK", "ascii"},
		"utf-16, a lone surrogate":      {"\xff\xfe\x3d\xd8a\x00", args{"needle": "a", "repl": "b", "mode": "literal"}, "\xff\xfe\x3d\xd8b\x00", "OK", ""},
		"group with a foreign byte":     {"a\xe9b = 1\n", args{"needle": "(a.b) = 1", "repl": "$!1 = 2", "mode": "regex"}, "a\xe9b = 2\n", "OK", ""},

		"crlf":               {"a\r\nb\r\n", args{"needle": "a\nb", "repl": "a\nnew\nb", "mode": "literal"}, "a\r\nnew\r\nb\r\n", "OK", ""},
		"mixed endings":      {"a\r\nb\nc\rd", args{"needle": "b", "repl": "B", "mode": "literal"}, "a\r\nB\nc\rd", "OK", ""},
		"no final ending":    {"a\nb", args{"needle": "b", "repl": "", "mode": "literal"}, "a\n", "OK", ""},
		"nothing changes":    {"a\n", args{"needle": "a", "repl": "a", "mode": "literal"}, "a\n", "OK (nothing changed: the text already reads as the replacement)", ""},
		"one of many is one": {"a\n", args{"needle": "a", "repl": "b", "mode": "literal", "allow_multiple_occurrences": true}, "b\n", "OK", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := project(t, map[string]string{"sub/file": tc.before})
			if tc.encoding != "" {
				h.Project.Encoding = tc.encoding
			}
			tc.args["relative_path"] = "sub/file"
			r := h.Into(t, nil, "edit", "replace_content", tc.args)
			if got := read(t, h, "sub/file"); got != tc.after {
				t.Errorf("got %q, want %q", got, tc.after)
			}
			if r.Text != tc.answer {
				t.Errorf("answered %q, want %q", r.Text, tc.answer)
			}
		})
	}
}

func TestReplaceContent_refuses_and_leaves_the_file(t *testing.T) {
	t.Parallel()
	moved := "move a\nmove b\n"
	h := project(t, map[string]string{"io.ts": ioTS, "moves.txt": moved, "latin": "x \xe9\n", "ascii": "x\n", "bad": "a\xe9\n", "dir/": ""})
	for _, tc := range []struct {
		path, needle, repl, mode string
		encoding, kind           string
		parts                    []string
	}{
		{"moves.txt", "move", "$!7", "regex", "", sdk.KindValue, []string{"moves.txt: ", "group", "$!7"}}, // C02.3
		{"io.ts", `catch \(e\) \{.*?log\("write"\);`, "x", "regex", "", sdk.KindValue, []string{"ambiguous", "lines 3 to 13"}},
		{"io.ts", "catch (e)", "catch", "literal", "", sdk.KindValue, []string{"2 matches", "lines 3, 12", "allow_multiple_occurrences=True"}},
		{"io.ts", "catch (err)", "x", "literal", "", sdk.KindValue, []string{"not found", "line 3:\n  } catch (e) {"}},
		{"io.ts", "", "x", "literal", "", sdk.KindValue, []string{"empty"}},
		{"io.ts", "(", "x", "regex", "", sdk.KindValue, []string{"needle cannot be used", "position 0"}},
		{"io.ts", "open", "x", "glob", "", sdk.KindValue, []string{`Literal["literal", "regex"]`}},
		{"latin", "x", "€", "literal", "latin-1", sdk.KindUnicode, []string{"latin-1", "U+20AC", "nothing was changed"}},
		{"ascii", "x", "é", "literal", "ascii", sdk.KindUnicode, []string{"ascii", "U+00E9"}},
		{"bad", "a", "é", "literal", "", sdk.KindUnicode, []string{"bad: nothing was changed", "0xe9 at offset 1", "mix two encodings"}},
		{"bad", "a", "é", "literal", "cp932", sdk.KindUnicode, []string{"bad: nothing was changed", "cp932", "0xe9 at offset 1", "mix two encodings"}},
		{"ascii", "x", "ok\n\t한", "literal", "shift_jis", sdk.KindUnicode, []string{"shift_jis", "U+D55C", "line 1, column 1 of the new text"}},
		{"dir", "a", "b", "literal", "", sdk.KindIsADirectory, nil},
		{"gone", "a", "b", "literal", "", sdk.KindFileNotFound, nil},
		{"../gone", "a", "b", "literal", "", sdk.KindPermission, nil},
	} {
		h.Project.Encoding = "utf-8"
		if tc.encoding != "" {
			h.Project.Encoding = tc.encoding
		}
		refused(t, h, "edit", "replace_content", args{"relative_path": tc.path, "needle": tc.needle, "repl": tc.repl, "mode": tc.mode}, tc.kind, tc.parts...)
	}
	for name, want := range map[string]string{"io.ts": ioTS, "moves.txt": moved, "latin": "x \xe9\n", "ascii": "x\n", "bad": "a\xe9\n"} {
		if got := read(t, h, name); got != want {
			t.Errorf("%s is now %q", name, got)
		}
	}
	if h.Host.Last() != 0 {
		t.Errorf("%d changes were written", h.Host.Last())
	}
}

func TestReplaceContent_edits_through_a_link_inside(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"real/file": "x\n"})
	link(t, h, "real", "also")
	h.Into(t, nil, "edit", "replace_content", args{"relative_path": "also/file", "needle": "x", "repl": "y", "mode": "literal"})
	if got := read(t, h, "real/file"); got != "y\n" {
		t.Errorf("got %q", got)
	}
}

// Bytes outside an edit never change: what precedes and follows the one marked place in a random file is compared as bytes.
func TestReplaceContent_keeps_all_other_bytes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	h := project(t, nil)
	path := filepath.Join(h.Project.Root, "f")
	for _, tc := range []struct {
		encoding, mark string
		pieces         []string
		needle, repl   string
	}{
		{"utf-8", "", []string{"a", "é", "😀", "\xe9", "\xff", "\xe2\x82", "\x00", "\n", "\r", "\r\n", "\u2028"}, "<@>", "[e\x01]"},
		{"utf-8", "", []string{"a", "é", "😀", "\x00", "\n", "\r", "\r\n", "\u2028"}, "<@>", "[é\x01]"},
		{"utf-8", "\xef\xbb\xbf", []string{"a", "é", "\n", "\r\n", "\r", "\xf0"}, "<@>", "[]"},
		{"latin-1", "", []string{"a", "\xe9", "\x80", "\xff", "\n", "\r\n", "\r"}, "<@>", "[é]"},
		{"cp1252", "", []string{"a", "\x80", "\x93", "\n", "\r\n"}, "<@>", "[€]"},
		{"utf-16-be", "\xfe\xff", []string{"\x00a", "\x00\n", "\x00\r", "\xd8\x3d\xde\x00", "\x20\xac"}, "<@>", "[😀]"},
	} {
		enc, err := textenc.Lookup(tc.encoding)
		if err != nil {
			t.Fatal(err)
		}
		needle, _ := enc.Encode(tc.needle)
		repl, _ := enc.Encode(tc.repl)
		h.Project.Encoding = strings.TrimSuffix(tc.encoding, "-be")
		for range 60 {
			var head, tail bytes.Buffer
			head.WriteString(tc.mark)
			for _, b := range []*bytes.Buffer{&head, &tail} {
				for range rng.IntN(30) {
					b.WriteString(tc.pieces[rng.IntN(len(tc.pieces))])
				}
			}
			before := head.String() + string(needle) + tail.String()
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			mode, pattern := "literal", tc.needle
			if rng.IntN(2) == 0 {
				mode, pattern = "regex", "<[^>]>"
			}
			h.Into(t, nil, "edit", "replace_content", args{"relative_path": "f", "needle": pattern, "repl": tc.repl, "mode": mode})
			if got, want := read(t, h, "f"), head.String()+string(repl)+tail.String(); got != want {
				t.Fatalf("%s: %q became %q, want %q", tc.encoding, before, got, want)
			}
		}
	}
}
