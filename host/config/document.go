package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/quoted"
)

// maxFileBytes is far above any configuration, and keeps a wrong path from filling the memory.
const maxFileBytes = 1 << 20

// Document is a YAML file that is a mapping, with its keys as they are written. The zero value is an empty one.
type Document struct {
	File   string // absolute path; "" for one that has no file
	keys   []string
	values map[string]Value
}

// FileError reports a configuration file that cannot be used.
type FileError struct {
	File string
	Line int // 1-based; 0 when the fault has no line
	Err  error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s cannot be read: %v; correct the file or remove it", e.File, e.Err)
	}
	return fmt.Sprintf("%s, line %d: %v; correct that line or the one before it", e.File, e.Line, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// ReadDocument reads a YAML file. One that is missing, empty or all comments is an empty Document. Errors are of type
// *FileError.
func ReadDocument(path string) (*Document, error) {
	doc := &Document{File: path}
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, nil
	}
	if err != nil {
		return nil, &FileError{File: path, Err: err}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := doc.parse(data); err != nil {
		return nil, err
	}
	return doc, nil
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("it has more than %d bytes", maxFileBytes)
	}
	return data, err
}

func (d *Document) parse(data []byte) error {
	file, err := parseYAML(data)
	if err != nil {
		return d.fault(err)
	}
	var body *ast.MappingNode
	for _, doc := range file.Docs { // directives are documents of their own
		switch node := doc.Body.(type) {
		case nil, *ast.DirectiveNode, *ast.CommentGroupNode, *ast.NullNode:
			continue
		case *ast.MappingNode:
			if body != nil {
				return &FileError{File: d.File, Line: node.GetToken().Position.Line, Err: errors.New("a second YAML document begins here, and a configuration is one")}
			}
			body = node
		default:
			return &FileError{File: d.File, Line: node.GetToken().Position.Line, Err: errors.New(`there is no key here: every setting is written "key: value"`)}
		}
	}
	if body == nil {
		return nil
	}
	var items yaml.MapSlice
	if err := yaml.NodeToValue(body, &items); err != nil {
		return d.fault(err)
	}
	if unfolded(items, mostUnfolded) < 0 {
		return &FileError{File: d.File, Err: errUnfolds}
	}
	lines := map[string]int{}
	for _, v := range body.Values {
		lines[v.Key.GetToken().Value] = v.Key.GetToken().Position.Line
	}
	d.values = map[string]Value{}
	for _, item := range items {
		key := fmt.Sprint(item.Key)
		d.keys = append(d.keys, key)
		where := d.File
		if line := lines[key]; line > 0 {
			where = fmt.Sprintf("%s, line %d", d.File, line)
		}
		d.values[key] = Value{Key: key, Where: where, raw: item.Value}
	}
	return nil
}

func (d *Document) fault(err error) error {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil {
		return &FileError{File: d.File, Line: y.GetToken().Position.Line, Err: errors.New(y.GetMessage())}
	}
	return &FileError{File: d.File, Err: err}
}

// Value returns what a key is set to, and whether it is there.
func (d *Document) Value(key string) (Value, bool) {
	v, ok := d.values[key]
	return v, ok
}

// UnknownKeys returns a note for each key that is not among those known, with the nearest that is.
func (d *Document) UnknownKeys(known []string) []string {
	const most = 10 // of these notes
	var notes []string
	unknown := 0
	for _, key := range d.keys {
		if slices.Contains(known, key) {
			continue
		}
		if unknown++; unknown > most {
			continue
		}
		note := fmt.Sprintf("%s: nobody knows the key %s, so it has no effect", d.values[key].Where, quoted.Short(key))
		if near, ok := nearest.Best(key, known); ok {
			note += fmt.Sprintf("; did you mean %q?", near)
		}
		notes = append(notes, note)
	}
	if unknown > most {
		notes = append(notes, fmt.Sprintf("%s: nobody knows %d more keys", d.File, unknown-most))
	}
	return notes
}
