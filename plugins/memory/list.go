package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/serena-go/serena/sdk"
)

type listMemoriesParams struct {
	Topic string `json:"topic" default:"''" doc:"only memories under this topic, such as auth or global"`
}

// MemoryList is the names of memories.
type MemoryList struct {
	Memories         []string `json:"memories" items:"true" doc:"those that may be changed, sorted"`
	ReadOnlyMemories []string `json:"read_only_memories" doc:"those that may be read only, sorted"`
	Complete         bool     `json:"complete" doc:"False if not all could be looked at: see notes"`
	Notes            []string `json:"notes" doc:"what was left out, and why nothing was found"`
}

// TypeDoc documents the type for `info`.
func (MemoryList) TypeDoc() string {
	return "The names of memories. Shown as JSON, without empty lists."
}

// RenderText is the lists as JSON.
func (l MemoryList) RenderText(sdk.Policy) string {
	var lists []string
	for _, list := range []struct {
		name  string
		names []string
	}{{"memories", l.Memories}, {"read_only_memories", l.ReadOnlyMemories}} {
		if len(list.names) > 0 {
			lists = append(lists, quote(list.name)+": ["+strings.Join(mapped(list.names, quote), ", ")+"]")
		}
	}
	text := "{" + strings.Join(lists, ", ") + "}"
	for _, n := range l.Notes {
		text += "\nnote: " + n
	}
	return text
}

func mapped(list []string, by func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = by(s)
	}
	return out
}

// quote writes a string as JSON that a model reads: nothing is escaped but what must be.
func quote(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string, to memory
	return strings.TrimSuffix(out.String(), "\n")
}

func listMemories(ctx context.Context, call *sdk.Call, p listMemoriesParams) (MemoryList, error) {
	topic, err := parseTopic(p.Topic)
	if err != nil {
		return MemoryList{}, err
	}
	s, err := open(call)
	if err != nil {
		return MemoryList{}, err
	}
	found, err := s.visible(ctx)
	if err != nil {
		return MemoryList{}, err
	}
	l := MemoryList{Memories: []string{}, ReadOnlyMemories: []string{}, Complete: found.complete, Notes: append([]string{}, found.notes...)}
	for _, name := range found.names {
		if topic != "" && name != topic && !strings.HasPrefix(name, topic+"/") {
			continue
		}
		_, readOnly, err := s.readOnly.match(ctx, name)
		switch {
		case err != nil:
			return MemoryList{}, err
		case readOnly:
			l.ReadOnlyMemories = append(l.ReadOnlyMemories, name)
		default:
			l.Memories = append(l.Memories, name)
		}
	}
	switch {
	case len(l.Memories)+len(l.ReadOnlyMemories) > 0:
	case len(found.names) == 0:
		l.Notes = append(l.Notes, "there are no memories yet; onboarding tells how to write the first ones")
	default:
		l.Notes = append(l.Notes, fmt.Sprintf("there is no memory under %q%s", topic, topics(found.names)))
	}
	return l, nil
}

// topics says which first parts the names have.
func topics(names []string) string {
	var all []string
	for _, n := range names {
		if first, _, ok := strings.Cut(n, "/"); ok && !slices.Contains(all, first) {
			all = append(all, first)
		}
	}
	if len(all) == 0 {
		return "; none has a topic"
	}
	return "; the topics are " + named(all)
}
