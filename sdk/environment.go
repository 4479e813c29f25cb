package sdk

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/serena-go/serena/internal/wire"
)

// ownVariables concern a plugin's process and its host; a program that it starts must not take them for its own.
var ownVariables = []string{LifelineVariable, wire.MagicCookieKey, "PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR"}

// Lifeline is the number of the pipe that ties this plugin's process to its host, for programs that it starts to be tied to as
// well (internal/process); 0 outside a plugin's process.
func Lifeline() int {
	fd, err := strconv.Atoi(os.Getenv(LifelineVariable))
	if err != nil {
		return 0
	}
	return fd
}

// CommandEnvironment is the environment for programs that a plugin starts: its own, without what host and plugin tell each
// other.
func CommandEnvironment() []string { return commandEnvironment(os.Environ()) }

func commandEnvironment(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ownVariables, name)
	})
}
