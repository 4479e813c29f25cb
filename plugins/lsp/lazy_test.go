package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/sdk"
)

// records are the elements of a collection as a runtime hands them back: what is inherited is filled in.
func records(t *testing.T, value json.RawMessage, items string) []map[string]any {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(value, &whole); err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for _, e := range whole[items].([]any) {
		out = append(out, inherit(whole, e.(map[string]any)))
	}
	return out
}

func inherit(from, to map[string]any) map[string]any {
	for _, name := range []string{"root_", "hash_"} {
		if _, own := to[name]; !own && from[name] != nil {
			to[name] = from[name]
		}
	}
	return to
}

func children(record map[string]any) []map[string]any {
	var out []map[string]any
	for _, c := range record["children"].([]any) {
		out = append(out, inherit(record, c.(map[string]any)))
	}
	return out
}

func (f *fixture) records(pattern string, more args) []map[string]any {
	f.t.Helper()
	a := args{"name_path_pattern": pattern}
	for k, v := range more {
		a[k] = v
	}
	return records(f.t, f.Into(f.t, nil, "lsp", "find_symbol", a).Value, "symbols")
}

func (f *fixture) body(record any) string {
	f.t.Helper()
	var body string
	f.Into(f.t, &body, "lsp", "symbol_body_", args{"record": record})
	return body
}

func (f *fixture) parent(record any) *LanguageServerSymbol {
	f.t.Helper()
	var parent *LanguageServerSymbol
	f.Into(f.t, &parent, "lsp", "symbol_parent_", args{"record": record})
	return parent
}

func TestLazyBody(t *testing.T) {
	t.Parallel()
	crlf := strings.ReplaceAll(declarations, "\n", "\r\n")
	f := withGopls(t, map[string]string{"go.mod": "module example.com/s\n", "s.go": declarations, "w/w.go": "\ufeff" + crlf, "box/box.go": box})
	found := f.find("e", args{"substring_matching": true, "include_body": true}).Symbols
	lean := f.records("e", args{"substring_matching": true})
	if len(found) < 6 || len(lean) != len(found) {
		t.Fatalf("%d and %d symbols", len(found), len(lean))
	}
	for i, record := range lean {
		if got := f.body(record); got != *found[i].Body {
			t.Errorf("%s in %s: body %q, want %q", found[i].NamePath, found[i].RelativePath, got, *found[i].Body)
		}
	}
	basket := f.records("/Basket", args{"relative_path": "box/box.go", "depth": 1})[0]
	if got, want := f.body(children(basket)[1]), "func (b *Basket) Add(k int) { b.n += k }"; got != want {
		t.Errorf("a child's body %q, want %q", got, want)
	}
	refs := f.Into(t, nil, "lsp", "find_referencing_symbols", args{"name_path": "Sizer", "relative_path": "box/box.go"})
	ref := records(t, refs.Value, "references")[0]
	if got, want := f.body(inherit(ref, ref["symbol"].(map[string]any))), "func Size(s Sizer) int { return s.Size() }"; got != want {
		t.Errorf("the body around a reference %q, want %q", got, want)
	}
}

func TestLazyBody_needsNoServer(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Exits, oneFake)
	record := args{"name_path": "two", "relative_path": "a.fake", "root_": f.root, "hash_": string(sdk.BaseOf([]byte(oneFake["a.fake"])))[:32], "range_": []int{8, 15}}
	if got := f.body(record); got != "def two" {
		t.Errorf("body %q", got)
	}
	f.fails(sdk.KindRuntime, "lsp", "symbol_parent_", args{"record": record}, "cannot open the moon")
}

func TestLazyParent(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box, "box/lid.go": "package box\n\nfunc (c *Crate) Open() {}\n\nvar _ Sizer\n",
		"box/lost.go": "package box\n\nfunc (n *Nowhere) Find() {}\n", "box/other/crate.go": "package other\n\ntype Crate int\n"})
	for namePath, want := range map[string]string{"Basket/Add": "Basket box/box.go:2", "Sizer/Size": "Sizer box/box.go:6", "Basket/n": "Basket box/box.go:2", "Crate/Open": "Crate box/box.go:4"} {
		record := f.records("/"+namePath, nil)[0]
		if _, told := record["parent"]; told {
			t.Errorf("%s: its parent is told before it is asked for: %v", namePath, record)
		}
		got := f.parent(record)
		if got == nil || got.place() != want {
			t.Errorf("%s: parent %+v, want %s", namePath, got, want)
		} else if same := f.find("/"+got.NamePath, args{"relative_path": got.RelativePath}); same.Symbols[0].Hash != got.Hash || same.Symbols[0].Range != got.Range || got.Root != same.Root {
			t.Errorf("%s: parent %+v, find_symbol says %+v", namePath, got, same)
		}
	}
	top := f.records("/Basket", nil)[0]
	if value, told := top["parent"]; !told || value != nil {
		t.Errorf("the parent at the top level is %v, %v: it is None for good", value, told)
	}
	if got := f.parent(top); got != nil {
		t.Errorf("the parent of Basket is %+v", got)
	}
	refs := f.Into(t, nil, "lsp", "find_referencing_symbols", args{"name_path": "Sizer", "relative_path": "box/box.go"})
	for _, ref := range records(t, refs.Value, "references") {
		symbol := inherit(ref, ref["symbol"].(map[string]any))
		if symbol["kind_name"] == "File" {
			if got := f.body(symbol); !strings.HasPrefix(got, "package box\n") || !strings.HasSuffix(got, "var _ Sizer\n") {
				t.Errorf("the body of a file is %q", got)
			}
			if got := f.parent(symbol); got != nil {
				t.Errorf("the parent of a file is %+v", got)
			}
		}
	}
	f.fails(sdk.KindLookup, "lsp", "symbol_parent_", args{"record": f.records("Nowhere/Find", nil)[0]}, "Nowhere/Find in box/lost.go", "Nowhere is not declared in the folder box")

	write(t, f.root, "box/box_test.go", "package box_test\n\ntype Crate int\n")
	f.Host.Report(sdk.FileChange{Path: "box/box_test.go", Kind: sdk.Created})
	f.fails(sdk.KindValue, "lsp", "symbol_parent_", args{"record": f.records("Crate/Open", nil)[0]}, "2 symbols may be its parent Crate", "box/box.go line 4", "box/box_test.go line 2")
}

