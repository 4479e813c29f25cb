package fs

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/internal/textenc"
)

// searchRun searches the files of a selection in parallel and puts the results together in the selection's order.
type searchRun struct {
	scan     *scanner
	progress func(done, total float64, message string)

	matches  []MatchedConsecutiveLines
	size     int // of matches, in a result's JSON
	searched int // files
	left     int // matches beyond what fits
	leftIn   int // files that hold them
	skipped  map[skip][]string
	enough   atomic.Bool // left is not 0
}

// job is one file on its way. done receives exactly one answer unless the run is given up.
type job struct {
	found
	done chan answer
}

// over runs one walker, GOMAXPROCS scanners and one collector. All of them end before it returns. The queues are short, so
// that memory holds few files that wait for an earlier, slower one.
func (r *searchRun) over(ctx context.Context, choice *selection) error {
	workers := runtime.GOMAXPROCS(0)
	group, ctx := errgroup.WithContext(ctx)
	todo, inOrder := make(chan job, queued*workers), make(chan job, 2*queued*workers)
	group.Go(func() error {
		defer close(todo)
		defer close(inOrder)
		return choice.each(ctx, func(f found) error {
			j := job{f, make(chan answer, 1)}
			for _, queue := range []chan job{inOrder, todo} {
				select {
				case queue <- j:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return nil
		})
	})
	for range workers {
		group.Go(func() error {
			var buffer fileBuffer
			for j := range todo {
				a, err := r.scan.scan(ctx, &buffer, j.found, r.enough.Load())
				if err != nil {
					return patternError(j.rel, err)
				}
				j.done <- a
			}
			return nil
		})
	}
	group.Go(func() error {
		r.skipped = map[skip][]string{}
		for j := range inOrder {
			select {
			case a := <-j.done:
				r.add(j.rel, a)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return group.Wait()
}

// queued is the number of files that wait for each scanner.
const queued = 16

// reportEvery is the number of files between two reports of progress.
const reportEvery = 1000

func (r *searchRun) add(rel string, a answer) {
	if a.why != notSkipped {
		r.skipped[a.why] = append(r.skipped[a.why], rel)
	}
	if a.why == notSkipped || a.why == partlyShown {
		r.searched++
	}
	if r.searched%reportEvery == 0 && r.searched > 0 {
		r.progress(float64(r.searched), 0, fmt.Sprintf("%d files searched", r.searched))
	}
	for i, m := range a.matches {
		if r.left > 0 || r.size+m.size() > maxValueBytes {
			a.left += len(a.matches) - i
			break
		}
		r.size += m.size()
		r.matches = append(r.matches, m)
	}
	if a.left > 0 {
		r.left += a.left
		r.leftIn++
		r.enough.Store(true)
	}
}

// result is what was found, and what there is to say of it.
func (r *searchRun) result(choice *selection) PatternMatches {
	p := PatternMatches{Matches: r.matches, Complete: r.left == 0 && len(r.skipped[tooLarge])+len(r.skipped[unreadable])+len(choice.walked.problems) == 0, Notes: []string{}}
	if p.Matches == nil {
		p.Matches = []MatchedConsecutiveLines{}
	}
	if r.left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("only the first %d matches fit here; %d more, in %s, are left out: narrow the search", len(r.matches), r.left, counted(r.leftIn, "file", "files")))
	}
	if len(r.matches) == 0 {
		p.Notes = append(p.Notes, choice.whyNothing(r.searched))
	}
	p.Notes = append(p.Notes, skipNotes(r.skipped, r.scan.encoding)...)
	p.Notes = append(p.Notes, choice.notes()...)
	return p
}

// skipNotes says which files were not searched, and why.
func skipNotes(skipped map[skip][]string, enc textenc.Encoding) []string {
	var notes []string
	for _, s := range []struct {
		why  skip
		text string
	}{
		{binary, "not searched, since binary"},
		{special, "not searched, since no regular files"},
		{tooLarge, fmt.Sprintf("not searched, since over %d MiB", maxSearchedBytes>>20)},
		{unreadable, "not searched, since unreadable"},
		{undecoded, "not searched, since not in the encoding " + enc.Name()},
		{partlyShown, "bytes that are no " + enc.Name() + " are shown as \ufffd in lines of"},
	} {
		if files := skipped[s.why]; len(files) > 0 {
			notes = append(notes, s.text+": "+named(files))
		}
	}
	return notes
}
