package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk/internal/twin"
)

type mood string

func (mood) LiteralValues() []string { return []string{"calm", "wild"} }

type level2 int

func (level2) EnumMembers() []EnumMember {
	return []EnumMember{{Name: "LOW", Value: 1}, {Name: "HIGH", Value: 2, Doc: "loud"}}
}

type Note struct {
	Text  string  `json:"text" doc:"what it says"`
	Level level2  `json:"level"`
	Next  *Note   `json:"next"`
	Inner float64 `json:"inner_"`
}

type Notes struct {
	Notes    []Note            `json:"notes" items:"true"`
	Counts   map[string]int    `json:"counts"`
	Complete bool              `json:"complete"`
	Raw      json.RawMessage   `json:"raw"`
	Hidden   map[string]string `json:"-"`
}

func (Notes) TypeDoc() string { return "Some notes." }

func (n Notes) RenderText(p Policy) string {
	return fmt.Sprintf("%d notes, limit %d, short %t", len(n.Notes), p.Int("max_answer_chars", 0), p.Bool("short", false))
}

type findParams struct {
	Pattern string      `json:"pattern" doc:"what to find"`
	Mood    mood        `json:"mood" default:"'calm'"`
	Kinds   []level2    `json:"kinds" default:"()"`
	End     *int        `json:"end" default:"None"`
	Short   bool        `json:"short" default:"False" output:"true"`
	Limit   AnswerLimit `json:"max_answer_chars"`
}

func find(_ context.Context, _ *Call, p findParams) (Notes, error) {
	if p.Pattern == "" {
		return Notes{}, Errorf(KindValue, "an empty pattern finds nothing: give some text")
	}
	return Notes{Notes: []Note{{Text: p.Pattern}}, Complete: true}, nil
}

func testPlugin() Plugin {
	return Plugin{Name: "test", Facades: []Facade{{Name: "notes", Summary: "notes of the test", Methods: []Method{
		NewMethod("find", find, "Finds  notes\nby text.\n\nThe pattern is plain text.", Tool("find_notes"), Alias("pattern", "text")),
	}}}}
}

