package lsp

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// TestConformance runs the examples with gopls, and has a second server that answers only when it is cancelled.
func TestConformance(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	slow := servers.Description{Key: "slow", Server: "slowls", LanguageID: "slow", Extensions: []string{".slow"},
		Find: func(context.Context, *servers.Installer, servers.Settings) (servers.Command, error) {
			return servers.Command{Path: self, Env: []string{fakeRole + "=" + fakeserver.Slow}}, nil
		}}
	own, err := json.Marshal(map[string]string{"ls_path": goplsPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	sdktest.Run(t, newPlugin(append(servers.Table(), slow)).declare(), sdktest.Options{
		Files: map[string]string{
			"go.mod":       "module example.com/shop\n\ngo 1.22\n",
			"shop/cart.go": "package shop\n\ntype Cart struct{ price int }\n\nfunc (c Cart) Total() int {\n\treturn c.price\n}\n\nfunc pay(c Cart) int { return c.Total() }\n",
			"a.slow":       "def one\n",
		},
		Settings: sdk.ProjectSettings{RequestTimeoutSeconds: 100, LanguageServers: map[string]json.RawMessage{"go": own}},
		Slow:     `lsp.get_symbols_overview("a.slow")`,
	})
}
