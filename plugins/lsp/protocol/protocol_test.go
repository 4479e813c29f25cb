package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/serena-go/serena/plugins/lsp/protocol"
)

// The URIs are what Python's pathlib.Path(...).as_uri() gives.
func TestURI_roundTrip(t *testing.T) {
	t.Parallel()
	for path, uri := range map[string]string{
		"/a/b.go":            "file:///a/b.go",
		"/with space/é.go":   "file:///with%20space/%C3%A9.go",
		"/per%20cent/#x?.go": "file:///per%2520cent/%23x%3F.go",
		"/[id]/$x.ts":        "file:///%5Bid%5D/$x.ts",
	} {
		got, err := protocol.PathFromURI(uri)
		if err != nil || got != path {
			t.Errorf("PathFromURI(%q) = %q, %v; want %q", uri, got, err, path)
		}
		back, err := protocol.PathFromURI(protocol.URIFromPath(path))
		if err != nil || back != path {
			t.Errorf("%q came back as %q, %v", path, back, err)
		}
	}
}

func TestPathFromURI_refuses(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"untitled:1", "jdt://contents/x", "file:", "file://%zz", ""} {
		if got, err := protocol.PathFromURI(uri); err == nil {
			t.Errorf("PathFromURI(%q) = %q, want an error", uri, got)
		}
	}
}

func TestHover_text(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"plain"`:                                    "plain",
		`{"kind":"markdown","value":"**x**"}`:        "**x**",
		`["a",{"language":"go","value":"func f()"}]`: "a\nfunc f()",
		`null`: "",
		`[]`:   "",
		`7`:    "",
	} {
		if got := (protocol.Hover{Contents: json.RawMessage(raw)}).Text(); got != want {
			t.Errorf("hover %s = %q, want %q", raw, got, want)
		}
	}
}

func TestDocumentSymbol_flatForm(t *testing.T) {
	t.Parallel()
	var s protocol.DocumentSymbol
	in := `{"name":"f","kind":12,"location":{"uri":"file:///x","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}}}`
	if err := json.Unmarshal([]byte(in), &s); err != nil {
		t.Fatal(err)
	}
	want := protocol.Range{Start: protocol.Position{Line: 1, Character: 2}, End: protocol.Position{Line: 3, Character: 4}}
	if whole, id := s.Normal(); whole != want || id != want {
		t.Errorf("ranges %v and %v, want %v twice", whole, id, want)
	}
}
