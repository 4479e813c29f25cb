package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/serena-go/serena/sdk"
)

// SetPluginEnabled writes `plugins: NAME: enabled:` into a global configuration file and reports whether it had to. Everything else stays as it is
// written, comments and layout included. What cannot be edited like that is refused with what to write by hand, and no byte
// changes. A missing file is made.
func SetPluginEnabled(file, name string, on bool) (changed bool, err error) {
	err = rewrite(file, func(data []byte) ([]byte, error) {
		edited, err := pluginEnabled(data, name, on)
		changed = err == nil && !bytes.Equal(edited, data)
		return edited, err
	})
	var own *sdk.Error
	if err != nil && !errors.As(err, &own) {
		err = sdk.Errorf(sdk.KindValue, "%s was not changed: %s; write %q there yourself", file, strings.TrimPrefix(err.Error(), ", "), fmt.Sprintf("plugins: {%s: {enabled: %v}}", name, on))
	}
	return changed && err == nil, err
}

// pluginEnabled edits the text of a configuration, and checks that it then says what it said before and this.
func pluginEnabled(data []byte, name string, on bool) ([]byte, error) {
	before := &Document{}
	if err := before.parse(bytes.TrimPrefix(data, bom)); err != nil {
		return nil, err
	}
	wanted := map[string]any{}
	if v, ok := before.values[keyPlugins]; ok && !v.IsNull() {
		all, isMap := v.raw.(map[string]any)
		if !isMap {
			return nil, v.Wrong("a mapping of plugins' names to what is said of each")
		}
		wanted = maps.Clone(all)
	}
	entry := map[string]any{}
	if said, isMap := wanted[name].(map[string]any); isMap {
		entry = maps.Clone(said)
	} else if wanted[name] != nil {
		return nil, fmt.Errorf("what it says of the plugin %s is no mapping", name)
	}
	if was, said := entry[keyPluginEnabled].(bool); said && was == on {
		return data, nil
	}
	entry[keyPluginEnabled] = on
	wanted[name] = entry

	edited, err := insertEnabled(data, name, on)
	if err != nil {
		return nil, err
	}
	after := &Document{}
	if after.parse(bytes.TrimPrefix(edited, bom)) != nil || !after.differsOnlyIn(before, wanted) {
		return nil, errors.New("its layout is not one that can be edited safely")
	}
	return edited, nil
}

// differsOnlyIn reports whether d is old with these plugins.
func (d *Document) differsOnlyIn(old *Document, plugins map[string]any) bool {
	want := map[string]any{keyPlugins: any(plugins)}
	for key, v := range old.values {
		if key != keyPlugins {
			want[key] = v.raw
		}
	}
	got := map[string]any{}
	for key, v := range d.values {
		got[key] = v.raw
	}
	return reflect.DeepEqual(got, want) && len(d.keys) == len(got)
}

var bom = []byte("\ufeff")

// insertEnabled makes the edit where the parser says that it belongs.
func insertEnabled(data []byte, name string, on bool) ([]byte, error) {
	body, err := mapping(data)
	if err != nil {
		return nil, err
	}
	t := newYAMLText(data)
	said := fmt.Sprintf("enabled: %v", on)
	plugins := find(body, keyPlugins)
	if plugins == nil {
		return t.appendLines("plugins:", "  "+name+":", "    "+said), nil
	}
	entry := find(plugins.Value, name)
	if entry == nil {
		return t.addEntry(plugins, name, said)
	}
	enabled := find(entry.Value, keyPluginEnabled)
	if enabled == nil {
		return t.addEntry(entry, "", said)
	}
	return t.replaceScalar(enabled, fmt.Sprint(on))
}

// mapping returns the top level of a document; nil when there is none.
func mapping(data []byte) (ast.Node, error) {
	file, err := parseYAML(bytes.TrimPrefix(data, bom))
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if body, ok := doc.Body.(*ast.MappingNode); ok {
			return body, nil
		}
	}
	return nil, nil
}

// find returns the entry of a mapping; nil when the node is none or has none.
func find(node ast.Node, key string) *ast.MappingValueNode {
	all, ok := node.(*ast.MappingNode)
	if !ok || all == nil {
		return nil
	}
	for _, v := range all.Values {
		if v.Key.GetToken().Value == key {
			return v
		}
	}
	return nil
}

