package config

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A project's configuration comes with the project, and so from anybody. The parser's time and memory grow with the square of a file's
// keys and of their depth: what no configuration has is refused before.
const (
	mostWords = 50_000 // names, values and signs
	mostDepth = 100    // of what stands within each other on one line; indentation bounds the rest
)

// parseYAML parses a file of reasonable size.
func parseYAML(data []byte) (*ast.File, error) {
	words := lexer.Tokenize(string(data))
	if len(words) > mostWords {
		return nil, fmt.Errorf("it has more than %d names, values and signs", mostWords)
	}
	depth, entries, line := 0, 0, 0
	for _, w := range words {
		if w.Position.Line != line {
			entries, line = 0, w.Position.Line
		}
		switch w.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		}
		if depth+entries > mostDepth {
			return nil, fmt.Errorf("line %d has more than %d lists or mappings within each other", line, mostDepth)
		}
	}
	return parser.Parse(words, 0)
}

// errUnfolds reports aliases within aliases.
var errUnfolds = errors.New("its aliases unfold to too much")

// mostUnfolded bounds what a file stands for when every alias (*name) is replaced by what it means, in bytes. Values share what
// they have in common, messages and JSON do not.
const mostUnfolded = 4 * maxFileBytes

// unfolded is what is left of a number of bytes behind a value with all that is in it, below 0 if they are too few.
func unfolded(value any, left int) int {
	left -= 16
	each := func(v any) {
		if left >= 0 {
			left = unfolded(v, left)
		}
	}
	switch v := value.(type) {
	case string:
		left -= len(v)
	case []any:
		for _, e := range v {
			each(e)
		}
	case map[string]any:
		for k, e := range v {
			each(k)
			each(e)
		}
	case yaml.MapSlice:
		for _, item := range v {
			each(item.Key)
			each(item.Value)
		}
	}
	return left
}
