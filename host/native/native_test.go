package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	if err := plugin().Validate(); err != nil {
		t.Error(err)
	}
}

// place is a project with a session that edits it.
type place struct {
	provider api.Provider
	project  *project.Project
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root := t.TempDir()
	store, err := files.Open(root, files.Options{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return &place{Source(hclog.NewNullLogger()).Provider, &project.Project{ID: "p", Root: root, Files: store}}
}

func (p *place) write(t *testing.T, method, name string) {
	t.Helper()
	if _, err := p.project.Files.Apply(t.Context(), files.Author{Session: "me", Method: method}, []sdk.Change{sdk.WriteFile(name, sdk.Absent, []byte(name))}); err != nil {
		t.Fatal(err)
	}
}

func (p *place) call(ctx context.Context, method, args string) (api.Outcome, error) {
	return p.provider.Call(ctx, api.Request{Session: "me", Project: p.project, Facade: "edit", Method: method, Arguments: json.RawMessage(args)})
}

func (p *place) gives(t *testing.T, method, args, want string) {
	t.Helper()
	if out, err := p.call(t.Context(), method, args); err != nil || out.Text != want {
		t.Errorf("%s(%s): %q, %v; want %q", method, args, out.Text, err, want)
	}
}

func (p *place) there(name string) bool {
	_, err := os.Stat(filepath.Join(p.project.Root, name))
	return err == nil
}

func TestHistoryAndUndo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.gives(t, "history", `{}`, "This session has no edit that could be taken back.")
	for i := range 12 {
		p.write(t, "fs.create_text_file", fmt.Sprintf("%02d", i))
	}
	if _, err := p.call(t.Context(), "undo", `{"steps": 10}`); err != nil {
		t.Fatal(err)
	}
	number, err := p.project.Files.Begin(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split("a b c d e f g h i j k l", " ") {
		p.write(t, "edit.x", name)
	}
	edits, _, err := p.project.Files.Edits(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return edits[i].Time.Local().Format("2006-01-02 15:04:05") }
	out, err := p.call(t.Context(), "history", `{}`)
	want := "steps, time, method: files\n3, " + at(0) + ", fs.create_text_file: 00\n2, " + at(1) + ", fs.create_text_file: 01\n1, " + at(2) +
		", transaction of edit.x: a, b, c, d, e, f, g, h, i, j and 2 more files (open)"
	if err != nil || out.Text != want || out.Type != "EditHistory" {
		t.Errorf("%q, %v, want %q", out.Text, err, want)
	}
	if text, err := p.provider.Render(t.Context(), "EditHistory", out.Value, nil); err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
	if err := p.project.Files.Commit("me", number); err != nil {
		t.Fatal(err)
	}
	p.gives(t, "undo", `{"steps": 2}`, "OK, taken back: edit.x in a, b, c, d, e, f, g, h, i, j and 2 more files; fs.create_text_file in 01")
}

func TestTransaction(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	enter := func() string {
		t.Helper()
		out, err := p.call(t.Context(), "transaction", `{}`)
		if err != nil || out.Type != "EditTransaction" {
			t.Errorf("%+v, %v", out, err)
		}
		return string(out.Value)
	}
	entered := enter()
	p.write(t, "edit.x", "a")
	p.gives(t, "rollback_", `{"record": `+entered+`}`, "OK, taken back: edit.x in a")
	p.gives(t, "rollback_", `{"record": `+entered+`}`, "OK, there was nothing to take back")
	p.write(t, "edit.x", "b")
	p.gives(t, "transaction_exit_", `{"entered": `+entered+`}`, "None")
	if p.there("a") || !p.there("b") {
		t.Error("a is there, or b is not")
	}
	entered = enter()
	p.write(t, "edit.x", "c")
	p.gives(t, "transaction_exit_", `{"entered": `+entered+`, "error": "", "error_kind": "KeyboardInterrupt"}`, "None")
	if p.there("c") {
		t.Error("c is there")
	}
	entered = enter()
	p.write(t, "edit.x", "d")
	if err := os.WriteFile(filepath.Join(p.project.Root, "d"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := p.call(t.Context(), "transaction_exit_", `{"entered": `+entered+`, "error": "x", "error_kind": "ValueError"}`)
	if !sdk.IsKind(err, sdk.KindStale) || !strings.HasPrefix(err.Error(), "the block failed, but its edits stay: somebody else changed d after edit.x at ") {
		t.Errorf("%v", err)
	}
	if open, _ := p.project.Files.InTransaction("me"); open {
		t.Error("it is still open")
	}
}

// Whoever has gone when a transaction is entered does not have it open.
func TestTransactionThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	req := api.Request{Session: "me", Project: p.project, Facade: "edit", Method: "transaction", Arguments: json.RawMessage(`{}`)}
	if _, err := p.provider.Call(gone, req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if open, _ := p.project.Files.InTransaction("me"); open {
		t.Error("it is open")
	}
}

func TestWithoutAProjectOrASession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for method, args := range map[string]string{"history": `{}`, "undo": `{"steps": 1}`, "transaction": `{}`, "rollback_": `{"record": {"number_": 1}}`, "transaction_exit_": `{"entered": {"number_": 1}}`} {
		_, err := p.provider.Call(t.Context(), api.Request{Session: "me", Facade: "edit", Method: method, Arguments: json.RawMessage(args)})
		if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "activate_project") {
			t.Errorf("%s without a project: %v", method, err)
		}
	}
	_, err := p.provider.Call(t.Context(), api.Request{Project: p.project, Facade: "edit", Method: "transaction", Arguments: json.RawMessage(`{}`)})
	if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "no session") {
		t.Errorf("without a session: %v", err)
	}
}
