//go:build unix

package shell_test

import (
	"testing"

	"github.com/serena-go/serena/plugins/shell"
	"github.com/serena-go/serena/sdk/sdktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	sdktest.Run(t, shell.New(), sdktest.Options{
		Files: map[string]string{"sub/a.txt": "a\n"},
		Slow:  `shell.execute_shell_command("sleep 1000 & (setsid sleep 1000 &); wait")`,
	})
}
