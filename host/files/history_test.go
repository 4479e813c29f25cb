package files

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestHistory_tells_each_path_once_with_its_last_state(t *testing.T) {
	t.Parallel()
	h := newHistory()
	for i, batch := range [][]sdk.FileChange{
		{{Path: "new", Kind: sdk.Created}, {Path: "old", Kind: sdk.Changed}, {Path: "brief", Kind: sdk.Created}}, // 2
		{{Path: "new", Kind: sdk.Changed}, {Path: "gone", Kind: sdk.Deleted}, {Path: "back", Kind: sdk.Deleted}}, // 3
		{}, // 4
		{{Path: "back", Kind: sdk.Created}, {Path: "brief", Kind: sdk.Deleted}}, // 5
	} {
		if got := h.add(batch); got != uint64(i+2) {
			t.Fatalf("number is %d", got)
		}
	}
	for since, want := range map[uint64][]sdk.FileChange{
		0: nil,
		1: {{Path: "old", Kind: sdk.Changed}, {Path: "gone", Kind: sdk.Deleted}, {Path: "new", Kind: sdk.Created}, {Path: "back", Kind: sdk.Changed}, {Path: "brief", Kind: sdk.Deleted}},
		2: {{Path: "gone", Kind: sdk.Deleted}, {Path: "new", Kind: sdk.Changed}, {Path: "back", Kind: sdk.Changed}, {Path: "brief", Kind: sdk.Deleted}},
		3: {{Path: "back", Kind: sdk.Created}, {Path: "brief", Kind: sdk.Deleted}},
		4: {{Path: "back", Kind: sdk.Created}, {Path: "brief", Kind: sdk.Deleted}},
		5: nil,
	} {
		if got := h.since(since); !reflect.DeepEqual(got, sdk.Changes{Last: 5, Files: want}) {
			t.Errorf("since %d: got %+v", since, got)
		}
	}
	if got := h.since(6); !reflect.DeepEqual(got, sdk.Changes{Last: 5, Reset: true}) {
		t.Errorf("a number of the future: got %+v", got)
	}
	h.forget()
	if got := h.since(5); !reflect.DeepEqual(got, sdk.Changes{Last: 6, Reset: true}) {
		t.Errorf("forgotten: got %+v", got)
	}
}

func TestHistory_forgets_the_oldest_of_too_many(t *testing.T) {
	t.Parallel()
	h := newHistory()
	for i := range maxTold + 1 {
		h.add([]sdk.FileChange{{Path: fmt.Sprint(i), Kind: sdk.Created}})
	}
	last := uint64(maxTold + 2)
	if got := h.since(last - maxTold/2); got.Reset || len(got.Files) != maxTold/2 || got.Last != last {
		t.Errorf("what is kept: reset %v, %d files, last %d", got.Reset, len(got.Files), got.Last)
	}
	if got := h.since(last - maxTold/2 - 1); !got.Reset || got.Files != nil {
		t.Errorf("what is forgotten: reset %v, %d files", got.Reset, len(got.Files))
	}
	var all []sdk.FileChange
	for i := range maxTold + 1 {
		all = append(all, sdk.FileChange{Path: fmt.Sprint("x", i), Kind: sdk.Changed})
	}
	number := h.add(all)
	if got := h.since(number - 1); !got.Reset {
		t.Errorf("more at once than is kept: %d files", len(got.Files))
	}
	for i := range 3 * maxTurns {
		h.add([]sdk.FileChange{{Path: "on and off", Kind: []sdk.ChangeKind{sdk.Created, sdk.Deleted}[i%2]}})
	}
	if got := h.since(number + 3*maxTurns - 1); !reflect.DeepEqual(got.Files, []sdk.FileChange{{Path: "on and off", Kind: sdk.Deleted}}) {
		t.Errorf("got %+v", got)
	}
	if got := len(h.files["on and off"].turns); got != maxTurns {
		t.Errorf("%d turns are kept", got)
	}
}
