package sdk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// ManifestVersion is the version of the manifest's format.
const ManifestVersion = 1

// Manifest is a plugin's declaration as data. `<plugin> manifest` prints it as JSON; hosts cache it. docs/manifest.md documents
// the format for those who do not write Go.
type Manifest struct {
	ManifestVersion int          `json:"manifest_version"`
	SDK             string       `json:"sdk"`       // "major.minor" of the sdk that the plugin is built with
	Protocols       []int        `json:"protocols"` // versions of the wire protocol that the plugin speaks
	Name            string       `json:"name"`
	Version         string       `json:"version,omitempty"`
	LongLived       bool         `json:"long_lived,omitempty"` // its process is not ended when it has had nothing to do for a while
	Facades         []FacadeDecl `json:"facades"`
	Types           []TypeDecl   `json:"types,omitempty"`    // every type reachable from a method or setting, each once
	Settings        []ParamDecl  `json:"settings,omitempty"` // the keys of `plugins: NAME:`, if the plugin declares them
}

// FacadeDecl is a facade in a manifest.
type FacadeDecl struct {
	Name     string       `json:"name"`
	Summary  string       `json:"summary,omitempty"`
	Doc      string       `json:"doc,omitempty"`
	Owner    bool         `json:"owner"`
	Optional bool         `json:"optional"`
	Methods  []MethodDecl `json:"methods"`
}

// MethodContextManager is the kind of a method that is used in a with statement: calling it enters, the method Exit leaves.
const MethodContextManager = "context_manager"

// MethodDecl is a method in a manifest.
type MethodDecl struct {
	Name              string      `json:"name"`
	Kind              string      `json:"kind,omitempty"` // empty for an ordinary method, or MethodContextManager
	Exit              string      `json:"exit,omitempty"` // of a context manager: the method that leaves it
	Summary           string      `json:"summary"`
	Doc               string      `json:"doc,omitempty"`
	Examples          []string    `json:"examples,omitempty"` // Python calls with literal arguments
	Params            []ParamDecl `json:"params"`
	Result            TypeRef     `json:"result"`
	Tool              string      `json:"tool,omitempty"`
	Backend           string      `json:"backend,omitempty"`
	Optional          bool        `json:"optional"`
	Beta              bool        `json:"beta"`
	CanEdit           bool        `json:"can_edit"`
	Niche             bool        `json:"niche"`
	UsesProjectServer bool        `json:"uses_project_server"`

	faults []string // of its options
}

// ParamDecl is a parameter in a manifest. Default is JSON and absent for a required parameter.
type ParamDecl struct {
	Name        string          `json:"name"`
	Type        TypeRef         `json:"type"`
	Default     json.RawMessage `json:"default,omitempty"`
	Doc         string          `json:"doc,omitempty"`
	Aliases     []string        `json:"aliases,omitempty"`
	Output      bool            `json:"output,omitempty"`       // becomes part of the result's rendering policy
	AnswerLimit bool            `json:"answer_limit,omitempty"` // -1 stands for the configured limit; the host resolves it

	badDefault bool // a fault that was told already
}

// Required reports whether a call must give the parameter.
func (p ParamDecl) Required() bool { return p.Default == nil }

// TypeRef names a type: a plain one (str, int, float, bool, None, Any), list, dict (keys are str), optional, literal,
// union (of a result: one of several), or a declared type.
type TypeRef struct {
	Name   string    `json:"name"`
	Args   []TypeRef `json:"args,omitempty"`   // of list and optional: the element; of dict: the value; of union: each
	Values []string  `json:"values,omitempty"` // of literal
}

// Annotation is the type as a Python annotation, without module paths.
func (t TypeRef) Annotation() string {
	switch t.Name {
	case "list":
		return "list[" + t.Args[0].Annotation() + "]"
	case "dict":
		return "dict[str, " + t.Args[0].Annotation() + "]"
	case "optional":
		return t.Args[0].Annotation() + " | None"
	case "union":
		arms := make([]string, len(t.Args))
		for i, a := range t.Args {
			arms[i] = a.Annotation()
		}
		return strings.Join(arms, " | ")
	case "literal":
		quoted := make([]string, len(t.Values))
		for i, v := range t.Values {
			quoted[i] = strconv.Quote(v)
		}
		return "Literal[" + strings.Join(quoted, ", ") + "]"
	}
	return t.Name
}

// Kinds of a TypeDecl.
const (
	TypeRecord    = "record"
	TypeEnum      = "enum"
	TypeKeyedDict = "keyed_dict" // a plain dict in Python, with these keys
)

// TypeDecl declares a type that is more than a plain one.
type TypeDecl struct {
	Name    string         `json:"name"`
	Kind    string         `json:"kind"`
	Doc     string         `json:"doc,omitempty"`
	Members []MemberDecl   `json:"members"`
	Items   string         `json:"items,omitempty"`   // record: the list member that iteration, indexing and len work on
	Renders bool           `json:"renders,omitempty"` // record: the plugin renders it
	Methods []RecordMethod `json:"methods,omitempty"` // record: what can be called on it
	Curated []string       `json:"curated,omitempty"` // record: the members and methods that are documented; absent: see DocumentedMembers
}

// MemberDecl is a member of a record or enum, or a key of a keyed dict. A record's member whose name ends in "_" is not shown to a model.
type MemberDecl struct {
	Name    string   `json:"name"`
	Type    *TypeRef `json:"type,omitempty"`  // of a record or keyed dict
	Value   int      `json:"value,omitempty"` // of an enum
	Doc     string   `json:"doc,omitempty"`
	Lazy    string   `json:"lazy,omitempty"`    // of a record: the facade's method that gives an absent value when it is read
	Whole   bool     `json:"whole,omitempty"`   // of a record with items: it tells of all of them, so a slice of the record is a plain list
	Inherit bool     `json:"inherit,omitempty"` // of a record: an absent value is that of the same name in the record around it
}

// Manifest returns the plugin's declaration as data.
func (p Plugin) Manifest() Manifest {
	m := Manifest{ManifestVersion: ManifestVersion, SDK: Version, Protocols: ProtocolVersions(), Name: p.Name, Version: p.Version, LongLived: p.LongLived}
	seen := map[string]bool{}
	addTypes := func(types []TypeDecl) {
		for _, t := range types {
			if !seen[t.Name] {
				seen[t.Name] = true
				m.Types = append(m.Types, t)
			}
		}
	}
	for _, f := range p.Facades {
		fd := FacadeDecl{Name: f.Name, Summary: f.Summary, Doc: f.Doc, Owner: !f.Guest, Optional: f.Optional, Methods: []MethodDecl{}}
		for _, method := range f.Methods {
			fd.Methods = append(fd.Methods, method.decl)
			addTypes(method.types)
		}
		m.Facades = append(m.Facades, fd)
	}
	settings := p.declareSettings()
	m.Settings = settings.params
	addTypes(settings.types)
	return m
}

// JSON is the manifest as printed.
func (m Manifest) JSON() []byte {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil { // every field is plain data; a Default that is no JSON is caught by ParseManifest and Validate
		return nil
	}
	return data
}

// Digest identifies the manifest's content.
func (m Manifest) Digest() string {
	data, _ := json.Marshal(m)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ParseManifest reads a manifest and checks it as Validate does a plugin.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, Errorf(KindValue, "not a plugin's manifest: %w", err)
	}
	if err := m.compatible(); err != nil {
		return Manifest{}, err
	}
	if err := m.Validate(); err != nil {
		return Manifest{}, err
	}
	return m, nil
}
