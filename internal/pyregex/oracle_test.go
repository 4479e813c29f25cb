package pyregex_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/pyregex"
)

// question is one pattern and text put to Python and to us.
type question struct {
	Pattern string `json:"pattern"`
	Flags   string `json:"flags"` // of i, m, s, x, a
	Text    string `json:"text"`
}

// answer is what Python finds: an error, or per match the spans of all groups.
type answer struct {
	Error   string     `json:"error"`
	Matches [][][2]int `json:"matches"`
	Names   []string   `json:"names"`
	Full    bool       `json:"full"`
	Slow    bool       `json:"slow"` // it took too long
}

// askPython puts all questions to one python3 process.
func askPython(t *testing.T, questions []question) []answer {
	t.Helper()
	input, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	var out, errors bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "python3", "testdata/oracle.py")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("python3: %v\n%s", err, errors.String())
	}
	var answers []answer
	if err := json.Unmarshal(out.Bytes(), &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("python3 gave %d answers to %d questions: %v", len(answers), len(questions), err)
	}
	return answers
}

func flagsOf(letters string) pyregex.Flags {
	var flags pyregex.Flags
	for _, l := range letters {
		flags |= map[rune]pyregex.Flags{
			'i': pyregex.IgnoreCase, 'm': pyregex.Multiline, 's': pyregex.DotAll, 'x': pyregex.Verbose, 'a': pyregex.ASCII,
		}[l]
	}
	return flags
}

// compare reports how our answer to a question differs from Python's; "" if it does not.
func compare(t *testing.T, q question, want answer) string {
	t.Helper()
	re, err := pyregex.Compile(q.Pattern, flagsOf(q.Flags))
	if err != nil {
		if want.Error != "" {
			return ""
		}
		return "refused: " + err.Error()
	}
	if want.Error != "" {
		return "accepted, but Python says " + want.Error
	}
	matches, err := re.FindAll(t.Context(), q.Text)
	if err != nil {
		return "failed: " + err.Error()
	}
	var got [][][2]int
	for _, m := range matches {
		if m.Groups[0] != [2]int{m.Start, m.End} {
			return "group 0 is not the match"
		}
		got = append(got, m.Groups)
	}
	if !slices.EqualFunc(got, want.Matches, slices.Equal) {
		return "matches " + asText(got) + ", Python " + asText(want.Matches)
	}
	full, err := re.FullMatch(t.Context(), q.Text)
	if err != nil || full != want.Full {
		return "full match is wrong"
	}
	var names []string
	for i := range re.NumGroups() {
		names = append(names, re.GroupName(i+1))
	}
	if !slices.Equal(names, want.Names) {
		return "group names are " + strings.Join(names, ",")
	}
	return ""
}

func asText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
