// Command plugin-todo is a serena plugin: the facade `todo` keeps a project's to-do list, one `- [ ] !!1 text` a line of TODO.md.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/serena-go/serena/sdk"
)

func main() { sdk.Serve(Plugin) }

// Plugin is the whole declaration. Open checks the settings, so that a mistake in them is told before the first call does anything.
var Plugin = sdk.Plugin{
	Name: "todo", Version: "1.0.0",
	Open: func(_ context.Context, p *sdk.Project) error { _, err := settingsOf(p); return err },
	Facades: []sdk.Facade{{Name: "todo", Summary: "the project's to-do list", Methods: []sdk.Method{
		sdk.NewMethod("items", items, "Lists the open items, most urgent first.\n\nIndices are 0-based and count all items, in the order of the file.",
			sdk.Tool("list_todos"), sdk.Example(`todo.items()`), sdk.Example(`todo.items(min_priority=1)`)),
		sdk.NewMethod("add", add, "Adds an item at the end of the list.\n\nThe file is made when there is none.",
			sdk.Tool("add_todo"), sdk.CanEdit(), sdk.Example(`todo.add("write the guide", priority=2)`)),
		sdk.NewMethod("finish", finish, "Marks an item as done.\n\nIt stays in the file; an index that is no open item is an error and changes nothing.", sdk.CanEdit()),
		sdk.NewMethod("clear", clear, "Deletes the list.\n\nThe whole file goes, finished items and notes included.", sdk.CanEdit(), sdk.Optional()),
		sdk.NewMethod("count", count, "Counts open and finished items.\n\nA line that is no item is not counted.", sdk.Niche(), sdk.Example(`todo.count()`)),
	}}},
}

// Priority is an enum: an IntEnum in Python.
type Priority int

func (Priority) EnumMembers() []sdk.EnumMember {
	return []sdk.EnumMember{{Name: "LOW", Value: 0}, {Name: "NORMAL", Value: 1}, {Name: "HIGH", Value: 2}}
}

// Item is a record: a plain data object in Python.
type Item struct {
	Index    int      `json:"index" doc:"0-based, among all items of the file"`
	Text     string   `json:"text"`
	Priority Priority `json:"priority"`
	Done     bool     `json:"done"`
}

func (Item) TypeDoc() string { return "One item of the list." }

// Settings are the keys below `plugins: todo:` in serena's configuration.
type Settings struct {
	File string `json:"file"` // relative to the project root
}

func settingsOf(p *sdk.Project) (Settings, error) {
	s := Settings{File: "TODO.md"}
	return s, p.PluginSettings(&s)
}

var line = regexp.MustCompile(`(?m)^- \[([ x])\] !!([0-2]) (.*)$`)

// list is the file as it was read: an edit is based on just these bytes, or it is refused.
type list struct {
	settings Settings
	base     sdk.Base
	content  []byte
	items    []Item
	places   []int // of each item's mark in content, in bytes
}

func read(call *sdk.Call) (l list, err error) {
	p, err := call.Project()
	if err != nil {
		return l, err
	}
	if l.settings, err = settingsOf(p); err != nil {
		return l, err
	}
	l.content, err = fs.ReadFile(os.DirFS(p.Root), l.settings.File) // never outside the project
	if l.base = sdk.BaseOf(l.content); errors.Is(err, fs.ErrNotExist) {
		l.base, err = sdk.Absent, nil
	}
	for i, m := range line.FindAllSubmatchIndex(l.content, -1) {
		l.places = append(l.places, m[2])
		l.items = append(l.items, Item{i, string(l.content[m[6]:m[7]]), Priority(l.content[m[4]] - '0'), l.content[m[2]] == 'x'})
	}
	return l, err
}

func items(_ context.Context, call *sdk.Call, p struct {
	MinPriority Priority `json:"min_priority" default:"0" doc:"leaves out what is less urgent"`
}) ([]Item, error) {
	l, err := read(call)
	open := slices.DeleteFunc(l.items, func(i Item) bool { return i.Done || i.Priority < p.MinPriority })
	slices.SortStableFunc(open, func(a, b Item) int { return cmp.Compare(b.Priority, a.Priority) })
	return open, err
}

func add(ctx context.Context, call *sdk.Call, p struct {
	Text     string   `json:"text" doc:"one line"`
	Priority Priority `json:"priority" default:"1"`
}) (Item, error) {
	l, err := read(call)
	if err != nil {
		return Item{}, err
	}
	if strings.ContainsAny(p.Text, "\r\n") || strings.TrimSpace(p.Text) == "" {
		return Item{}, sdk.Errorf(sdk.KindValue, "todo.add: text must be one line that is not empty, not %q", p.Text)
	}
	if len(l.content) > 0 && !bytes.HasSuffix(l.content, []byte("\n")) {
		l.content = append(l.content, '\n')
	}
	l.content = fmt.Appendf(l.content, "- [ ] !!%d %s\n", p.Priority, p.Text)
	_, err = call.WriteFiles(ctx, sdk.WriteFile(l.settings.File, l.base, l.content))
	return Item{Index: len(l.items), Text: p.Text, Priority: p.Priority}, err
}

func finish(ctx context.Context, call *sdk.Call, p struct {
	Index int `json:"index"`
}) (string, error) {
	l, err := read(call)
	if err == nil && (p.Index < 0 || p.Index >= len(l.items) || l.items[p.Index].Done) {
		err = sdk.Errorf(sdk.KindLookup, "todo.finish: %d is no open item; todo.items() lists them", p.Index)
	}
	if err != nil {
		return "", err
	}
	mark := sdk.ByteEdit{Start: l.places[p.Index], End: l.places[p.Index] + 1, Text: []byte("x")}
	_, err = call.WriteFiles(ctx, sdk.EditFile(l.settings.File, l.base, mark))
	return "OK", err
}

func clear(ctx context.Context, call *sdk.Call, _ struct{}) (string, error) {
	l, err := read(call)
	if err != nil || l.base == sdk.Absent {
		return "OK", err
	}
	_, err = call.WriteFiles(ctx, sdk.DeleteFile(l.settings.File, l.base))
	return "OK", err
}

func count(_ context.Context, call *sdk.Call, _ struct{}) (map[string]int, error) {
	l, err := read(call)
	open := len(slices.DeleteFunc(slices.Clone(l.items), func(i Item) bool { return i.Done }))
	return map[string]int{"open": open, "done": len(l.items) - open}, err
}
