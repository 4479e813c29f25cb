package mcp

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/sdk"
)

func TestSchemaKeepsOrderTypesAndDefaults(t *testing.T) {
	t.Parallel()
	str := sdk.TypeRef{Name: "str"}
	decl := sdk.MethodDecl{Name: "x", Params: []sdk.ParamDecl{
		{Name: "z", Type: str, Doc: "last letter first"},
		{Name: "a", Type: sdk.TypeRef{Name: "list", Args: []sdk.TypeRef{{Name: "int"}}}, Default: json.RawMessage("[]")},
		{Name: "m", Type: sdk.TypeRef{Name: "literal", Values: []string{"p", "q"}}, Default: json.RawMessage(`"p"`)},
		{Name: "o", Type: sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{str}}, Default: json.RawMessage("null")},
		{Name: "d", Type: sdk.TypeRef{Name: "dict", Args: []sdk.TypeRef{{Name: "bool"}}}, Default: json.RawMessage("{}")},
		{Name: "f", Type: sdk.TypeRef{Name: "float"}, Default: json.RawMessage("1.5")},
		{Name: "e", Type: sdk.TypeRef{Name: "Any"}, Default: json.RawMessage("null")},
	}}
	want := `{"type":"object","properties":{"z":{"description":"last letter first","type":"string"},` +
		`"a":{"default":[],"items":{"type":"integer"},"type":"array"},` +
		`"m":{"default":"p","enum":["p","q"],"type":"string"},` +
		`"o":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},` +
		`"d":{"additionalProperties":{"type":"boolean"},"default":{},"type":"object"},` +
		`"f":{"default":1.5,"type":"number"},"e":{"default":null}},"required":["z"]}`
	if got := string(schemas{}.parameters(decl)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSchemaOfDeclaredTypes: an enum's values are named once in a tool, a record is described by its members, a few levels deep.
func TestSchemaOfDeclaredTypes(t *testing.T) {
	t.Parallel()
	str, color, leaf := sdk.TypeRef{Name: "str"}, sdk.TypeRef{Name: "Color"}, sdk.TypeRef{Name: "Leaf"}
	types := map[string]sdk.TypeDecl{
		"Color": {Name: "Color", Kind: sdk.TypeEnum, Members: []sdk.MemberDecl{{Name: "RED", Value: 1}, {Name: "BLUE", Value: 4}}},
		"Leaf":  {Name: "Leaf", Kind: sdk.TypeRecord, Members: []sdk.MemberDecl{{Name: "name", Type: &str, Doc: "its name"}, {Name: "color", Type: &color}, {Name: "secret_", Type: &str}}},
		"Loop":  {Name: "Loop", Kind: sdk.TypeRecord, Members: []sdk.MemberDecl{{Name: "next", Type: &sdk.TypeRef{Name: "Loop"}}}},
	}
	declared := func(name string) *sdk.TypeDecl {
		if t, ok := types[name]; ok {
			return &t
		}
		return nil
	}
	decl := sdk.MethodDecl{Name: "x", Params: []sdk.ParamDecl{
		{Name: "c", Type: color, Doc: "which"},
		{Name: "d", Type: sdk.TypeRef{Name: "list", Args: []sdk.TypeRef{color}}, Default: json.RawMessage("[]")},
		{Name: "l", Type: leaf},
		{Name: "u", Type: sdk.TypeRef{Name: "union", Args: []sdk.TypeRef{str, {Name: "int"}}}},
		{Name: "o", Type: sdk.TypeRef{Name: "Loop"}},
	}}
	want := `{"type":"object","properties":{"c":{"description":"which; Color: 1 RED, 4 BLUE","enum":[1,4],"type":"integer"},` +
		`"d":{"default":[],"items":{"enum":[1,4],"type":"integer"},"type":"array"},` +
		`"l":{"properties":{"color":{"enum":[1,4],"type":"integer"},"name":{"description":"its name","type":"string"}},"type":"object"},` +
		`"u":{"anyOf":[{"type":"string"},{"type":"integer"}]},` +
		`"o":{"properties":{"next":{"properties":{"next":{"properties":{"next":{"type":"object"}},"type":"object"}},"type":"object"}},"type":"object"}},` +
		`"required":["c","l","u","o"]}`
	if got := string(schemas{declared: declared}.parameters(decl)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCellResult(t *testing.T) {
	t.Parallel()
	value := "v"
	for name, c := range map[string]struct {
		result repl.Result
		err    error
		want   string
		failed bool
	}{
		"nothing":    {want: ""},
		"everything": {result: repl.Result{Stdout: "o\n", Stderr: "e\n", Notes: []string{"n"}, Value: &value}, want: "stdout:\no\n|stderr:\ne\n|note: n|v"},
		"a failure":  {result: repl.Result{Stdout: "o\n", Failure: &repl.CellError{Name: "ValueError", Value: "bad", Traceback: []string{"Traceback\n", "ValueError: bad\n"}}}, want: "stdout:\no\n|Traceback\nValueError: bad\n", failed: true},
		"an error":   {result: repl.Result{Stdout: "o\n"}, err: sdk.Errorf(sdk.KindFileNotFound, "no Python"), want: "stdout:\no\n|FileNotFoundError: no Python", failed: true},
		"a plain":    {err: errors.New("plain"), want: "plain", failed: true},
	} {
		r := cellResult(c.result, c.err, 150_000)
		var texts []string
		for _, content := range r.Content {
			texts = append(texts, content.(mcp.TextContent).Text)
		}
		if got := strings.Join(texts, "|"); strings.TrimRight(got, "\n") != strings.TrimRight(c.want, "\n") || r.IsError != c.failed {
			t.Errorf("%s: %q (error %t), want %q", name, got, r.IsError, c.want)
		}
		if r.Content == nil {
			t.Errorf("%s: the content must be a list, if an empty one", name)
		}
	}
}

func TestLongOutputKeepsBothEnds(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("p", 3_000_000)
	r := cellResult(repl.Result{Stdout: "short\n", Stderr: strings.Repeat("e", 11), StderrChars: 5000, Value: &value}, nil, 10)
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.(mcp.TextContent).Text)
	}
	want := []string{
		"stdout:\nshort\n",
		"stderr:\neeeee\n[… 4990 of 5000 characters are left out here …]\neeeee",
		"ppppp\n[… 2999990 of 3000000 characters are left out here; the value itself is in `_` …]\nppppp",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("got %q", texts)
	}
}

// TestAnAnswerThatWasAskedForIsNotCut: a result shortens itself, by the limit of its own call, and never inside a record.
func TestAnAnswerThatWasAskedForIsNotCut(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		asked int
		whole bool
	}{
		"plain text":                   {0, false},
		"a result within its limit":    {4000, true},
		"a result within the limit":    {1000, true},
		"a result beyond both, a list": {500, false},
	} {
		r := cellResult(repl.Result{Value: &value, AskedChars: c.asked}, nil, 1000)
		if got := r.Content[0].(mcp.TextContent).Text; (got == value) != c.whole || !c.whole && !strings.Contains(got, "5000") {
			t.Errorf("%s: %d characters", name, len(got))
		}
	}
}

