package files

import (
	"bytes"

	"github.com/serena-go/serena/host/journal"
)

// kept is what a step takes away: the content before is content with the first prefix and the last suffix bytes of the content after
// around it.
type kept struct {
	prefix, suffix int
	content        []byte
}

func keptOf(before, after []byte) kept {
	k := kept{prefix: commonPrefix(before, after)}
	for most := min(len(before), len(after)) - k.prefix; k.suffix < most && before[len(before)-1-k.suffix] == after[len(after)-1-k.suffix]; {
		k.suffix++
	}
	k.content = bytes.Clone(before[k.prefix : len(before)-k.suffix]) // so that the rest need not be held
	return k
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	const block = 4096
	i := 0
	for ; i+block <= n && bytes.Equal(a[i:i+block], b[i:i+block]); i += block {
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// ledger is what a write does to a session's journal. Its zero value leaves all journals alone.
type ledger struct {
	log  *journal.Log
	add  *journal.Entry   // what can be taken back afterwards
	take []*journal.Entry // what is being taken back
}

// begin writes ahead, into the log and the intent.
func (l ledger) begin(j *intent, steps []*step) error {
	for _, e := range l.take {
		j.Drops = append(j.Drops, e.Path())
		for i := range e.Folders {
			j.Leave = append(j.Leave, string(e.Folders[len(e.Folders)-1-i]))
		}
	}
	if l.add == nil {
		return nil
	}
	for _, dir := range j.Folders {
		l.add.Folders = append(l.add.Folders, journal.Name(dir))
	}
	for _, st := range steps {
		entry := journal.Step{
			Kind: st.Kind, Path: journal.Name(st.Path), To: journal.Name(st.To), Before: journal.Name(st.Base), After: journal.Name(st.Next),
			Prefix: int64(st.kept.prefix), Suffix: int64(st.kept.suffix), Kept: st.kept.content,
		}
		if st.Kind == kindRemove {
			entry.Mode, entry.UID, entry.GID = st.seen.attributes()
		}
		l.add.Steps = append(l.add.Steps, entry)
	}
	if err := l.log.Begin(l.add); err != nil {
		return err
	}
	j.Entry = l.add.Path()
	return nil
}

// inGroup reports whether it must survive the machine's end.
func (l ledger) inGroup() bool {
	return l.add != nil && l.add.Group != 0 || len(l.take) > 0
}

func (l ledger) aborted(reason error) error {
	if l.add != nil {
		_ = l.log.Abort(l.add) // one that nobody says was made counts as not made
	}
	return reason
}

func (l ledger) done() error {
	if l.add == nil {
		return nil
	}
	if err := l.log.Done(l.add); err != nil {
		return osError("keep what is replaced in", l.log.Dir(), err)
	}
	return nil
}

// drop is the last step of taking back.
func (l ledger) drop() error {
	if len(l.take) == 0 {
		return nil
	}
	return l.log.Forget(l.take)
}

// spoil has the log read anew when it is next used: what became of the write is not known yet.
func (l ledger) spoil() {
	if l.log != nil {
		l.log.Spoil()
	}
}
