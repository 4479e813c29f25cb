package textenc

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// byteCodec has one byte for each character.
type byteCodec struct{ table *charmap.Charmap }

func (c byteCodec) decode(out *strings.Builder, data []byte, mark func(text, raw int)) int {
	for i, b := range data {
		r := c.table.DecodeByte(b)
		if r == utf8.RuneError {
			return i
		}
		out.WriteRune(r)
		mark(out.Len(), i+1)
	}
	return -1
}

func (byteCodec) width(rune) int { return 1 }

func (c byteCodec) encode(out []byte, r rune) ([]byte, bool) {
	b, ok := c.table.EncodeRune(r)
	return append(out, b), ok
}

type asciiCodec struct{}

func (asciiCodec) decode(out *strings.Builder, data []byte, mark func(text, raw int)) int {
	for i, b := range data {
		if b >= utf8.RuneSelf {
			return i
		}
		out.WriteByte(b)
		mark(i+1, i+1)
	}
	return -1
}

func (asciiCodec) width(rune) int { return 1 }

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

func (c utf16Codec) decode(out *strings.Builder, data []byte, mark func(text, raw int)) int {
	order := c.order()
	for i := 0; i < len(data); {
		if i+2 > len(data) {
			return i
		}
		r, size := rune(order.Uint16(data[i:])), 2
		if utf16.IsSurrogate(r) {
			if i+4 > len(data) {
				return i
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:]))); r == utf8.RuneError {
				return i
			}
			size = 4
		}
		i += size
		out.WriteRune(r)
		mark(out.Len(), i)
	}
	return -1
}

func (utf16Codec) width(r rune) int { return 2 * utf16.RuneLen(r) }

func (c utf16Codec) encode(out []byte, r rune) ([]byte, bool) {
	var unit [2]byte
	for _, u := range utf16.AppendRune(nil, r) {
		c.order().PutUint16(unit[:], u)
		out = append(out, unit[:]...)
	}
	return out, true
}
