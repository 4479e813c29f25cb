package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/sdk"
)

// TestMain also is the program of the built-in plugin that tests use.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "plugin" && os.Args[2] == "serve" {
		sdk.ServeProcess(diary())
	}
	goleak.VerifyTestMain(m)
}

// diary notes in a file of the home when a project is opened and closed.
func diary() sdk.Plugin {
	home := ""
	note := func(what, id string) error {
		f, err := os.OpenFile(filepath.Join(home, "diary"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = fmt.Fprintln(f, what, id)
		return err
	}
	return sdk.Plugin{
		Name: "diary", Facades: []sdk.Facade{{Name: "diary", Summary: "words of diary", Methods: []sdk.Method{
			sdk.NewMethod("say", func(context.Context, *sdk.Call, struct{}) (string, error) { return "", nil }, "Speaks.\n\nReturns a word."),
		}}},
		Open: func(_ context.Context, p *sdk.Project) error {
			home = p.Home
			return note("opened", p.ID)
		},
		Close: func(_ context.Context, id string) { _ = note("closed", id) },
	}
}
