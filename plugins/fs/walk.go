package fs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/ignore"
	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// found is what a walk meets.
type found struct {
	rel     string // relative to the project root
	real    string // what to open
	folder  bool   // a folder, or a link to one, which is not entered
	regular bool   // a regular file, or a link to one
	hidden  bool   // a link to a file that no walk meets
}

type walkOptions struct {
	skipGitIgnored bool     // leave out what git ignores
	flat           bool     // only what is in the folder itself
	under          []string // folders that neither hold one of these nor lie in it are not entered; none for all
}

// walkReport is what a walk could not look at or left out.
type walkReport struct {
	ignored  bool                               // something was left out since git ignores it
	hidden   func(rel string, folder bool) bool // whether the settings leave something out of all walks
	outside  []string                           // links that lead out of the project or nowhere
	problems []string                           // folders and ignore files that cannot be read
}

func (r walkReport) notes() []string {
	var all []string
	if len(r.problems) > 0 {
		all = append(all, "cannot be read: "+named(r.problems))
	}
	if len(r.outside) > 0 {
		all = append(all, "links that lead out of the project or nowhere, left out: "+named(r.outside))
	}
	return all
}

// walk meets all that lies in a folder, in the order of the names. What the setting ignored_paths names, ".git" and the data
// folder are never met, unless the walk starts there.
func walk(ctx context.Context, p *sdk.Project, base contain.Path, o walkOptions, visit func(found) error) (walkReport, error) {
	settings, err := p.DecodeSettings()
	if err != nil {
		return walkReport{}, sdk.Errorf(sdk.KindRuntime, "the project's settings cannot be read: %w", err)
	}
	w := &walker{base: base.Rel, options: o, visit: visit, allowed: allowed(p)}
	if w.root, w.start, err = placeOf(p, base); err != nil {
		return walkReport{}, fileError(base.Rel, err)
	}
	if real, err := filepath.EvalSymlinks(p.DataFolder); err == nil && p.DataFolder != "" {
		w.dataFolder, _ = relativeTo(w.root, real)
	}
	matcher, err := ignore.New(w.root, settings.IgnoredPaths...)
	if err != nil {
		return walkReport{}, fileError(base.Rel, err)
	}
	w.matcher, w.report.hidden = matcher, matcher.Hidden
	err = ignore.Walk(ctx, w.root, ignore.WalkOptions{
		Start: w.start, Matcher: matcher, Problem: w.problem, Enter: w.enters, Ahead: runtime.GOMAXPROCS(0),
	}, w.meet)
	for _, problem := range matcher.Problems() {
		name := "an ignore file"
		if at := (*fs.PathError)(nil); errors.As(problem, &at) {
			if rel, ok := relativeTo(w.root, at.Path); ok {
				name = w.shown(rel)
			}
		}
		w.report.problems = append(w.report.problems, name)
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) { // the start itself
		return w.report, fileError(base.Rel, fmt.Errorf("the folder %q cannot be listed: %w", base.Rel, at.Err))
	}
	return w.report, err
}

// placeOf returns where a walk that begins at base takes place: a root, by which ignore rules are meant, and the start relative to it.
// The rules are about where things are, whatever links lead there.
func placeOf(p *sdk.Project, base contain.Path) (root, start string, err error) {
	root, err = filepath.EvalSymlinks(p.Root)
	if err != nil {
		return "", "", err
	}
	if start, ok := relativeTo(root, base.Real); ok {
		return root, start, nil
	}
	return base.Real, ".", nil // a data folder elsewhere
}

// relativeTo is a path relative to a folder that holds it, "/"-separated.
func relativeTo(folder, at string) (string, bool) {
	rel, err := filepath.Rel(folder, at)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// walker turns the entries of one walk into what is to be met.
type walker struct {
	root       string // absolute and real
	start      string // relative to root
	base       string // the start, as the caller named it
	dataFolder string // relative to root
	matcher    *ignore.Matcher
	options    walkOptions
	visit      func(found) error
	allowed    []contain.Option
	report     walkReport
}

// shown is a path relative to root as the caller would name it, by the name of the start.
func (w *walker) shown(rel string) string {
	if w.start == w.base {
		return rel
	}
	below, _ := relativeTo(w.start, rel) // which a walk does not leave
	return path.Join(w.base, below)
}

// problem is told of links that lead nowhere as well, which meet reports.
func (w *walker) problem(rel string, _ error) {
	info, err := os.Lstat(filepath.Join(w.root, rel))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		w.report.problems = append(w.report.problems, w.shown(rel))
	}
}

// leavesOut tells whether an entry is neither met nor entered.
func (w *walker) leavesOut(e ignore.Entry) bool {
	return staged.Is(e.Dir.Name()) || e.Ignored && w.options.skipGitIgnored || e.Kind == ignore.Folder && (e.Rel == w.dataFolder || !w.isUnder(w.shown(e.Rel)))
}

func (w *walker) isUnder(folder string) bool {
	return len(w.options.under) == 0 || slices.ContainsFunc(w.options.under, func(u string) bool { return related(folder, u) })
}

// enters tells whether what lies in a folder is met. It is called beside meet.
func (w *walker) enters(e ignore.Entry) bool { return !w.options.flat && !w.leavesOut(e) }

func (w *walker) meet(e ignore.Entry) error {
	if w.leavesOut(e) {
		w.report.ignored = w.report.ignored || e.Ignored && w.options.skipGitIgnored
		return nil
	}
	f := found{rel: w.shown(e.Rel), real: w.root + string(filepath.Separator) + filepath.FromSlash(e.Rel),
		folder: e.Kind == ignore.Folder, regular: e.Kind == ignore.File}
	if e.Kind == ignore.Symlink {
		at, err := contain.Resolve(w.root, e.Rel, w.allowed...)
		if err == nil {
			_, err = os.Stat(at.Real)
		}
		if err != nil {
			w.report.outside = append(w.report.outside, f.rel)
			return nil
		}
		f.folder = true
	}
	f.hidden = f.regular && e.Dir.Type()&fs.ModeSymlink != 0 && w.hides(f.real)
	return w.visit(f)
}

// hides tells whether the file that a link leads to is one that no walk meets.
func (w *walker) hides(link string) bool {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	rel, ok := relativeTo(w.root, real)
	return ok && (w.matcher.Hidden(rel, false) || w.dataFolder != "" && strings.HasPrefix(rel, w.dataFolder+"/"))
}

// related tells whether one of two folders holds the other, or they are the same.
func related(a, b string) bool {
	if b == "." {
		return true
	}
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}