func TestNewMethodDerivesTheDeclarationFromGoTypes(t *testing.T) {
	t.Parallel()
	p := testPlugin()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	m := p.Manifest()
	d := m.Facades[0].Methods[0]
	want := `find(pattern: str, mood: Literal["calm", "wild"] = "calm", kinds: list[level2] = (), end: int | None = None, short: bool = False, max_answer_chars: int = -1) -> Notes`
	if got := d.Signature(); got != want {
		t.Errorf("signature:\n got %s\nwant %s", got, want)
	}
	if d.Summary != "Finds notes by text." || d.Doc != "The pattern is plain text." || d.Tool != "find_notes" {
		t.Errorf("summary %q, doc %q, tool %q", d.Summary, d.Doc, d.Tool)
	}
	var got []string
	for _, td := range m.Types {
		var members []string
		for _, mem := range td.Members {
			if mem.Type != nil {
				members = append(members, mem.Name+": "+mem.Type.Annotation())
			} else {
				members = append(members, fmt.Sprintf("%s=%d", mem.Name, mem.Value))
			}
		}
		got = append(got, fmt.Sprintf("%s %s items=%q renders=%t {%s}", td.Kind, td.Name, td.Items, td.Renders, strings.Join(members, ", ")))
	}
	wantTypes := []string{
		`enum level2 items="" renders=false {LOW=1, HIGH=2}`,
		`record Notes items="notes" renders=true {notes: list[Note], counts: dict[str, int], complete: bool, raw: Any}`,
		`record Note items="" renders=false {text: str, level: level2, next: Note | None, inner_: float}`,
	}
	if strings.Join(got, "\n") != strings.Join(wantTypes, "\n") {
		t.Errorf("types:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantTypes, "\n"))
	}
}

func TestManifestSurvivesPrintingAndParsing(t *testing.T) {
	t.Parallel()
	m := testPlugin().Manifest()
	again, err := ParseManifest(m.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != m.Digest() {
		t.Errorf("digest %s became %s", m.Digest(), again.Digest())
	}
	valid := func(rest string) string {
		return `{"manifest_version":1,"sdk":"1.0","protocols":[1],"name":"x"` + rest + `}`
	}
	result := func(ref string) string {
		return valid(`,"facades":[{"name":"f","owner":true,"summary":"s","methods":[{"name":"m","summary":"s","doc":"d","params":[],"result":` + ref + `}]}]`)
	}
	for data, says := range map[string]string{
		"hello": "not a plugin's manifest",
		`{"manifest_version":2,"sdk":"1.0","protocols":[1],"name":"x"}`:                            "format version 2, this serena reads version 1",
		`{"manifest_version":1,"sdk":"1.0","protocols":[9],"name":"x"}`:                            "speaks the protocol versions 9, this serena 1",
		`{"manifest_version":1,"sdk":"1.0","name":"x"}`:                                            "speaks the protocol versions (none), this serena 1",
		`{"manifest_version":1,"sdk":"0.7","protocols":[1],"name":"x"}`:                            "sdk 0.7, and this serena needs major version 1: get the present sdk",
		`{"manifest_version":1,"sdk":"2.0","protocols":[1],"name":"x"}`:                            "sdk 2.0, which is newer than this serena's 1.0: update serena",
		`{"manifest_version":1,"sdk":"new","protocols":[1],"name":"x"}`:                            `the manifest's sdk is "new"`,
		`{"manifest_version":1,"sdk":"1.0","protocols":[1],"name":"not a name"}`:                   "must be a Python identifier",
		result(`{"name":"Nope"}`):                                                                  "type Nope is not declared",
		result(`{"name":"list"}`):                                                                  "list needs one argument",
		result(`{"name":"list","args":[{"name":"union","args":[{"name":"str"},{"name":"int"}]}]}`): "one of several types can be the whole result of a method only",
		result(`{"name":"union","args":[{"name":"str"}]}`):                                         "a union needs two types or more",
	} {
		if _, err := ParseManifest([]byte(data)); err == nil || !strings.Contains(err.Error(), says) || !IsKind(err, KindValue) && strings.Contains(says, "sdk") {
			t.Errorf("%s\n%v; want an error that says %q", data, err, says)
		}
	}
	for _, data := range []string{valid(""), strings.Replace(valid(""), "1.0", "1.99", 1), strings.Replace(valid(""), "[1]", "[1,2]", 1), result(`{"name":"union","args":[{"name":"str"},{"name":"int"}]}`)} {
		if _, err := ParseManifest([]byte(data)); err != nil {
			t.Errorf("%s\n%v", data, err)
		}
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	d := testPlugin().Manifest().Facades[0].Methods[0]
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		args       map[string]json.RawMessage
		want       string
		kind, says string
	}{
		"defaults":       {args: map[string]json.RawMessage{"pattern": raw(`"a"`)}, want: `{"pattern":"a","mood":"calm","kinds":[],"end":null,"short":false,"max_answer_chars":99}`},
		"alias":          {args: map[string]json.RawMessage{"text": raw(`"a"`), "max_answer_chars": raw("5")}, want: `{"pattern":"a","mood":"calm","kinds":[],"end":null,"short":false,"max_answer_chars":5}`},
		"both names":     {args: map[string]json.RawMessage{"text": raw(`"a"`), "pattern": raw(`"a"`)}, kind: KindType, says: "given twice"},
		"missing":        {kind: KindType, says: "argument pattern is missing\nsignature: notes.find(pattern: str"},
		"unknown":        {args: map[string]json.RawMessage{"patern": raw(`"a"`)}, kind: KindType, says: `has no parameter "patern"; did you mean "pattern"?` + "\nsignature: notes.find("},
		"wrong type":     {args: map[string]json.RawMessage{"pattern": raw(`3`)}, kind: KindType, says: "must be str, not an int (3)"},
		"wrong element":  {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "kinds": raw(`[1,"x"]`)}, kind: KindType, says: `element 1: must be level2, not the str "x"`},
		"not a literal":  {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "mood": raw(`"sad"`)}, kind: KindValue, says: `must be Literal["calm", "wild"], not the str "sad"`},
		"null is no int": {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "max_answer_chars": raw("null")}, kind: KindType, says: "must be int, not None"},
		"too big":        {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "end": raw("1000000000000000000000000000000")}, kind: KindType, says: "must be int, not an int beyond 64 bits"},
		"bool is no int": {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "end": raw("true")}, kind: KindType, says: "must be int, not a bool"},
		"integral float": {args: map[string]json.RawMessage{"pattern": raw(`"a"`), "end": raw("3.0")}, kind: KindType, says: "not a float (3.0)"},
	} {
		got, err := d.Bind("notes", c.args, 99)
		if c.says == "" {
			if err != nil || string(got) != c.want {
				t.Errorf("%s: got %s, %v\nwant %s", name, got, err, c.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || !IsKind(err, c.kind) {
			t.Errorf("%s: got %v, want a %s that says %q", name, err, c.kind, c.says)
		}
	}
}

func TestInvokeAndRender(t *testing.T) {
	t.Parallel()
	p := testPlugin()
	call := NewCall(nil, 0, nil, nil, nil)
	value, text, err := p.Invoke(t.Context(), call, "notes", "find", map[string]json.RawMessage{"pattern": json.RawMessage(`"x"`), "short": json.RawMessage("true")}, 7)
	if err != nil || text != "1 notes, limit 7, short true" {
		t.Fatalf("%q, %v", text, err)
	}
	again, err := p.Render("Notes", value, json.RawMessage(`{"max_answer_chars":3}`))
	if err != nil || again != "1 notes, limit 3, short false" {
		t.Errorf("%q, %v", again, err)
	}
	if text, err := p.Render("Note", json.RawMessage(`{"text":"a"}`), nil); err != nil || text != `{"text":"a"}` {
		t.Errorf("a record without a Renderer: %q, %v", text, err)
	}
	if _, err := p.Render("Notess", nil, nil); err == nil || !strings.Contains(err.Error(), "did you mean Notes?") {
		t.Errorf("unknown type: %v", err)
	}
	if _, _, err := p.Invoke(t.Context(), call, "notes", "find", map[string]json.RawMessage{"pattern": json.RawMessage(`""`)}, 7); !IsKind(err, KindValue) {
		t.Errorf("the method's own error: %v", err)
	}
}

func TestListingErrorKeepsItsMarkWhenItIsWrapped(t *testing.T) {
	t.Parallel()
	err := ListingErrorf(KindValue, []string{"a"}, "choose one of %s", "a")
	wrapped := AsError(fmt.Errorf("find: %w", err))
	if !wrapped.Listing || wrapped.Message != "find: choose one of a" || string(wrapped.Data) != `["a"]` || wrapped.Kind != KindValue {
		t.Errorf("%#v", wrapped)
	}
	if AsError(Errorf(KindValue, "plain")).Listing {
		t.Error("a plain error is no listing")
	}
}

// TestManifestAlwaysHasItsFlags: a reader of the JSON need not know what an absent flag means.
func TestManifestAlwaysHasItsFlags(t *testing.T) {
	t.Parallel()
	var m struct {
		Name    string
		Facades []struct {
			Name    string
			Methods []map[string]any
		}
	}
	p := testPlugin()
	if err := json.Unmarshal(p.Manifest().JSON(), &m); err != nil || m.Name != "test" || m.Facades[0].Name != "notes" {
		t.Fatal(m, err)
	}
	method := m.Facades[0].Methods[0]
	for _, key := range []string{"optional", "beta", "can_edit", "niche", "uses_project_server"} {
		if method[key] != false {
			t.Errorf("%s is %v", key, method[key])
		}
	}
	if params, ok := method["params"].([]any); !ok || len(params) != 6 || method["name"] != "find" {
		t.Errorf("%v", method)
	}
	flagged := facadeOf(declare[struct{}, int]("m", Optional(), Beta(), CanEdit(), Niche(), UsesProjectServer(), Backend("lsp"), Tool("t"))).Manifest().Facades[0].Methods[0]
	if !flagged.Optional || !flagged.Beta || !flagged.CanEdit || !flagged.Niche || !flagged.UsesProjectServer || flagged.Backend != "lsp" || flagged.Tool != "t" || flagged.Params == nil {
		t.Errorf("%+v", flagged)
	}
}

func TestAnnotationsNameTypesWithoutTheirPackage(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[struct{}, map[string][]*twin.Gadget]("m"))
	if got := p.Manifest().Facades[0].Methods[0].Signature(); got != "m() -> dict[str, list[Gadget | None]]" {
		t.Error(got)
	}
	if got := strings.Join(typeNames(p), " "); got != "Gadget" {
		t.Errorf("types: %s", got)
	}
}