func TestDisplays(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		display repl.Display
		image   string // base64
		text    string
	}{
		"an image before its text": {display: repl.Display{"text/plain": raw(`"a plot"`), "image/png": raw(`"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1\nHAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=\n"`)}, image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="},
		"no base64":                {display: repl.Display{"text/plain": raw(`"a plot"`), "image/png": raw(`"!!"`)}, text: "a plot"},
		"another format":           {display: repl.Display{"image/jpeg": raw(`"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="`), "text/plain": raw(`"a plot"`)}, text: "a plot"},
		"no image at all":          {display: repl.Display{"image/png": raw(`"AAAA"`), "text/plain": raw(`"a plot"`)}, text: "a plot"},
		"an empty image":           {display: repl.Display{"image/png": raw(`""`)}, text: `{"image/png":""}`},
		"text before its markup":   {display: repl.Display{"text/plain": raw(`"a table"`), "text/html": raw(`"<b>"`)}, text: "a table"},
		"anything else":            {display: repl.Display{"application/json": raw(`{"a":[1]}`)}, text: `{"application/json":{"a":[1]}}`},
		"a drawing that is a text": {display: repl.Display{"image/svg+xml": raw(`"<svg/>"`), "text/plain": raw(`"d"`)}, text: "d"},
	} {
		switch got := displayContent(c.display).(type) {
		case mcp.ImageContent:
			if got.Data != c.image || got.MIMEType != "image/png" {
				t.Errorf("%s: image %q", name, got.Data)
			}
		case mcp.TextContent:
			if got.Text != c.text {
				t.Errorf("%s: %q", name, got.Text)
			}
		}
	}
	many := make([]repl.Display, 5)
	for i := range many {
		many[i] = repl.Display{"text/plain": raw(`"` + strings.Repeat("z", 400) + `"`)}
	}
	if r := cellResult(repl.Result{Displays: many}, nil, 1000); len(r.Content) != 4 || !strings.Contains(r.Content[3].(mcp.TextContent).Text, "2 more displays are left out") {
		t.Errorf("%d items", len(r.Content))
	}
}
