package files

import (
	"context"
	"io/fs"
	"runtime"
	"sync"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/ignore"
	"github.com/serena-go/serena/internal/staged"
)

// sight is what a pass saw in its places.
type sight struct {
	files  map[string]stamp // the files that are there and are told of
	links  map[string]bool  // all links, wherever they lead
	hard   map[string]bool  // files that have further names
	unsure places           // could not be looked at: what was known of them stays so, and they are tried again
	rules  *ignore.Matcher
	enter  func(folder string) // called before a folder is read
}

func newSight(rules *ignore.Matcher) *sight {
	return &sight{files: map[string]stamp{}, links: map[string]bool{}, hard: map[string]bool{}, unsure: newPlaces(), rules: rules}
}

// look looks at places. The ignore rules are read anew: they may be what changed.
func (s *Store) look(ctx context.Context, todo places) (*sight, error) {
	rules, err := ignore.New(s.root, s.ignoredPaths...)
	if err != nil {
		return nil, err
	}
	if todo.isWhole() {
		s.watch.excludes(rules.ExcludeFile())
		if rules, err = ignore.New(s.root, s.ignoredPaths...); err != nil {
			return nil, err
		}
	}
	v := newSight(rules)
	v.enter = s.watch.add
	var paths []string
	for _, folder := range todo.outermost() {
		if paths, err = s.walk(ctx, v, folder, paths); err != nil {
			return nil, err
		}
	}
	for rel := range todo.names {
		if above, _ := parent(rel); !todo.covers(above) && s.isTold(v, rel) {
			paths = append(paths, rel)
		}
	}
	s.stat(v, paths, runtime.GOMAXPROCS(0))
	if twins := s.twins(v, todo); len(twins) > 0 {
		s.stat(v, twins, 1)
	}
	if s.isClosed() {
		return nil, errClosed // not everything was looked at
	}
	return v, ctx.Err()
}

// walk appends the files below a folder that are told of to paths. A pass watches each folder before it is read, so that nothing
// happens unseen between the two.
func (s *Store) walk(ctx context.Context, v *sight, folder string, paths []string) ([]string, error) {
	if folder != "" {
		st, err := lstamp(s.real(folder))
		switch {
		case err != nil && !isGone(err):
			v.unsure.folders[folder] = true
			return paths, nil
		case err != nil, !st.isFolder(), s.real(folder) == s.dataFolder, v.rules.Ignored(folder, true):
			return paths, nil
		}
	}
	v.enter(folder)
	options := ignore.WalkOptions{Start: folder, Matcher: v.rules, SkipIgnored: true, Problem: func(rel string, _ error) {
		if st, err := lstamp(s.real(rel)); err == nil && st.isFolder() {
			v.unsure.folders[rel] = true
		}
	}}
	err := ignore.Walk(ctx, s.root, options, func(e ignore.Entry) error {
		switch {
		case e.Kind == ignore.Folder && s.isClosed():
			return errClosed
		case e.Kind == ignore.Folder && s.real(e.Rel) == s.dataFolder:
			return fs.SkipDir
		case e.Kind == ignore.Folder:
			v.enter(e.Rel)
			return nil
		case e.Dir.Type()&fs.ModeSymlink != 0:
			v.links[e.Rel] = true
		}
		if e.Kind == ignore.File && !staged.Is(e.Dir.Name()) {
			paths = append(paths, e.Rel)
		}
		return nil
	})
	if err != nil && folder != "" && ctx.Err() == nil && !s.isClosed() {
		if !isGone(err) {
			v.unsure.folders[folder] = true
		}
		err = nil
	}
	return paths, err
}

// isTold does for a single name what walk does for all.
func (s *Store) isTold(v *sight, rel string) bool {
	if isHidden(rel) || v.rules.Ignored(rel, false) {
		return false
	}
	st, err := lstamp(s.real(rel))
	switch {
	case err != nil:
		if !isGone(err) {
			v.unsure.names[rel] = true
		}
		return false
	case !st.isLink():
		return st.isRegular()
	}
	v.links[rel] = true
	target, err := contain.Resolve(s.root, rel)
	if err != nil {
		return false
	}
	st, err = lstamp(target.Real)
	return err == nil && st.isRegular()
}

// stat takes what is a file at these paths into the sight.
func (s *Store) stat(v *sight, paths []string, workers int) {
	type seen struct {
		stamp stamp
		names uint64
	}
	all := make([]seen, len(paths))
	workers = min(workers, 1+len(paths)/256)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(paths) && !s.isClosed(); i += workers {
				if st, names, err := followedNames(s.real(paths[i])); err == nil && st.isRegular() {
					all[i] = seen{st, names}
				}
			}
		})
	}
	group.Wait()
	for i, rel := range paths {
		if all[i].names == 0 {
			continue
		}
		v.files[rel] = all[i].stamp
		if all[i].names > 1 {
			v.hard[rel] = true
		}
	}
}

// twins lists the files that are known to be the same as one that was found to have further names now: a second name that was given, or
// written through, leaves no trace at the first.
func (s *Store) twins(v *sight, todo places) []string {
	wanted := map[fileID]bool{}
	for rel := range v.hard {
		if !s.watch.hard[rel] {
			wanted[v.files[rel].id()] = true
		}
	}
	if len(wanted) == 0 || todo.isWhole() {
		return nil
	}
	var twins []string
	for rel, known := range s.snapshot.files {
		if _, seen := v.files[rel]; !seen && wanted[known.stamp.id()] {
			twins = append(twins, rel)
		}
	}
	return twins
}
