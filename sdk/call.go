package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
)

// Project is what a plugin knows of a project.
type Project struct {
	ID          string          // stable for the life of the host
	Root        string          // absolute path, links resolved
	Name        string          //
	DataFolder  string          // absolute path; may not exist
	Encoding    string          // Python codec name of source files
	Home        string          // the Serena home, absolute
	Settings    json.RawMessage // JSON object of settings, see ProjectSettings
	Plugin      string          // the name of the plugin that it was opened for
	OwnSettings json.RawMessage // JSON object of the plugin's own settings, see PluginSettings
}

// ProjectSettings is what every plugin is told of a project's configuration.
type ProjectSettings struct {
	IgnoredPaths          []string                   `json:"ignored_paths,omitempty"`        // gitignore syntax
	Languages             []string                   `json:"languages,omitempty"`            // configured language servers, in order; empty: by the files
	LanguageServers       map[string]json.RawMessage `json:"ls_specific_settings,omitempty"` // per language-server key; untrusted projects have none
	AutoInstall           bool                       `json:"auto_install"`
	RequestTimeoutSeconds float64                    `json:"request_timeout"` // for one request to a language server
	LineEnding            string                     `json:"line_ending"`     // of new files: "lf", "crlf"
	Trusted               bool                       `json:"trusted"`         // do not run what the settings of an untrusted project name

	// Regular expressions in Python's syntax that must match a memory's whole name.
	ReadOnlyMemoryPatterns []string `json:"read_only_memory_patterns,omitempty"`
	IgnoredMemoryPatterns  []string `json:"ignored_memory_patterns,omitempty"`
}

// DecodeSettings reads Settings.
func (p *Project) DecodeSettings() (ProjectSettings, error) {
	var s ProjectSettings
	if len(p.Settings) == 0 {
		return s, nil
	}
	err := json.Unmarshal(p.Settings, &s)
	return s, err
}

// Call is one call of a method: what it may know and ask of the host. It is good until the method returns, and so is what it began: the context that
// the method got is done when the caller gives up, and the method then returns its error soon, with all that it started ended.
type Call struct {
	project  *Project
	change   uint64
	host     HostServices
	token    string
	log      *slog.Logger
	progress func(done, total float64, message string)
}

// HostServices is what the host does for a plugin. Plugins reach it through Call; tests give their own, see sdktest.
type HostServices interface {
	// ApplyEdits makes all of the changes or none and returns the project's change number.
	ApplyEdits(ctx context.Context, token string, changes []Change) (uint64, error)
	// Changes tells what changed after the number since.
	Changes(ctx context.Context, projectID string, since uint64) (Changes, error)
	// ReportChanged tells the host of changes made by somebody else; no paths: anything may have changed.
	ReportChanged(ctx context.Context, projectID string, paths []string) (uint64, error)
	// CallFacade runs another facade's method within the caller's scope and returns its value as JSON.
	CallFacade(ctx context.Context, token, facade, method string, args json.RawMessage) (json.RawMessage, error)
}

// NewCall makes a Call outside a served plugin, for tests. Each of project, host, log and progress may be nil.
func NewCall(project *Project, change uint64, host HostServices, log *slog.Logger, progress func(done, total float64, message string)) *Call {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	return &Call{project: project, change: change, host: host, log: log, progress: progress}
}

// Project returns the call's project: its root, data folder, encoding, the project's settings (DecodeSettings) and the plugin's own (PluginSettings). Without
// one it is a RuntimeError that says how to activate one.
func (c *Call) Project() (*Project, error) {
	if c.project == nil {
		return nil, Errorf(KindRuntime, "no project is active: call the tool activate_project with the path of the project first")
	}
	return c.project, nil
}

// Change is the number of the project's last change known when the call began.
func (c *Call) Change() uint64 { return c.change }

// Log is the call's logger; its records reach the host's log under the plugin's name, with the method. Never print to stdout.
func (c *Call) Log() *slog.Logger { return c.log }

// Progress tells the caller how far the work is, in units of the method's choice; total 0 means unknown. It may be called from any goroutine; what comes
// after the method's return is dropped. It never blocks for long.
func (c *Call) Progress(done, total float64, message string) { c.progress(done, total, message) }

