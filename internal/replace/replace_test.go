package replace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/replace"
)

func apply(text string, edits []replace.Edit) string {
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(text[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	return out.String() + text[at:]
}

func TestMake_replaces(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text  string
		r     replace.Request
		want  string
		count int
	}{
		"literal, escapes are text": {`x = "hello"`, replace.Request{Needle: `"hello"`, Repl: `"a\n\t\\1$1$!1"`}, `x = "a\n\t\\1$1$!1"`, 1},
		"literal, all special":      {`a.*(b)`, replace.Request{Needle: `.*(b)`, Repl: `c`}, `ac`, 1},
		"regex, escapes are text":   {`x = "hello"`, replace.Request{Needle: `"[^"]*"`, Repl: `"\n\g<0>\1$1"`, Regex: true}, `x = "\n\g<0>\1$1"`, 1},
		"regex, groups":             {"copy a to D\n", replace.Request{Needle: `copy (\w) to (\w)`, Repl: `move $!2:\new\$1\1 from $!1`, Regex: true}, "move D:\\new\\$1\\1 from a\n", 1},
		"regex, whole match":        {"ab", replace.Request{Needle: `a`, Repl: `<$!0>`, Regex: true}, "<a>b", 1},
		"regex, absent group":       {"xb", replace.Request{Needle: `(a)?b`, Repl: `[$!1]`, Regex: true}, "x[]", 1},
		"regex, two digits":         {"abcdefghijk", replace.Request{Needle: `(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)`, Repl: `$!11$!1`, Regex: true}, "ka", 1},
		"regex, back-reference":     {"book", replace.Request{Needle: `(\w)\1`, Repl: `$!1`, Regex: true}, "bok", 1},
		"regex, look-around":        {"from a\nfrom b\n", replace.Request{Needle: `(?<=from )a(?!b)`, Repl: `A`, Regex: true}, "from A\nfrom b\n", 1},
		"regex, named group":        {"k=v", replace.Request{Needle: `(?P<key>\w)=(?P<value>\w)`, Repl: `$!2=$!1`, Regex: true}, "v=k", 1},
		"regex, flags in front":     {"Aa\nb", replace.Request{Needle: `(?i)aA\nB`, Repl: `c`, Regex: true}, "c", 1},
		"several":                   {"aXbXc", replace.Request{Needle: "X", Repl: "", AllowMultiple: true}, "abc", 2},
		"several, not overlapping":  {"aaaaa", replace.Request{Needle: "aa", Repl: "b", AllowMultiple: true}, "bba", 2},
		"deletes a line":            {"a\r\nb\r\nc", replace.Request{Needle: "b\n", Repl: ""}, "a\r\nc", 1},
		"nothing changes":           {"a\r\nb", replace.Request{Needle: "a\nb", Repl: "a\nb"}, "a\r\nb", 1},

		// Line endings: a needle's "\n" is any of them, a replacement's is the one around.
		"crlf":                            {"a\r\nb\r\nc\r\n", replace.Request{Needle: "a\nb", Repl: "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n", 1},
		"cr":                              {"a\rb\r", replace.Request{Needle: "b", Repl: "b\nc"}, "a\rb\rc\r", 1},
		"needle with crlf, file with lf":  {"a\nb\n", replace.Request{Needle: "a\r\nb", Repl: "c"}, "c\n", 1},
		"regex sees lf":                   {"a\r\nb\rc\n", replace.Request{Needle: `a\nb\nc$`, Repl: "d", Regex: true}, "d\n", 1},
		"mixed, quoted lines keep theirs": {"a\r\nb\nc\rd\n", replace.Request{Needle: "a\nb\nc\nd", Repl: "a\nB\nc\nd"}, "a\r\nB\nc\rd\n", 1},
		"mixed, a line added":             {"a\nb\r\nc\n", replace.Request{Needle: "a\nb\nc", Repl: "a\nb\nnew\nc"}, "a\nb\r\nnew\nc\n", 1},
		"mixed, groups keep theirs":       {"(a\r\nb)\nc\n", replace.Request{Needle: `\((.*?)\)`, Repl: "[$!1]\n", Regex: true}, "[a\r\nb]\r\n\nc\n", 1}, // the ending where the edit starts
		"crlf asked for":                  {"a\nb\n", replace.Request{Needle: "\n", Repl: "\r\n", AllowMultiple: true}, "a\r\nb\r\n", 2},
		"last line without ending":        {"a\r\nb", replace.Request{Needle: "b", Repl: "b\nc\n"}, "a\r\nb\r\nc\r\n", 1},
		"only line":                       {"a", replace.Request{Needle: "a", Repl: "b\nc"}, "b\nc", 1},

		// Characters are not cut by what needle and replacement have in common.
		"shared lead byte":   {"é", replace.Request{Needle: "é", Repl: "è"}, "è", 1},
		"shared last byte":   {"é", replace.Request{Needle: "é", Repl: "ĩ"}, "ĩ", 1},
		"foreign byte stays": {"a\xe9b x", replace.Request{Needle: `(a.b) x`, Repl: "$!1 y", Regex: true}, "a\xe9b y", 1},

		// From issue 845: the later opener only.
		"lazy, unique start":  {"try {\n} catch (e) {\nread\n}\ntry {\n} catch (f) {\nwrite\n}\n", replace.Request{Needle: `catch \(f\).*?write`, Repl: "W", Regex: true}, "try {\n} catch (e) {\nread\n}\ntry {\n} W\n}\n", 1},
		"indent is no start":  {"x\n    foo\n    bar\n", replace.Request{Needle: `^\s*foo.*?bar`, Repl: "y", Regex: true}, "x\ny\n", 1},
		"whole text":          {"a\nb\n", replace.Request{Needle: `\A.+\Z`, Repl: "c", Regex: true}, "c", 1},
		"verbose with remark": {"a\nb\n", replace.Request{Needle: "(?x) a \\n b # both", Repl: "c", Regex: true}, "c\n", 1},
	} {
		plan, err := replace.Make(t.Context(), tc.text, tc.r)
		if err != nil || plan.Count != tc.count {
			t.Errorf("%s: %d matches, %v; want %d", name, plan.Count, err, tc.count)
			continue
		}
		if got := apply(tc.text, plan.Edits); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestMake_edits_no_more_than_differs(t *testing.T) {
	t.Parallel()
	plan, err := replace.Make(t.Context(), "one\r\ntwo\r\nthree\r\n", replace.Request{Needle: "one\ntwo\nthree", Repl: "one\n2\nthree"})
	if err != nil || len(plan.Edits) != 1 || plan.Edits[0] != (replace.Edit{Start: 5, End: 8, Text: "2"}) {
		t.Errorf("got %+v, %v", plan, err)
	}
	plan, err = replace.Make(t.Context(), "a\r\n", replace.Request{Needle: "a\n", Repl: "a\n"})
	if err != nil || len(plan.Edits) != 0 || plan.Count != 1 {
		t.Errorf("no change: got %+v, %v", plan, err)
	}
}

func TestMake_refuses(t *testing.T) {
	t.Parallel()
	io := "  try {\n    read(p);\n  } catch (e) {\n    log(\"read\");\n  }\n\n  try {\n  } catch (e) {\n    log(\"write\");\n  }\n"
	for name, tc := range map[string]struct {
		text string
		r    replace.Request
		is   error
		says string // part of the message
	}{
		"empty needle":           {"a", replace.Request{Needle: ""}, replace.ErrNeedle, "it is empty"},
		"pattern":                {"a", replace.Request{Needle: "(a", Regex: true}, replace.ErrNeedle, "at position 0"},
		"group":                  {"a", replace.Request{Needle: "a", Repl: "$!7", Regex: true}, replace.ErrGroup, "$!7; it has none"},
		"group of one":           {"a", replace.Request{Needle: "(a)", Repl: "$!2", Regex: true}, replace.ErrGroup, "$!2; it has one, $!1"},
		"group of two":           {"ab", replace.Request{Needle: "(a)(b)", Repl: "$!12", Regex: true}, replace.ErrGroup, "$!12; it has the groups 1 to 2"},
		"group of many":          {"a", replace.Request{Needle: "(a)", Repl: "$!99999999999999999999", Regex: true}, replace.ErrGroup, "it has one"},
		"twice":                  {io, replace.Request{Needle: "catch (e)", Repl: "c"}, replace.ErrSeveral, "2 matches, on lines 2, 7; make"},
		"many":                   {strings.Repeat("x\n", 30), replace.Request{Needle: "x", Repl: "c"}, replace.ErrSeveral, "30 matches, on lines 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …; make"},
		"ambiguous":              {io, replace.Request{Needle: `catch \(e\) \{.*?log\("write"\);`, Regex: true}, replace.ErrAmbiguous, "lines 2 to 8"},
		"ambiguous, though many": {io, replace.Request{Needle: `catch \(e\) \{.*?log\("write"\);`, Regex: true, AllowMultiple: true}, replace.ErrAmbiguous, "lines 2 to 8"},
		"ambiguous behind é":     {"é(\n(\n)", replace.Request{Needle: `\(.*?\)`, Regex: true}, replace.ErrAmbiguous, "lines 0 to 2"},
		"nearest":                {io, replace.Request{Needle: "catch (err)"}, replace.ErrNotFound, "the nearest text is on line 2:\n  } catch (e) {"},
		"nearest, white space":   {io, replace.Request{Needle: "try {\nread(p);\n} catch"}, replace.ErrNotFound, "lines 0 to 2 and differs in white space only:\n  try {\n    read(p);\n  } catch (e) {"},
		"nearest, case":          {io, replace.Request{Needle: "Catch (E)"}, replace.ErrNotFound, "line 2 and differs in upper and lower case only:\n  } catch (e) {"},
		"nearest of many lines":  {io, replace.Request{Needle: "  } catch (e) {\n    log(\"wrote\");\n  }"}, replace.ErrNotFound, "lines 7 to 9:\n  } catch (e) {\n    log(\"write\");\n  }"},
		"nothing like it":        {io, replace.Request{Needle: "zzzz qqqq"}, replace.ErrNotFound, "nor anything like it"},
		"empty text":             {"", replace.Request{Needle: "a"}, replace.ErrNotFound, "nor anything like it"},
		"meant as literal":       {"f(x)\n", replace.Request{Needle: "f(x)", Regex: true}, replace.ErrNotFound, "as literal text it is on line 0"},
		"meant as regex":         {"a\nf(x)\n", replace.Request{Needle: `f\(.*?\)`}, replace.ErrNotFound, "as a regular expression it matches on line 1"},
		"carriage return":        {"a\r\nb", replace.Request{Needle: `a\r\nb`, Regex: true}, replace.ErrNotFound, `every line ending as \n`},
		"too slow":               {strings.Repeat("a", 40) + "b", replace.Request{Needle: `(a|aa)+\1c`, Regex: true}, nil, ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if name == "too slow" {
			ctx, cancel = context.WithTimeout(t.Context(), pyregex.DefaultTimeout/20)
		}
		_, err := replace.Make(ctx, tc.text, tc.r)
		cancel()
		if name == "too slow" {
			if !errors.Is(err, pyregex.ErrTimeout) && !errors.Is(err, pyregex.ErrTooDeep) {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: got %v, want %q", name, err, tc.says)
		}
	}
}

func TestMake_can_be_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range []replace.Request{{Needle: "a"}, {Needle: "a|b", Regex: true}} {
		if _, err := replace.Make(ctx, "a", r); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

func TestMake_bounds_the_matches(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ab", 1_000_000)
	r := replace.Request{Needle: "a", Repl: "c", AllowMultiple: true}
	if plan, err := replace.Make(t.Context(), text, r); err != nil || plan.Count != 1_000_000 {
		t.Errorf("a million: %d, %v", plan.Count, err)
	}
	if _, err := replace.Make(t.Context(), text+"a", r); !errors.Is(err, replace.ErrSeveral) || !strings.Contains(err.Error(), "more than 1000000 matches") {
		t.Errorf("one more: %v", err)
	}
}
