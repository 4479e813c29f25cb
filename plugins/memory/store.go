package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

// maxBytes bounds a memory that is read or edited.
const maxBytes = 16 << 20

// store is the memories as one call sees them.
type store struct {
	project           *sdk.Project
	bounds            *contain.Root
	readOnly, ignored patterns
}

func open(call *sdk.Call) (*store, error) {
	project, err := call.Project()
	if err != nil {
		return nil, sdk.Errorf(sdk.KindRuntime, "memories, the global ones too, can be used within a project only, whose settings say which are ignored or read-only: %w", err)
	}
	settings, err := project.DecodeSettings()
	if err != nil {
		return nil, sdk.Errorf(sdk.KindRuntime, "the project's settings cannot be read: %w", err)
	}
	s := &store{project: project}
	if s.readOnly, err = compilePatterns("read_only_memory_patterns", settings.ReadOnlyMemoryPatterns); err != nil {
		return nil, err
	}
	if s.ignored, err = compilePatterns("ignored_memory_patterns", settings.IgnoredMemoryPatterns); err != nil {
		return nil, err
	}
	s.bounds, err = contain.NewRoot(project.Root, contain.AlsoAllowed(project.DataFolder), contain.AlsoAllowed(filepath.Join(project.Home, "memories")))
	if err != nil {
		return nil, sdk.Errorf(sdk.KindFileNotFound, "%w", err)
	}
	return s, nil
}

// readable checks the name of a memory that is to be read.
func (s *store) readable(ctx context.Context, given string) (string, error) {
	name, err := parseName(given)
	if err != nil {
		return "", err
	}
	return name, s.ignored.refuse(ctx, name, "ignored")
}

// writable checks the name of a memory that is to be changed.
func (s *store) writable(ctx context.Context, given string) (string, error) {
	name, err := s.readable(ctx, given)
	if err != nil {
		return "", err
	}
	return name, s.readOnly.refuse(ctx, name, "read-only")
}

// folders are the two places where memories lie.
func (s *store) folders() (own, global string) {
	return filepath.Join(s.project.DataFolder, "memories"), filepath.Join(s.project.Home, "memories", globalTopic)
}

// file is the absolute path of a checked name.
func (s *store) file(name string) string {
	dir, global := s.folders()
	if rest, ok := strings.CutPrefix(name, globalPrefix); ok {
		dir, name = global, rest
	}
	return filepath.Join(dir, filepath.FromSlash(name)+suffix)
}

// change is the path of a checked name as the host is told it: relative to the project root where it lies below.
func (s *store) change(name string) string {
	path := s.file(name)
	if rel, err := filepath.Rel(s.project.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// memory is one as it was read.
type memory struct {
	name    string
	real    string // the file, links resolved
	outside bool   // a link led to it, out of the places that the host writes in
	data    []byte
	text    *textenc.Text
}

func (m *memory) base() sdk.Base { return sdk.BaseOf(m.data) }

// read reads a memory, which must be there.
func (s *store) read(ctx context.Context, name string) (*memory, error) {
	m, err := s.load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.missing(ctx, name)
	}
	return m, err
}

// load reads a memory. Links are followed, since memories may be shared by them; what lies outside must be Markdown, so that
// a project cannot make other files of the user pass for its memories. fs.ErrNotExist if there is none.
func (s *store) load(name string) (*memory, error) {
	m := &memory{name: name}
	at, err := s.bounds.Resolve(s.file(name))
	m.real = at.Real
	var outside *contain.OutsideError
	if errors.As(err, &outside) {
		if m.real, m.outside, err = outside.Real, true, nil; filepath.Ext(m.real) != suffix {
			return nil, sdk.Errorf(sdk.KindPermission, "the memory %q is a link to %s, which is no Markdown file: only such files can be memories", name, m.real)
		}
	}
	if err != nil {
		return nil, loadError(name, err)
	}
	info, err := os.Stat(m.real)
	switch {
	case err != nil:
		return nil, loadError(name, err)
	case !info.Mode().IsRegular():
		return nil, sdk.Errorf(sdk.KindValue, "the memory %q is no regular file (%s): remove %s or use another name", name, info.Mode().Type(), s.change(name))
	case info.Size() > maxBytes:
		return nil, sdk.Errorf(sdk.KindValue, "the memory %q has %d bytes, more than the %d that can be read: split the file %s", name, info.Size(), maxBytes, s.change(name))
	}
	f, err := os.Open(m.real)
	if err != nil {
		return nil, loadError(name, err)
	}
	defer f.Close()
	if m.data, err = io.ReadAll(io.LimitReader(f, maxBytes)); err != nil {
		return nil, loadError(name, err)
	}
	if m.text, err = textenc.Decode(textenc.Encoding{}, m.data); err != nil {
		return nil, sdk.Errorf(sdk.KindUnicode, "the memory %q cannot be read: %w; save the file %s as UTF-8", name, err, s.change(name))
	}
	return m, nil
}

func loadError(name string, err error) error {
	kind := sdk.KindRuntime
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // a memory's name with a further part is no folder
		return fs.ErrNotExist
	case errors.Is(err, fs.ErrPermission):
		kind = sdk.KindPermission
	case errors.Is(err, syscall.ENAMETOOLONG):
		return sdk.Errorf(sdk.KindValue, "the name of the memory is too long for this system (%d bytes): use a shorter one", len(name))
	}
	return sdk.Errorf(kind, "the memory %q cannot be read: %w", name, err)
}

// missing says that there is no such memory, and which one was probably meant.
func (s *store) missing(ctx context.Context, name string) error {
	found, err := s.visible(ctx)
	if err != nil {
		return err
	}
	hint := "; list_memories shows those there are"
	if len(found.names) == 0 {
		hint = ", nor any other: onboarding tells how to write the first ones"
	} else if best, ok := nearest.Best(name, found.names); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return sdk.Errorf(sdk.KindFileNotFound, "there is no memory %q%s", name, hint)
}
