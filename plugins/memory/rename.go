package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/serena-go/serena/sdk"
)

type renameMemoryParams struct {
	OldName string `json:"old_name" doc:"the present name"`
	NewName string `json:"new_name" doc:"the name that it gets"`
}

func renameMemory(ctx context.Context, call *sdk.Call, p renameMemoryParams) (string, error) {
	s, err := open(call)
	if err != nil {
		return "", err
	}
	r := &renaming{store: s}
	if r.old, err = s.writable(ctx, p.OldName); err != nil {
		return "", err
	}
	if r.renamed, err = s.writable(ctx, p.NewName); err != nil {
		return "", err
	}
	if r.memory, err = s.read(ctx, r.old); err != nil {
		return "", err
	}
	if err := r.free(); err != nil {
		return "", err
	}
	if err := r.references(ctx); err != nil {
		return "", err
	}
	_, err = call.WriteFiles(ctx, append(r.changes, r.move()...)...)
	return answer(r.answer(), err)
}

// renaming is one memory on its way to another name.
type renaming struct {
	store        *store
	old, renamed string
	memory       *memory
	own          []sdk.ByteEdit // references to itself

	changes   []sdk.Change // to other memories
	rewritten int          // references
	in        int          // memories that held them
	left      []string     // memories with references that stay
	unread    []string     // memories that could not be looked at
}

// free makes sure that the new name is not taken.
func (r *renaming) free() error {
	if r.old == r.renamed {
		return sdk.Errorf(sdk.KindValue, "the memory %q has that name already: give another as new_name", r.old)
	}
	there, err := os.Lstat(r.store.file(r.renamed))
	if err != nil {
		if err = loadError(r.renamed, err); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if own, err := os.Lstat(r.store.file(r.old)); err == nil && os.SameFile(own, there) {
		return nil // the names differ in case only, on a file system that does not tell them apart
	}
	return sdk.Errorf(sdk.KindFileExists, "the memory %q exists already, so %q was not renamed: choose another name, or delete it first", r.renamed, r.old)
}

// references plans the rewriting of what refers to the old name, in every memory that is not ignored.
func (r *renaming) references(ctx context.Context) error {
	found, err := r.store.visible(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range found.names {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := r.store.load(name)
		if err != nil {
			r.unread = append(r.unread, name)
			continue
		}
		if seen[m.real] { // another name of the same file, through a link
			continue
		}
		seen[m.real] = true
		if err := r.rewrite(ctx, m, found.names); err != nil {
			return err
		}
	}
	return nil
}

func (r *renaming) rewrite(ctx context.Context, m *memory, names []string) error {
	plan := referenceEdits(m.text.Text, r.old, r.renamed, names)
	if len(plan) == 0 {
		return nil
	}
	edits, err := m.bytes(plan)
	if err != nil {
		return err
	}
	_, readOnly, err := r.store.readOnly.match(ctx, m.name)
	switch {
	case err != nil:
		return err
	case m.real == r.memory.real:
		r.memory, r.own = m, edits // as it was read last
	case readOnly || m.outside:
		r.left = append(r.left, m.name)
		return nil
	default:
		r.changes = append(r.changes, sdk.EditFile(r.store.change(m.name), m.base(), edits...))
	}
	r.rewritten += len(edits)
	r.in++
	return nil
}

// move gives the memory its new name, and its content the references to that.
func (r *renaming) move() []sdk.Change {
	from, to := r.store.change(r.old), r.store.change(r.renamed)
	if len(r.own) == 0 && isGlobal(r.old) == isGlobal(r.renamed) {
		return []sdk.Change{sdk.RenameFile(from, r.memory.base(), to)}
	}
	// The two places may be on different file systems, and a file cannot be edited and renamed at once.
	return []sdk.Change{sdk.WriteFile(to, sdk.Absent, applied(r.memory.data, r.own)), sdk.DeleteFile(from, r.memory.base())}
}

// applied returns the data with edits made.
func applied(data []byte, edits []sdk.ByteEdit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, data[at:]...)
}

func (r *renaming) answer() string {
	text := "OK"
	if r.rewritten > 0 {
		text += fmt.Sprintf(" (%s in %s rewritten to %s%s)", counted(r.rewritten, "reference", "references"), counted(r.in, "memory", "memories"), refPrefix, r.renamed)
	}
	if len(r.left) > 0 {
		text += fmt.Sprintf("\nnote: %s%s is still named in memories that cannot be changed from here: %s", refPrefix, r.old, named(r.left))
	}
	if len(r.unread) > 0 {
		text += "\nnote: could not be read, so that references in them were not looked for: " + named(r.unread)
	}
	if isGlobal(r.old) {
		text += fmt.Sprintf("\nnote: memories of other projects may still name %s%s", refPrefix, r.old)
	}
	return text
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
