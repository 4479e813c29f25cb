package textenc

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Text is the decoded content of a file.
type Text struct {
	// Text is without a byte order mark. Line endings are the file's own. In a UTF-8 file that has bytes which are no
	// UTF-8, they stand here as they are, and of other encodings U+FFFD stands for them: see Invalid.
	Text string

	enc     Encoding
	bom     int    // length of the byte order mark
	body    []byte // the file behind it; nil for UTF-8
	invalid int    // of UTF-8: offset in Text of the first byte that is none, or -1
	foreign []int  // of other encodings: offsets in Text of the characters that stand for what is not of the encoding
	marks   []mark // ascending, the first at the start; none where text and file have the same offsets
}

// mark says that an offset in the text is an offset in the file, without the byte order mark.
type mark struct{ text, raw int }

// markEvery is the distance of marks in bytes of text: what is scanned for one conversion of an offset.
const markEvery = 4096

// DecodeError reports bytes that are not of the encoding.
type DecodeError struct {
	Encoding string
	Offset   int  // 0-based, in bytes from the start of the file
	Byte     byte // the first that does not fit
	InText   int  // 0-based, in bytes from the start of the text
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("the byte 0x%02x at offset %d is not %s", e.Byte, e.Offset, e.Encoding)
}

// EncodeError reports a character that the encoding does not have.
type EncodeError struct {
	Encoding string
	Rune     rune
	Offset   int // 0-based, in bytes from the start of the text that was to be encoded
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("the encoding %s has no character %q (U+%04X)", e.Encoding, e.Rune, e.Rune)
}

type byteOrderMark struct {
	bytes string
	enc   Encoding
}

var byteOrderMarks = []byteOrderMark{
	{"\xef\xbb\xbf", Encoding{}},
	{"\xff\xfe", Encoding{name: "utf-16-le", codec: utf16Codec{}}},
	{"\xfe\xff", Encoding{name: "utf-16-be", codec: utf16Codec{big: true}}},
}

// markOf returns the byte order mark at the start of data; an empty one if there is none. Three bytes of data are enough.
func markOf(data []byte) byteOrderMark {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(data, []byte(m.bytes)) {
			return m
		}
	}
	return byteOrderMark{}
}

// IsWide tells whether a file that starts with data is read as UTF-16, in which NUL bytes are no sign of a binary file.
func IsWide(enc Encoding, data []byte) bool {
	if m := markOf(data); m.bytes != "" {
		enc = m.enc
	}
	_, wide := enc.codec.(utf16Codec)
	return wide
}

// Decode reads data as enc or, if it starts with a byte order mark, as what that says. The error is a [*DecodeError].
// Bytes that are no UTF-8 are no error in a UTF-8 file, since it can be searched and edited around them: see Invalid.
func Decode(enc Encoding, data []byte) (*Text, error) {
	t, err := DecodeAround(enc, data)
	if err != nil {
		return nil, err
	}
	if len(t.foreign) > 0 {
		return nil, t.Invalid(0, len(t.Text))
	}
	return t, nil
}

// DecodeAround is Decode for a file that is edited: bytes that are not of its encoding are no error in any encoding, but
// found by Invalid. What is no text at all, since it begins as UTF-32 does, is one.
func DecodeAround(enc Encoding, data []byte) (*Text, error) {
	t := &Text{enc: enc, invalid: -1}
	if bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) {
		return nil, &DecodeError{Encoding: "utf-16 (it looks like utf-32, which is not supported)", Offset: 2, Byte: 0}
	}
	if m := markOf(data); m.bytes != "" {
		t.enc, t.bom = m.enc, len(m.bytes)
	}
	body := data[t.bom:]
	if t.enc.codec == nil {
		t.Text = string(body)
		t.invalid = firstInvalid(t.Text)
		return t, nil
	}
	t.body = body
	var out strings.Builder
	out.Grow(len(body))
	t.marks = []mark{{}}
	for at := 0; at < len(body); {
		r, size, ok := t.enc.codec.next(body[at:])
		if !ok {
			t.foreign = append(t.foreign, out.Len())
			r = utf8.RuneError
		}
		out.WriteRune(r)
		at += size
		if out.Len()-t.marks[len(t.marks)-1].text >= markEvery {
			t.marks = append(t.marks, mark{out.Len(), at})
		}
	}
	t.Text = out.String()
	return t, nil
}

func firstInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return -1
}

// Encoding returns the encoding the file was read in.
func (t *Text) Encoding() Encoding { return t.enc }

// Invalid returns an error for the first bytes of Text[from:to] that are not of the encoding, nil if there are none.
func (t *Text) Invalid(from, to int) *DecodeError {
	if t.enc.codec != nil {
		i := sort.SearchInts(t.foreign, from)
		if i == len(t.foreign) || t.foreign[i] >= to {
			return nil
		}
		offset := t.ToFile(t.foreign[i])
		return &DecodeError{Encoding: t.enc.Name(), Offset: offset, Byte: t.body[offset-t.bom], InText: t.foreign[i]}
	}
	if t.invalid < 0 || t.invalid >= to {
		return nil
	}
	at := firstInvalid(t.Text[from:to])
	if at < 0 {
		return nil
	}
	return &DecodeError{Encoding: t.enc.Name(), Offset: t.ToFile(from + at), Byte: t.Text[from+at], InText: from + at}
}

// ToFile returns the byte offset in the file for a byte offset in Text, which must be between two characters. Only the
// byte order mark lies before the start of Text.
func (t *Text) ToFile(offset int) int {
	if t.marks == nil {
		return t.bom + offset
	}
	m := t.marks[sort.Search(len(t.marks), func(i int) bool { return t.marks[i].text > offset })-1]
	for m.text < offset && m.raw < len(t.body) {
		r, size, ok := t.enc.codec.next(t.body[m.raw:])
		if !ok {
			r = utf8.RuneError
		}
		m.text += utf8.RuneLen(r)
		m.raw += size
	}
	return t.bom + m.raw
}

// Encode writes s in the file's encoding, without a byte order mark. The error is an [*EncodeError].
func (t *Text) Encode(s string) ([]byte, error) { return t.enc.Encode(s) }

// Encode writes s in the encoding, without a byte order mark. In UTF-8, bytes of s that are no UTF-8 are kept. The error is
// an [*EncodeError].
func (e Encoding) Encode(s string) ([]byte, error) {
	if e.codec == nil {
		return []byte(s), nil
	}
	out, ok := make([]byte, 0, len(s)), true
	for i, r := range s {
		if out, ok = e.codec.encode(out, r); !ok {
			return nil, &EncodeError{Encoding: e.Name(), Rune: r, Offset: i}
		}
	}
	return out, nil
}

// UTF8 returns data without its byte order mark if it is read as UTF-8, as [Decode] would have it, without looking at it all; false if it
// is read as anything else.
func UTF8(enc Encoding, data []byte) (body []byte, ok bool) {
	m := markOf(data)
	if m.bytes != "" {
		enc = m.enc
	}
	return data[len(m.bytes):], enc.codec == nil
}
