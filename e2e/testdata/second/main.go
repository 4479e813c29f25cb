// second is a plugin with a language backend of its own, for the tests: it gives edit a symbol method, and has a facade, while the
// project's backend is jetbrains.
package main

import (
	"context"

	"github.com/serena-go/serena/sdk"
)

type symbol struct {
	NamePath     string `json:"name_path"`
	RelativePath string `json:"relative_path"`
	Body         string `json:"body"`
}

func replaceBody(_ context.Context, _ *sdk.Call, p symbol) (string, error) {
	return "the IDE wrote " + p.NamePath, nil
}

func find(_ context.Context, call *sdk.Call, _ struct{}) (string, error) {
	p, err := call.Project()
	if err != nil {
		return "", err
	}
	return "an IDE looks at " + p.Root, nil
}

func main() {
	ide := sdk.Backend("jetbrains")
	sdk.Serve(sdk.Plugin{Name: "second", Facades: []sdk.Facade{
		{Name: "ide", Summary: "symbols through an IDE", Methods: []sdk.Method{
			sdk.NewMethod("find", find, "Finds.\n\nSays where it looks.", ide),
		}},
		{Name: "edit", Guest: true, Methods: []sdk.Method{
			sdk.NewMethod("replace_symbol_body", replaceBody, "Replaces.\n\nThrough the IDE.", sdk.CanEdit(), ide),
		}},
	}})
}
