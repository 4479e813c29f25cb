// Package textenc turns the bytes of a file into text and back: it knows encodings by their Python names, byte order marks,
// and which bytes of the file each place in the text stands for, so that an edit can leave all other bytes alone.
//
// It never guesses. A byte order mark decides; without one the encoding that the caller names does.
package textenc

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/serena-go/serena/internal/nearest"
)

// Encoding is one way of writing text as bytes. The zero value is UTF-8.
type Encoding struct {
	name  string // canonical, a Python codec name
	codec codec
	mark  string // byte order mark that a new file begins with
}

// NewMark returns the byte order mark that a new file in the encoding begins with, as Python's codec writes it; most have none.
func NewMark(e Encoding) []byte { return []byte(e.mark) }

// codec is nil for UTF-8.
type codec interface {
	// decode appends the text of data to out, and tells mark how many bytes of each were read and written so far.
	// It stops at the first byte that is not of the encoding and returns its offset, or -1.
	decode(out *strings.Builder, data []byte, mark func(text, raw int)) int
	// width returns the number of bytes that r takes.
	width(r rune) int
	// encode appends r; false if the encoding has no such character.
	encode(out []byte, r rune) ([]byte, bool)
}

// Name returns the encoding's canonical Python name.
func (e Encoding) Name() string {
	if e.name == "" {
		return "utf-8"
	}
	return e.name
}

var known = map[string]Encoding{
	"utf-8":     {},
	"utf-8-sig": {name: "utf-8-sig", mark: "\xef\xbb\xbf"},
	"utf-16":    {"utf-16", utf16Codec{}, "\xff\xfe"}, // read without a mark: little-endian, as Python has it on the usual machines
	"utf-16-le": {name: "utf-16-le", codec: utf16Codec{}},
	"utf-16-be": {name: "utf-16-be", codec: utf16Codec{big: true}},
	"latin-1":   {name: "latin-1", codec: byteCodec{charmap.ISO8859_1}},
	"cp1252":    {name: "cp1252", codec: byteCodec{charmap.Windows1252}},
	"ascii":     {name: "ascii", codec: asciiCodec{}},
}

// aliases are Python's own, after lower-casing and with "-" for "_" and " ".
var aliases = map[string]string{
	"": "utf-8", "utf8": "utf-8", "u8": "utf-8", "utf": "utf-8", "cp65001": "utf-8", "utf8-sig": "utf-8-sig",
	"utf16": "utf-16", "u16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be",
	"latin": "latin-1", "latin1": "latin-1", "l1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1", "8859": "latin-1", "cp819": "latin-1",
	"1252": "cp1252", "windows-1252": "cp1252",
	"us-ascii": "ascii", "646": "ascii",
}

// Lookup returns the encoding of a Python codec name; "" is UTF-8. Case, "_" and "-" do not matter.
func Lookup(name string) (Encoding, error) {
	plain := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
	if canonical, ok := aliases[plain]; ok {
		plain = canonical
	}
	if e, ok := known[plain]; ok {
		return e, nil
	}
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	hint := ""
	if best, ok := nearest.Best(plain, names); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return Encoding{}, fmt.Errorf("encoding %q is not known%s (known: %s)", name, hint, strings.Join(names, ", "))
}
