package fs

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

// replaceRun finds the occurrences of a needle in the files of a selection.
type replaceRun struct {
	needle   *replace.Needle
	encoding textenc.Encoding
	progress func(done, total float64, message string)

	buffers  sync.Pool      // of *fileBuffer
	files    []replacedFile // those with occurrences, in the selection's order
	searched int
	skipped  map[skip][]string
}

// replacedFile is a file with occurrences.
type replacedFile struct {
	rel, real string
	regular   bool
	base      sdk.Base
	found     []located
}

// located is an occurrence and what replaces it in the file's bytes.
type located struct {
	ReplacementOccurrence
	edits []sdk.ByteEdit // one or, where nothing changes, none
	fault error          // the replacement cannot be written
}

// leastListed is a lower bound of the bytes that an occurrence takes in a result's JSON.
const leastListed = 200

// over reads all chosen files in parallel. All that it starts ends before it returns.
func (r *replaceRun) over(ctx context.Context, choice *selection) error {
	var todo []replacedFile
	err := choice.each(ctx, func(f found) error {
		todo = append(todo, replacedFile{rel: f.rel, real: f.real, regular: f.regular})
		return nil
	})
	if err != nil {
		return err
	}
	var (
		done, size atomic.Int64
		mu         sync.Mutex
		whys       = make([]skip, len(todo))
	)
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range todo {
		if inGroup.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			if whys[i], err = r.find(inGroup, &todo[i]); err != nil {
				return patternError(todo[i].rel, err)
			}
			for _, o := range todo[i].found {
				if size.Add(int64(o.size())) > maxValueBytes {
					return errTooMany
				}
			}
			if n := done.Add(1); n%reportEvery == 0 {
				mu.Lock()
				defer mu.Unlock()
				r.progress(float64(n), float64(len(todo)), fmt.Sprintf("%d of %d files searched", n, len(todo)))
			}
			return nil
		})
	}
	err = group.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return sdk.Errorf(sdk.KindTimeout, "nothing was changed: the search did not end in time: narrow it by relative_path or a glob, or use a pattern without nested quantifiers")
	}
	if err != nil {
		return err
	}
	r.take(todo, whys)
	return nil
}

var errTooMany = sdk.Errorf(sdk.KindValue, "nothing was changed: there are more occurrences than one call can list or replace: narrow relative_path, the globs or the needle")

// take keeps the files with occurrences. What is reached by several names, through links, is taken once.
func (r *replaceRun) take(todo []replacedFile, whys []skip) {
	r.skipped = map[skip][]string{}
	taken := map[string]bool{}
	targets := make([]string, len(todo))
	for i, f := range todo {
		if whys[i] != notSkipped {
			r.skipped[whys[i]] = append(r.skipped[whys[i]], f.rel)
		}
		if whys[i] == notSkipped || whys[i] == partlyShown {
			r.searched++
		}
		if len(f.found) == 0 {
			continue
		}
		targets[i] = f.real
		if target, err := filepath.EvalSymlinks(f.real); err == nil {
			targets[i] = target
		}
		if targets[i] == f.real {
			taken[f.real] = true
		}
	}
	for i, f := range todo {
		if len(f.found) == 0 || targets[i] != f.real && taken[targets[i]] {
			continue
		}
		taken[targets[i]] = true
		r.files = append(r.files, f)
	}
}

// find fills in the occurrences in one file.
func (r *replaceRun) find(ctx context.Context, f *replacedFile) (skip, error) {
	buffer := r.buffers.Get().(*fileBuffer)
	defer r.buffers.Put(buffer)
	data, why := buffer.read(found{rel: f.rel, real: f.real, regular: f.regular}, r.encoding)
	if why != notSkipped {
		return why, nil
	}
	searched, _, ok := searchedText(r.encoding, data)
	if !ok {
		return undecoded, nil
	}
	if has, err := r.needle.In(ctx, searched); err != nil || !has {
		return notSkipped, err
	}
	text, err := decodeToSearch(r.encoding, data)
	if err != nil {
		return undecoded, nil
	}
	all, err := r.needle.Find(ctx, text.Text, maxValueBytes/leastListed+1)
	if err != nil || len(all) == 0 {
		return notSkipped, err
	}
	file := &textFile{path: contain.Path{Rel: f.rel}, data: bytes.Clone(data), text: text}
	f.base = sdk.BaseOf(data)
	count := lines.New(text.Text).Count()
	for _, o := range all {
		l := located{ReplacementOccurrence: newOccurrence(f.rel, o, count)}
		if o.Changes {
			l.edits, l.fault = file.bytes([]replace.Edit{o.Edit})
		}
		if l.foreign {
			why = partlyShown
		}
		f.found = append(f.found, l)
	}
	return why, nil
}

// occurrenceID names path, position and text of an occurrence. The number of the file's lines is part of it, so that a place to
// which other text of the same form has moved is not taken for the one that was there.
func occurrenceID(rel string, o replace.Occurrence, lineCount int) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "%d\x00%s\x00%s\x00%s", lineCount, lastBytes(o.Head), o.Matched, firstBytes(o.Tail))
	return fmt.Sprintf("%s:%d:%d@%s", rel, o.FirstLine, o.Column, hex.EncodeToString(sum.Sum(nil)[:4]))
}

// mostHashed bounds what counts of the rest of an occurrence's lines, which may be as long as a file.
const mostHashed = 200

func firstBytes(s string) string { return s[:min(len(s), mostHashed)] }
func lastBytes(s string) string  { return s[max(0, len(s)-mostHashed):] }

func (r *replaceRun) count() int {
	n := 0
	for _, f := range r.files {
		n += len(f.found)
	}
	return n
}

func (r *replaceRun) notes(choice *selection) []string {
	return append(skipNotes(r.skipped, r.encoding), choice.notes()...)
}

// preview lists what was found, or kept.
func (r *replaceRun) preview(choice *selection) ReplacementPreview {
	p := ReplacementPreview{Occurrences: []ReplacementOccurrence{}, AffectedFiles: []string{}, Notes: []string{},
		Complete: len(r.skipped[tooLarge])+len(r.skipped[unreadable])+len(choice.walked.problems) == 0}
	for _, f := range r.files {
		p.AffectedFiles = append(p.AffectedFiles, f.found[0].RelativePath)
		for _, o := range f.found {
			p.Occurrences = append(p.Occurrences, o.ReplacementOccurrence)
		}
	}
	if len(r.files) == 0 {
		p.Notes = append(p.Notes, choice.whyNothing(r.searched))
	}
	p.Notes = append(p.Notes, r.notes(choice)...)
	return p
}
