package plugin

import "github.com/serena-go/serena/sdk"

// Spec says what a plugin is and how it is started.
type Spec struct {
	Name     string       // unique among all plugins; the manifest's name
	Manifest sdk.Manifest // what the host works with; a process that declares something else is refused
	Command  []string     // the program, absolute, and its arguments
	Builtin  bool         // part of this program
	OwnEnv   bool         // the process gets the user's whole environment instead of the allow-list
	SHA256   string       // what the program's bytes must have at each start; empty: not checked
	Path     string       // a third party's executable; empty for a built-in plugin
}
