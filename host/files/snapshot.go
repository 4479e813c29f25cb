package files

import (
	"maps"
	"slices"
	"time"

	"github.com/serena-go/serena/sdk"
)

// A file that was written just before it was looked at can be written again without any trace in its stamp, because the
// system's clock for files ticks every few milliseconds. Such a file is hashed, and hashed again at the next look.
const (
	tick        = 50 * time.Millisecond // longer than any system's
	maxRacyHash = 8 << 20               // larger files are trusted to their stamps
)

// entry is a file as it was last seen.
type entry struct {
	stamp stamp
	gone  bool
	base  sdk.Base // of a file that was young when it was looked at; "" if it was not
}

// snapshot is what is known of the project's files. Its zero value knows nothing; Store.tree guards it.
type snapshot struct {
	taken   bool
	files   map[string]entry // as passes saw them
	own     map[string]entry // as Apply or Report saw them since
	touched map[string]bool  // during a pass, the files that Apply or Report have to do with meanwhile; else nil
}

func (p *snapshot) known(rel string) (entry, bool) {
	if e, ok := p.own[rel]; ok {
		return e, !e.gone
	}
	e, ok := p.files[rel]
	return e, ok
}

// begin starts a pass and returns what is known before it. The copy can be read without the lock: files are changed by take alone.
func (p *snapshot) begin() snapshot {
	p.touched = map[string]bool{}
	return snapshot{taken: p.taken, files: p.files, own: maps.Clone(p.own)}
}

// end ends it and returns the files that were touched meanwhile.
func (p *snapshot) end() map[string]bool {
	touched := p.touched
	p.touched = nil
	return touched
}

// touch says that nothing a pass has seen of a file counts.
func (p *snapshot) touch(rel string) {
	if p.touched != nil && rel != "" {
		p.touched[rel] = true
	}
}

// take makes what a pass found the known state, except for touched files, and returns the changes.
func (p *snapshot) take(found *outcome, touched map[string]bool) []sdk.FileChange {
	for rel := range touched {
		delete(found.files, rel)
		if e, ok := p.files[rel]; ok && found.whole {
			found.files[rel] = e
		}
	}
	left := map[string]entry{}
	for rel, e := range p.own {
		if touched[rel] {
			left[rel] = e
		} else if _, ok := found.files[rel]; !ok {
			found.gone = append(found.gone, rel)
		}
	}
	if found.whole {
		p.files = found.files
	} else {
		for _, rel := range found.gone {
			if !touched[rel] {
				delete(p.files, rel)
			}
		}
		maps.Copy(p.files, found.files)
	}
	p.own, p.taken = left, true
	return slices.DeleteFunc(found.changes, func(c sdk.FileChange) bool { return touched[c.Path] })
}

// setOwn notes a file that is known to have this base now.
func (p *snapshot) setOwn(rel, real string, base sdk.Base) {
	if !p.taken && p.touched == nil {
		return
	}
	if p.own == nil {
		p.own = map[string]entry{}
	}
	st, err := followed(real)
	p.own[rel] = entry{stamp: st, gone: err != nil, base: base}
	p.touch(rel)
}

// compare looks at a single file and returns how it differs from what is known.
func (p *snapshot) compare(rel, real string) []sdk.FileChange {
	before, known := p.known(rel)
	st, err := followed(real)
	there := err == nil && st.isRegular()
	kind := sdk.Changed
	switch {
	case !there && !known && p.taken:
		return nil
	case !there:
		kind = sdk.Deleted
	case !known && p.taken:
		kind = sdk.Created
	case known && !differs(real, before, st):
		return nil
	}
	base := sdk.Base("")
	if there {
		base = young(real, st, time.Now())
	}
	p.setOwn(rel, real, base)
	return []sdk.FileChange{{Path: rel, Kind: kind}}
}

// differs reports whether a file is another than it was.
func differs(path string, before entry, now stamp) bool {
	if before.stamp != now {
		return true
	}
	if before.base == "" {
		return false
	}
	base, err := hashFile(path)
	return err != nil || base != before.base
}

// young returns the base of a file that was written so shortly before the time that its stamp alone cannot be relied on.
func young(path string, st stamp, at time.Time) sdk.Base {
	if max(st.mtime, st.ctime) < at.Add(-tick).UnixNano() || st.size > maxRacyHash {
		return ""
	}
	base, err := hashFile(path)
	if err != nil {
		return "unreadable" // equal to no file's: the next look tells it as changed
	}
	return base
}
