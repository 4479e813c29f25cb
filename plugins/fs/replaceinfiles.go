package fs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/sdk"
)

type replaceInFilesParams struct {
	Needle         string          `json:"needle" doc:"text or regular expression to find"`
	Repl           string          `json:"repl" doc:"replacement, taken as it is but for $!1, $!2, … in mode \"regex\""`
	Mode           replace.Mode    `json:"mode" doc:"how the needle is meant"`
	RelativePath   string          `json:"relative_path" default:"''" doc:"folder or file to look in, relative to the project root"`
	Include        string          `json:"paths_include_glob" default:"''" doc:"only files whose path from the project root fits, such as src/**/*.ts"`
	Exclude        string          `json:"paths_exclude_glob" default:"''" doc:"no files whose path fits, whatever the include glob says"`
	DryRun         bool            `json:"dry_run" default:"False" doc:"list the occurrences and write nothing"`
	OccurrenceIDs  *[]string       `json:"occurrence_ids" default:"None" doc:"replace only these, by their ids from a dry run; None: all"`
	ExpectedCount  int             `json:"expected_count" default:"-1" doc:"without occurrence_ids: write nothing unless there are this many matches; -1: any number"`
	MaxAnswerChars sdk.AnswerLimit `json:"max_answer_chars"`
}

// replacedOrListed is a dry run's listing, or what was done.
type replacedOrListed = sdk.Either[ReplacementPreview, string]

func replaceInFiles(ctx context.Context, call *sdk.Call, p replaceInFilesParams) (replacedOrListed, error) {
	var none replacedOrListed
	run, choice, err := p.prepare(call)
	if err != nil {
		return none, err
	}
	if !p.DryRun {
		release, err := turnsOf(choice.project).takeAll(ctx)
		if err != nil {
			return none, err
		}
		defer release()
	}
	if err := run.over(ctx, choice); err != nil {
		return none, err
	}
	if run.count() == 0 && !p.DryRun && p.OccurrenceIDs == nil {
		return none, run.nothing(ctx, choice)
	}
	listing := run.preview(choice)
	if missing := run.keep(p.OccurrenceIDs); len(missing) > 0 {
		return none, p.refused(sdk.KindStale, listing, "unknown or stale: "+named(missing)+"; take the ids from this list")
	}
	if p.OccurrenceIDs == nil && p.ExpectedCount >= 0 && p.ExpectedCount != run.count() {
		mismatch := fmt.Sprintf("expected_count is %d, but this found %s", p.ExpectedCount, listing.total())
		if !p.DryRun {
			return none, p.refused(sdk.KindValue, listing, mismatch+"; choose among them by occurrence_ids, or correct the count")
		}
		listing.Notes = append(listing.Notes, mismatch)
	}
	if p.DryRun {
		if p.OccurrenceIDs != nil {
			listing = run.preview(choice)
		}
		return sdk.First[ReplacementPreview, string](listing), nil
	}
	if ambiguous := run.ambiguous(); p.OccurrenceIDs == nil && len(ambiguous) > 0 {
		err := p.refused(sdk.KindValue, listing, "ambiguous, since the pattern matches again inside: "+named(ambiguous)+
			"; let the needle begin with text that occurs once up to its end, or choose by occurrence_ids")
		err.Listing = false // not one of those that a classic tool answers
		return none, err
	}
	done, err := run.write(ctx, call, choice, int(p.MaxAnswerChars))
	return sdk.Second[ReplacementPreview](done), err
}

