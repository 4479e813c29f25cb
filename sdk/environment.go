package sdk

import (
	"os"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/wire"
)

// ownVariables concern a plugin's process and its host; a program that it starts must not take them for its own.
var ownVariables = []string{LifelineVariable, wire.MagicCookieKey, "PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR"}

// CommandEnvironment is the environment for programs that a plugin starts: its own, without what host and plugin tell each
// other.
func CommandEnvironment() []string { return commandEnvironment(os.Environ()) }

func commandEnvironment(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ownVariables, name)
	})
}
