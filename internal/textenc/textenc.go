// Package textenc turns the bytes of a file into text and back: it knows encodings by their Python names, byte order marks,
// and which bytes of the file each place in the text stands for, so that an edit can leave all other bytes alone.
//
// It never guesses. A byte order mark decides; without one the encoding that the caller names does.
package textenc

// Encoding is one way of writing text as bytes. The zero value is UTF-8.
type Encoding struct {
	name  string // canonical, a Python codec name
	codec codec
	mark  string // byte order mark that a new file begins with
}

// NewMark returns the byte order mark that a new file in the encoding begins with, as Python's codec writes it; most have none.
func NewMark(e Encoding) []byte { return []byte(e.mark) }

// Name returns the encoding's canonical Python name.
func (e Encoding) Name() string {
	if e.name == "" {
		return "utf-8"
	}
	return e.name
}
