package textenc

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// codec is one way of writing characters as bytes, without state from one to the next: every character's bytes can be replaced
// without a look at the others. It is nil for UTF-8.
type codec interface {
	// next reads the first character of data, which is not empty, and returns the number of its bytes. If data does not begin with one
	// of the encoding, ok is false and size is how many bytes are to be passed over.
	next(data []byte) (r rune, size int, ok bool)
	// encode appends r; false if the encoding has no such character.
	encode(out []byte, r rune) ([]byte, bool)
}

// byteCodec has one byte for each character. Where Python's codec of the name reads a byte otherwise than the table, Python is right.
type byteCodec struct {
	table  *charmap.Charmap
	python []run // the code is one byte
}

func (c byteCodec) next(data []byte) (rune, int, bool) {
	for _, run := range c.python {
		if i := int(data[0]) - int(run.code); i >= 0 && i < utf8.RuneCountInString(run.runes) {
			return []rune(run.runes)[i], 1, true
		}
	}
	r := c.table.DecodeByte(data[0])
	return r, 1, r != utf8.RuneError
}

func (c byteCodec) encode(out []byte, r rune) ([]byte, bool) {
	for _, run := range c.python {
		if at := strings.IndexRune(run.runes, r); at >= 0 {
			return append(out, byte(int(run.code)+utf8.RuneCountInString(run.runes[:at]))), true
		}
	}
	b, ok := c.table.EncodeRune(r)
	return append(out, b), ok
}

type asciiCodec struct{}

func (asciiCodec) next(data []byte) (rune, int, bool) {
	return rune(data[0]), 1, data[0] < utf8.RuneSelf
}

func (asciiCodec) encode(out []byte, r rune) ([]byte, bool) {
	return append(out, byte(r)), r < utf8.RuneSelf
}

// utf16Codec is strict: a surrogate without its partner, and an odd byte at the end, are errors. Package
// x/text/encoding/unicode would replace them.
type utf16Codec struct{ big bool }

func (c utf16Codec) order() binary.ByteOrder {
	if c.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (c utf16Codec) next(data []byte) (rune, int, bool) {
	if len(data) < 2 {
		return 0, len(data), false
	}
	order := c.order()
	r := rune(order.Uint16(data))
	if !utf16.IsSurrogate(r) {
		return r, 2, true
	}
	if len(data) < 4 {
		return 0, 2, false
	}
	r = utf16.DecodeRune(r, rune(order.Uint16(data[2:])))
	if r == utf8.RuneError {
		return 0, 2, false
	}
	return r, 4, true
}

func (c utf16Codec) encode(out []byte, r rune) ([]byte, bool) {
	var unit [2]byte
	for _, u := range utf16.AppendRune(nil, r) {
		c.order().PutUint16(unit[:], u)
		out = append(out, unit[:]...)
	}
	return out, true
}