// prepare checks all that can be checked without reading a file.
func (p replaceInFilesParams) prepare(call *sdk.Call) (*replaceRun, *selection, error) {
	project, err := call.Project()
	if err != nil {
		return nil, nil, err
	}
	if err := checkLimit(p.MaxAnswerChars); err != nil {
		return nil, nil, err
	}
	switch {
	case p.ExpectedCount < -1:
		return nil, nil, sdk.Errorf(sdk.KindValue, "expected_count is a number of matches, or -1 for any number, not %d", p.ExpectedCount)
	case p.OccurrenceIDs != nil && len(*p.OccurrenceIDs) == 0:
		return nil, nil, sdk.Errorf(sdk.KindValue, "occurrence_ids is empty, so that nothing would be replaced: give ids from a dry run, or None for all occurrences")
	}
	needle, err := replace.Compile(replace.Request{Needle: p.Needle, Repl: p.Repl, Regex: p.Mode == replace.Regex})
	if err != nil {
		return nil, nil, sdk.Errorf(sdk.KindValue, "%w", err)
	}
	enc, err := encodingOf(project)
	if err != nil {
		return nil, nil, err
	}
	choice, err := newSelection(project, searchParams{RelativePath: p.RelativePath, Include: p.Include, Exclude: p.Exclude, SkipIgnored: true},
		"a folder or file named by relative_path is taken even if it is ignored")
	if err != nil {
		return nil, nil, err
	}
	return &replaceRun{needle: needle, encoding: enc, progress: call.Progress, buffers: sync.Pool{New: func() any { return new(fileBuffer) }}}, choice, nil
}

// refused is an error that holds the listing, in words as well as for a program.
func (p replaceInFilesParams) refused(kind string, listing ReplacementPreview, why string) *sdk.Error {
	limit, _ := json.Marshal(p.MaxAnswerChars) // a number
	return sdk.ListingErrorf(kind, listing, "nothing was changed: %s\n%s", why, listing.RenderText(sdk.Policy{"max_answer_chars": limit}))
}

// nothing explains why there is nothing to replace.
func (r *replaceRun) nothing(ctx context.Context, choice *selection) error {
	why := choice.whyNothing(r.searched)
	if choice.isFile && r.searched == 1 {
		if file, err := readText(choice.project, choice.base.Rel); err == nil {
			why = fmt.Sprintf("%s: %v", file.path.Rel, r.needle.NotFound(ctx, file.text.Text))
		}
	}
	return sdk.Errorf(sdk.KindValue, "%s", withNotes("nothing was replaced: "+why, r.notes(choice)))
}

// keep drops the occurrences that were not chosen; nil chooses all. If there are none for some of the ids it returns those and
// drops nothing.
func (r *replaceRun) keep(ids *[]string) (missing []string) {
	if ids == nil {
		return nil
	}
	there, chosen := map[string]bool{}, map[string]bool{}
	for _, f := range r.files {
		for _, o := range f.found {
			there[o.OccurrenceID] = true
		}
	}
	for _, id := range *ids {
		if !there[id] && !chosen[id] {
			missing = append(missing, strconv.Quote(id))
		}
		chosen[id] = true
	}
	if len(missing) > 0 {
		return missing
	}
	for i := range r.files {
		f := &r.files[i]
		f.found = slices.DeleteFunc(f.found, func(o located) bool { return !chosen[o.OccurrenceID] })
	}
	r.files = slices.DeleteFunc(r.files, func(f replacedFile) bool { return len(f.found) == 0 })
	return nil
}

func (r *replaceRun) ambiguous() []string {
	var ids []string
	for _, f := range r.files {
		for _, o := range f.found {
			if o.IsAmbiguous {
				ids = append(ids, o.OccurrenceID)
			}
		}
	}
	return ids
}

// write replaces what was kept, in all files or in none, and says what was done in at most limit characters.
func (r *replaceRun) write(ctx context.Context, call *sdk.Call, choice *selection, limit int) (string, error) {
	var changes []sdk.Change
	for _, f := range r.files {
		var edits []sdk.ByteEdit
		for _, o := range f.found {
			if o.fault != nil {
				return "", o.fault
			}
			edits = append(edits, o.edits...)
		}
		if len(edits) > 0 {
			changes = append(changes, sdk.EditFile(f.rel, f.base, edits...))
		}
	}
	result := r.preview(choice)
	if len(changes) == 0 {
		return withNotes("OK (nothing changed: the text already reads as the replacement)", result.Notes), nil
	}
	if _, err := call.WriteFiles(ctx, changes...); err != nil {
		return "", err
	}
	return result.summary(min(limit, maxRendered)), nil
}
