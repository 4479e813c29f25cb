package files

import (
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
	taken bool
	files map[string]entry // as the last scan saw them
	own   map[string]entry // as Apply or Report saw them after that scan
}

func (p *snapshot) known(rel string) (entry, bool) {
	if e, ok := p.own[rel]; ok {
		return e, !e.gone
	}
	e, ok := p.files[rel]
	return e, ok
}

// setOwn notes a file that is known to have this base now.
func (p *snapshot) setOwn(rel, real string, base sdk.Base) {
	if !p.taken {
		return
	}
	if p.own == nil {
		p.own = map[string]entry{}
	}
	st, err := followed(real)
	p.own[rel] = entry{stamp: st, gone: err != nil, base: base}
}

// compare looks at single files and returns which of them differ from what is known.
func (p *snapshot) compare(s *Store, paths []string) []sdk.FileChange {
	var changes []sdk.FileChange
	for _, real := range paths {
		rel := s.told(real)
		before, known := p.known(rel)
		st, err := followed(real)
		there := err == nil && st.isRegular()
		kind := sdk.Changed
		switch {
		case !there && !known && p.taken:
			continue
		case !there:
			kind = sdk.Deleted
		case !known && p.taken:
			kind = sdk.Created
		case known && !differs(real, before, st):
			continue
		}
		changes = append(changes, sdk.FileChange{Path: rel, Kind: kind})
		base := sdk.Base("")
		if there {
			base = young(real, st, time.Now())
		}
		p.setOwn(rel, real, base)
	}
	return changes
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
