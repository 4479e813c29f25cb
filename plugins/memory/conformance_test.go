package memory_test

import (
	"testing"

	"github.com/serena-go/serena/plugins/memory"
	"github.com/serena-go/serena/sdk/sdktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	sdktest.Run(t, memory.New(), sdktest.Options{Files: map[string]string{
		".serena/memories/conventions.md": "Tabs.\n",
		".serena/memories/auth/roles.md":  "Two: user and admin. See mem:auth/login.\n",
	}})
}