// yamlText is a document as lines, each with its end.
type yamlText struct {
	lines   []string
	newline string
}

func newYAMLText(data []byte) *yamlText {
	t := &yamlText{lines: strings.SplitAfter(string(data), "\n"), newline: "\n"}
	if n := len(t.lines); t.lines[n-1] == "" {
		t.lines = t.lines[:n-1]
	}
	if len(t.lines) > 0 && strings.HasSuffix(t.lines[0], "\r\n") {
		t.newline = "\r\n"
	}
	return t
}

func (t *yamlText) bytes() []byte { return []byte(strings.Join(t.lines, "")) }

// insertLines puts lines after the first n.
func (t *yamlText) insertLines(n int, lines ...string) []byte {
	head := strings.Join(t.lines[:n], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += t.newline
	}
	return []byte(head + strings.Join(lines, t.newline) + t.newline + strings.Join(t.lines[n:], ""))
}

func (t *yamlText) appendLines(lines ...string) []byte { return t.insertLines(len(t.lines), lines...) }

// addEntry adds what is said to the mapping that is the value of an entry, below a key of its own unless it is empty.
func (t *yamlText) addEntry(parent *ast.MappingValueNode, key, said string) ([]byte, error) {
	at := parent.Key.GetToken().Position
	flow := said
	if key != "" {
		flow = key + ": {" + said + "}"
	}
	block := func(column int) []string {
		indent := strings.Repeat(" ", column-1)
		if key == "" {
			return []string{indent + said}
		}
		return []string{indent + key + ":", indent + "  " + said}
	}
	switch value := parent.Value.(type) {
	case *ast.NullNode:
		if t.blankAfterKey(parent) {
			return t.insertLines(at.Line, block(at.Column+2)...), nil
		}
		return t.splice(value.GetToken().Position.Line, value.GetToken().Position.Column, len([]rune(value.GetToken().Value)), "{"+flow+"}")
	case *ast.MappingNode:
		if value.IsFlowStyle {
			if len(value.Values) > 0 {
				flow += ", "
			}
			return t.splice(value.Start.Position.Line, value.Start.Position.Column+1, 0, flow)
		}
		return t.insertLines(at.Line, block(value.Values[0].Key.GetToken().Position.Column)...), nil
	}
	return nil, fmt.Errorf("line %d is no mapping that can be edited", at.Line)
}

// replaceScalar puts text in the place of an entry's value.
func (t *yamlText) replaceScalar(entry *ast.MappingValueNode, text string) ([]byte, error) {
	if t.blankAfterKey(entry) {
		at := entry.Start.Position // the colon
		return t.splice(at.Line, at.Column+1, 0, " "+text)
	}
	token := entry.Value.GetToken()
	return t.splice(token.Position.Line, token.Position.Column, len([]rune(token.Value)), text)
}

// blankAfterKey reports whether an entry has no value at all.
func (t *yamlText) blankAfterKey(entry *ast.MappingValueNode) bool {
	if _, isNull := entry.Value.(*ast.NullNode); !isNull {
		return false
	}
	at := entry.Start.Position
	if at.Line > len(t.lines) {
		return false
	}
	rest := []rune(t.line(at.Line))
	if at.Column > len(rest) {
		return true
	}
	text := strings.TrimSpace(string(rest[at.Column:]))
	return text == "" || text[0] == '#'
}

// line returns the line of that number, 1-based, without a byte order mark.
func (t *yamlText) line(n int) string { return strings.TrimPrefix(t.lines[n-1], string(bom)) }

// splice replaces n runes at a line and column, both 1-based.
func (t *yamlText) splice(line, column, n int, text string) ([]byte, error) {
	if line < 1 || line > len(t.lines) {
		return nil, errors.New("it has no such line")
	}
	runes := []rune(t.line(line))
	if column < 1 || column-1+n > len(runes) {
		return nil, errors.New("it has no such column")
	}
	mark := strings.TrimSuffix(t.lines[line-1], t.line(line))
	t.lines[line-1] = mark + string(runes[:column-1]) + text + string(runes[column-1+n:])
	return t.bytes(), nil
}