// WriteFiles makes all of the changes to the project's files or none of them, through the host's one writer, and
// returns the project's change number; an edit made so can be undone. Only methods marked CanEdit may call it (PermissionError), in a
// project (RuntimeError). A file that is no longer as its Base says is a StaleError, a path outside of the project a PermissionError, and the new path of a
// rename that is taken a FileExistsError; after an error nothing is written.
func (c *Call) WriteFiles(ctx context.Context, changes ...Change) (uint64, error) {
	if c.host == nil {
		return 0, errNoHost
	}
	return c.host.ApplyEdits(ctx, c.token, changes)
}

// Changes tells which of the project's files changed after the change number since; 0 asks for the present number only.
// The host looks at the files before it answers, so what others wrote until now is included. Without a project it is a RuntimeError.
func (c *Call) Changes(ctx context.Context, since uint64) (Changes, error) {
	p, err := c.Project()
	if err == nil && c.host == nil {
		err = errNoHost
	}
	if err != nil {
		return Changes{}, err
	}
	return c.host.Changes(ctx, p.ID, since)
}

// ReportChanged tells the host that files were changed by a command or program this call ran: paths relative to the project root, "/"-separated; none:
// any file may have changed. Without a project it is a RuntimeError.
func (c *Call) ReportChanged(ctx context.Context, paths ...string) error {
	p, err := c.Project()
	if err == nil && c.host == nil {
		err = errNoHost
	}
	if err != nil {
		return err
	}
	_, err = c.host.ReportChanged(ctx, p.ID, paths)
	return err
}

// CallFacade runs another facade's method, within what the caller of this call may do. args is marshalled to a JSON
// object, by name; nil stands for none. result, if not nil, receives the value. Errors keep their kind: the method's own, an AttributeError for
// a method that does not exist, a PermissionError for one that is not enabled or edits although this one is not marked CanEdit, a TypeError for arguments
// or a result that do not fit.
func (c *Call) CallFacade(ctx context.Context, facade, method string, args, result any) error {
	if args == nil {
		args = struct{}{}
	}
	if c.host == nil {
		return errNoHost
	}
	data, err := json.Marshal(args)
	if err != nil {
		return Errorf(KindType, "%s.%s: arguments: %w", facade, method, err)
	}
	value, err := c.host.CallFacade(ctx, c.token, facade, method, data)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(value, result); err != nil {
		return Errorf(KindType, "%s.%s answered something that does not fit %T: %w", facade, method, result, err)
	}
	return nil
}

// errNoHost is the answer to a call that was made without a host, see NewCall.
var errNoHost = Errorf(KindRuntime, "this call has no host to ask: it was made by NewCall without one")

// Base identifies the bytes of a file that an edit builds on.
type Base string

// Absent is the Base of a file that is not there.
const Absent Base = "absent"

// BaseOf returns the Base of a file with this content.
func BaseOf(content []byte) Base {
	sum := sha256.Sum256(content)
	return Base(hex.EncodeToString(sum[:]))
}

// ByteEdit replaces the bytes [Start, End) of the base by Text.
type ByteEdit struct {
	Start, End int
	Text       []byte
}

// Change is one file's change. Make it with EditFile, WriteFile, DeleteFile or RenameFile. Paths are relative to the
// project root and "/"-separated.
type Change struct {
	Path    string
	Base    Base
	Edits   []ByteEdit // ascending, not overlapping
	Whole   bool       // Content is the whole new content
	Content []byte
	Delete  bool
	To      string // the new path, for a rename
}

// EditFile replaces byte ranges of a file; all other bytes stay.
func EditFile(path string, base Base, edits ...ByteEdit) Change {
	return Change{Path: path, Base: base, Edits: edits}
}

// WriteFile replaces or, with base Absent, creates a file; missing folders are made.
func WriteFile(path string, base Base, content []byte) Change {
	return Change{Path: path, Base: base, Whole: true, Content: content}
}

// DeleteFile removes a file.
func DeleteFile(path string, base Base) Change { return Change{Path: path, Base: base, Delete: true} }

// RenameFile moves a file; nothing may be at the new path.
func RenameFile(path string, base Base, to string) Change {
	return Change{Path: path, Base: base, To: to}
}

// Changes is what happened to a project's files.
type Changes struct {
	Reset bool // it is not known: start over from the files
	Last  uint64
	Files []FileChange
}

// FileChange is the last state of one file.
type FileChange struct {
	Path string
	Kind ChangeKind
}

// ChangeKind says what happened to a file.
type ChangeKind int

// Kinds of changes.
const (
	Created ChangeKind = iota
	Changed
	Deleted
)
