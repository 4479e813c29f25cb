package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

// Edit is what can be taken back at once.
type Edit struct {
	Methods     []string // facade.method of those that wrote, in order, each once; "" is left out
	Files       []string // in order, each once: relative to the root, absolute for those outside
	Time        time.Time
	Writes      int  // how many writes it is made of
	Transaction bool // it is one of these
	Open        bool // which has not ended yet
	Lost        bool // what it replaced was too much to be kept, so that it cannot be taken back
}

// String names what was done to which files, not too many of them.
func (e Edit) String() string {
	const most = 10
	text := list(e.Files[:min(most, len(e.Files))])
	if len(e.Files) > most {
		text += fmt.Sprintf(" and %d more files", len(e.Files)-most)
	}
	if len(e.Methods) > 0 {
		text = strings.Join(e.Methods, ", ") + " in " + text
	}
	return text
}

// Edits tells what the session can take back, the newest last. dropped: there were earlier ones, which are not kept any more.
func (s *Store) Edits(ctx context.Context, session string) (edits []Edit, dropped bool, err error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer release()
	if err := s.settle(); err != nil {
		return nil, false, err
	}
	l, err := s.existingLog(session)
	if l == nil || err != nil {
		return nil, false, err
	}
	all, dropped := l.Edits()
	for _, e := range all {
		edits = append(edits, s.editOf(e))
	}
	return edits, dropped, nil
}

// editOf is an edit as its session is told of it.
func (s *Store) editOf(e journal.Edit) Edit {
	out := Edit{Writes: len(e.Entries), Transaction: e.Group != 0, Open: e.Open}
	once := func(all *[]string, text string) {
		if text != "" && !slices.Contains(*all, text) {
			*all = append(*all, text)
		}
	}
	for _, entry := range e.Entries {
		out.Time, out.Lost = entry.Time, out.Lost || entry.Lost
		once(&out.Methods, entry.Method)
		for _, st := range entry.Steps {
			once(&out.Files, s.name(string(st.Path)))
			if st.To != "" {
				once(&out.Files, s.name(string(st.To)))
			}
		}
	}
	return out
}

// Undo takes back the session's last edits, all of them or none, and tells which, the newest first. They are out of the journal then:
// there is no redo. An edit whose files somebody else changed since is an error of kind StaleError that names them; too many
// steps, an open transaction and an edit that was too large to be kept are of kind RuntimeError.
func (s *Store) Undo(ctx context.Context, session string, steps int) ([]Edit, error) {
	if steps < 1 {
		return nil, sdk.Errorf(sdk.KindValue, "steps is %d, but at least 1 edit can be taken back; nothing was changed", steps)
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.settle(); err != nil {
		return nil, err
	}
	l, err := s.existingLog(session)
	if err != nil {
		return nil, err
	}
	var edits []journal.Edit
	if l != nil {
		edits, _ = l.Edits()
	}
	switch {
	case len(edits) == 0:
		return nil, sdk.Errorf(sdk.KindRuntime, "this session has no edit that could be taken back; nothing was changed")
	case edits[len(edits)-1].Open:
		return nil, sdk.Errorf(sdk.KindRuntime, "a transaction is open, so nothing was taken back: its own rollback() takes its edits back, and undo can when its block has ended")
	case steps > len(edits):
		return nil, sdk.Errorf(sdk.KindRuntime, "this session has %d edits that could be taken back, not %d; nothing was changed", len(edits), steps)
	}
	last := slices.Clone(edits[len(edits)-steps:])
	slices.Reverse(last)
	var told []Edit
	for _, e := range last {
		told = append(told, s.editOf(e))
	}
	return told, s.takeBackEdits(ctx, l, last)
}

// takeBackEdits takes edits back, which are the last ones, the newest first: all or none.
func (s *Store) takeBackEdits(ctx context.Context, l *journal.Log, edits []journal.Edit) error {
	r := newReversal(s, l)
	var entries []*journal.Entry
	for n, edit := range edits {
		for _, e := range slices.Backward(edit.Entries) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if e.Lost {
				return sdk.Errorf(sdk.KindRuntime, "%s replaced more than the %d MiB that are kept of a session's edits, so it cannot be taken back; nothing was changed", s.editOf(edit).String(), journal.MaxBytes>>20)
			}
			if err := r.take(e); err != nil {
				return err
			}
			entries = append(entries, e)
		}
		if len(r.foreign) > 0 {
			return changedSince(s.editOf(edit), r.foreign, n)
		}
	}
	steps, err := r.steps()
	if errors.Is(err, errNested) {
		return s.takeBackEach(ctx, l, entries)
	}
	if err != nil {
		return err
	}
	return s.performTake(ctx, l, steps, entries)
}

// takeBackEach is for the rare edits in which a file has become a folder, or the other way: they are taken back one after the other. That
// nobody changed their files since was checked.
func (s *Store) takeBackEach(ctx context.Context, l *journal.Log, entries []*journal.Entry) error {
	for _, e := range entries {
		r := newReversal(s, l)
		if err := r.take(e); err != nil {
			return err
		}
		if len(r.foreign) > 0 {
			return stale(list(r.foreign))
		}
		steps, err := r.steps()
		if err != nil {
			return err
		}
		if err := s.performTake(ctx, l, steps, []*journal.Entry{e}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) performTake(ctx context.Context, l *journal.Log, steps []*step, entries []*journal.Entry) error {
	_, err := s.perform(ctx, steps, ledger{log: l, take: entries})
	return err
}

// changedSince refuses to take back. after is how many newer edits could be.
func changedSince(e Edit, names []string, after int) error {
	advice := "compare what is there now with what you want, and edit it"
	if after > 0 {
		advice += fmt.Sprintf("; undo(steps=%d) takes back the edits after it", after)
	}
	what := "the edit of " + e.Time.Local().Format("15:04:05")
	if len(e.Methods) > 0 {
		what = strings.Join(e.Methods, ", ") + " at " + e.Time.Local().Format("15:04:05")
	}
	return sdk.Errorf(sdk.KindStale, "somebody else changed %s after %s, so nothing was taken back: %s", list(names), what, advice)
}
