package plugin

import (
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// allowedVariables is what a plugin without OwnEnv gets of the user's environment. Secrets live in variables of any other name.
var allowedVariables = []string{
	"PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL", "TERM",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "PATHEXT", "COMSPEC", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "TEMP", "TMP",
}

var allowedPrefixes = []string{"LC_", "XDG_"}

// ownVariables belong to one process alone and are never handed down.
var ownVariables = []string{sdk.LifelineVariable, wire.MagicCookieKey, "PLUGIN_UNIX_SOCKET_DIR", "PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS"}

// environment picks a plugin's variables from those of this process ("NAME=value") and adds the Serena home.
func environment(all []string, whole bool, home string) []string {
	var env []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(ownVariables, name) || name == homeVariable || name == process.OwnerVariable {
			continue
		}
		if whole || allowed(name) || name == process.MarkVariable {
			env = append(env, entry)
		}
	}
	return append(env, homeVariable+"="+home)
}

const homeVariable = "SERENA_HOME"

func allowed(name string) bool {
	upper := strings.ToUpper(name) // Windows spells them as it likes
	return slices.Contains(allowedVariables, upper) ||
		slices.ContainsFunc(allowedPrefixes, func(p string) bool { return strings.HasPrefix(upper, p) })
}
