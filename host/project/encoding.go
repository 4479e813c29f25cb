package project

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/internal/nearest"
)

// pythonEncodings holds the names of Python's text encodings in Python's own normal form, an encoding a line, its codec's name first.
//
//go:embed encodings.txt
var pythonEncodings string

// encoding accepts a name that Python would, and refuses others with the nearest.
func encoding(v config.Value) (string, error) {
	name, err := v.Text()
	if err != nil {
		return "", err
	}
	normal := normalEncoding(name)
	var codecs []string
	for line := range strings.Lines(pythonEncodings) {
		names := strings.Fields(line)
		if slices.Contains(names, normal) {
			return name, nil
		}
		codecs = append(codecs, names[0])
	}
	expected := "the name of a Python encoding"
	if near, ok := nearest.Best(normal, codecs); ok {
		expected += ", such as " + near
	}
	return "", v.Wrong(expected)
}

// normalEncoding lowers the letters and joins the parts by "_", as Python does before it looks a codec up.
func normalEncoding(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(parts, "_")
}
