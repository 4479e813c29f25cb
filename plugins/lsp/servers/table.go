package servers

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/serena-go/serena/plugins/lsp/symbols"
)

// Description is what is particular to one language server. Key, Server, Extensions, LanguageID and Find are required.
type Description struct {
	Key        string   // name in the configuration (language_servers, ls_specific_settings)
	Server     string   // program, as users know it
	LanguageID string   // the protocol's name of the language
	Extensions []string // of its files, with the dot; case matters

	// Find returns the command of an installed server. While it is being installed, and where it cannot be had, the error says so.
	Find func(ctx context.Context, in *Installer, s Settings) (Command, error)

	// ReadyTitle is the title of the progress that a server reports while it loads the project: answers across files are complete
	// only after its end. Empty: the server reports none. ReadyMessage is the message of an end that succeeded.
	ReadyTitle, ReadyMessage string

	OverviewDepth int // of an overview for which no depth is given

	Modules   Modules
	Normalize symbols.Normalizer                           // optional
	Pattern   func(pattern string) string                  // optional: turns the language's own spelling into a name path
	FitBody   func(node *symbols.Node, body string) string // optional: a new body with the keyword that its place wants

	// SyntaxError finds the first place, in bytes, from where on a text cannot be read: the server may miss what stands there. Optional.
	SyntaxError func(text string) (offset int, found bool)

	// Build finds out which files a server that is started at root leaves out of answers across files, although it handles such files. Optional:
	// it leaves out none.
	Build func(ctx context.Context, in *Installer, root string, s Settings) (LeftOut, error)
}

// LeftOut tells why a file is not searched for a symbol of that name that another declares, such as that it is for another platform;
// "": it is searched, or the symbol cannot be meant there.
type LeftOut func(name string, declared, file File) (reason string)

// File is a file of a project as it was read.
type File struct {
	Path string // relative to the root, "/"-separated
	Text string
}

// Modules tells how a language divides a repository into parts whose symbols a server sees one part at a time. The zero value
// divides nothing.
type Modules struct {
	Marker   string                   // file that stands at the root of a part
	Umbrella string                   // file at the project's root that joins the parts
	Skip     func(folder string) bool // folders, by name, whose parts do not count; optional
}

// Skips reports whether a part in that folder does not count.
func (m Modules) Skips(folder string) bool {
	return m.Skip != nil && slices.ContainsFunc(strings.Split(folder, "/"), m.Skip)
}

// Command starts a server.
type Command struct {
	Path    string
	Args    []string
	Env     []string // "NAME=value", added to the plugin's
	Options any      // initializationOptions
}

// Settings is what a project says about one server.
type Settings struct {
	Home        string          // the Serena home
	Own         json.RawMessage // the server's entry in ls_specific_settings; may be nil
	AutoInstall bool
}

// Table returns the descriptions of all known servers.
func Table() []Description { return []Description{gopls()} }

// Handles reports whether a file of that name belongs to the server.
func (d Description) Handles(name string) bool { return slices.Contains(d.Extensions, path.Ext(name)) }

// Files names the server's files for a message, "*.go".
func (d Description) Files() string { return "*" + strings.Join(d.Extensions, ", *") }