func (s LanguageServerSymbol) place() string {
	data, err := json.Marshal(s.StartLine)
	if err != nil {
		return err.Error()
	}
	return s.NamePath + " " + s.RelativePath + ":" + string(data)
}

func TestLazy_refuses(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box})
	record := f.records("Basket/Add", nil)[0]
	with := func(key string, value any) args {
		changed := args{}
		for k, v := range record {
			changed[k] = v
		}
		changed[key] = value
		if value == nil {
			delete(changed, key)
		}
		return args{"record": changed}
	}
	for _, method := range []string{"symbol_body_", "symbol_parent_"} {
		f.fails(sdk.KindType, "lsp", method, args{"record": "Basket/Add"}, "no LanguageServerSymbol")
		f.fails(sdk.KindValue, "lsp", method, args{"record": args{}}, "find the symbol again")
		f.fails(sdk.KindValue, "lsp", method, with("hash_", "ab"), "find the symbol again")
		f.fails(sdk.KindValue, "lsp", method, with("root_", "/else/where"), "/else/where", f.root)
		f.fails(sdk.KindPermission, "lsp", method, with("relative_path", "../box.go"), "../box.go")
		f.fails(sdk.KindValue, "lsp", method, with("range_", []int{3, 100000}), "3 to 100000 in a file of 279 bytes")
		f.fails(sdk.KindValue, "lsp", method, with("range_", []int{9, 3}), "9 to 3")
	}
	f.fails(sdk.KindLookup, "lsp", "symbol_parent_", with("range_", []int{0, 3}), "gopls has no symbol Basket/Add in box/box.go")

	// The method itself is as it was; that the file is not, is enough.
	write(t, f.root, "box/box.go", box+"\n")
	f.Host.Report(sdk.FileChange{Path: "box/box.go", Kind: sdk.Changed})
	stale := []string{"Basket/Add: box/box.go changed since it was retrieved", `find_symbol("/Basket/Add", relative_path="box/box.go")`}
	f.fails(sdk.KindStale, "lsp", "symbol_body_", args{"record": record}, stale...)
	f.fails(sdk.KindStale, "lsp", "symbol_parent_", args{"record": record}, stale...)
	write(t, f.root, "box/box.go", box)
	if got, want := f.body(record), "func (b *Basket) Add(k int) { b.n += k }"; got != want {
		t.Errorf("the file is as it was: body %q, want %q", got, want)
	}
	if err := os.Remove(filepath.Join(f.root, "box", "box.go")); err != nil {
		t.Fatal(err)
	}
	f.fails(sdk.KindStale, "lsp", "symbol_body_", args{"record": record}, "box/box.go changed since it was retrieved; it is not there any more")
	write(t, f.root, "box/box.go/", "")
	f.fails(sdk.KindStale, "lsp", "symbol_body_", args{"record": record}, "box/box.go changed since it was retrieved; it cannot be read")
}

// What lazy members need costs little: the project's path stands once in an answer, a file's hash once with a symbol and its children.
func TestLazy_onTheWire(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box})
	r := f.Into(t, nil, "lsp", "find_symbol", args{"name_path_pattern": "/Basket", "depth": 1})
	got := strings.ReplaceAll(strings.ReplaceAll(string(r.Value), f.root, "ROOT"), string(sdk.BaseOf([]byte(box)))[:32], "HASH")
	want := `{"symbols":[{"name":"Basket","name_path":"Basket","kind":23,"kind_name":"Struct","relative_path":"box/box.go","line":2,"column":5,"start_line":2,"end_line":2,"children":[` +
		`{"name":"n","name_path":"Basket/n","kind":8,"kind_name":"Field","relative_path":"box/box.go","line":2,"column":20,"start_line":2,"end_line":2,"range_":[33,38]},` +
		`{"name":"Add","name_path":"Basket/Add","kind":6,"kind_name":"Method","relative_path":"box/box.go","line":10,"column":17,"start_line":10,"end_line":10,"range_":[108,148]},` +
		`{"name":"Size","name_path":"Basket/Size","kind":6,"kind_name":"Method","relative_path":"box/box.go","line":12,"column":16,"start_line":12,"end_line":12,"range_":[150,191]}` +
		`],"parent":null,"hash_":"HASH","range_":[13,40]}],"complete":true,"notes":[],"root_":"ROOT"}`
	if got != want {
		t.Errorf("value\n%s\nwant\n%s", got, want)
	}
}
