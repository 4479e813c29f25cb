package textenc

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// tableCodec has one or two bytes for each character, in some encodings three or four. The tables are those of x/text, which
// follows the browsers; where Python's codec of the name reads the same bytes as another character, Python is right.
type tableCodec struct {
	from     encoding.Encoding
	has      func(lead, trail byte) bool // limits the double bytes; nil for all that from has
	python   []run                       // what Python reads otherwise
	third    byte                        // lead of sequences of three bytes, as 0x8f in EUC-JP; 0 for none
	fourByte bool                        // a second byte that is a digit goes on for two more

	once   sync.Once
	single [256]rune       // -1 for none
	double []rune          // by lead<<8 | trail; -1 for none
	triple []rune          // likewise, behind third; nil for none
	own    map[rune][]byte // of the characters of python
	bytes  map[rune][]byte // of each character; of several codes the first
}

// run is characters of successive codes; a trail byte goes from 0xfe to the next lead's first.
type run struct {
	code  uint16
	runes string
}

const none = rune(-1)

func (c *tableCodec) build() {
	dec := c.from.NewDecoder().Transformer
	c.double = make([]rune, 1<<16)
	c.own, c.bytes = map[rune][]byte{}, map[rune][]byte{}
	for lead := range 256 {
		c.single[lead] = decodeOne(dec, byte(lead))
		for trail := range 256 {
			code := lead<<8 | trail
			c.double[code] = none
			if c.single[lead] == none && (c.has == nil || c.has(byte(lead), byte(trail))) {
				c.double[code] = decodeOne(dec, byte(lead), byte(trail))
			}
		}
	}
	for _, run := range c.python {
		code := run.code
		for _, r := range run.runes {
			c.double[code] = r
			c.own[r] = []byte{byte(code >> 8), byte(code)}
			code = after(code)
		}
	}
	for code, r := range c.double {
		c.writes(r, byte(code>>8), byte(code))
	}
	if c.third == 0 {
		return
	}
	c.triple = make([]rune, 1<<16)
	for code := range c.triple {
		c.triple[code] = decodeOne(dec, c.third, byte(code>>8), byte(code))
		c.writes(c.triple[code], c.third, byte(code>>8), byte(code))
	}
}

func (c *tableCodec) writes(r rune, bytes ...byte) {
	if _, ok := c.bytes[r]; !ok && r != none {
		c.bytes[r] = bytes
	}
}

// after is the next code of a Big5 row, whose trail bytes are 0x40 to 0x7e and 0xa1 to 0xfe. The other encodings' runs do not
// come to an end of a row.
func after(code uint16) uint16 {
	switch code & 0xff {
	case 0x7e:
		return code&0xff00 | 0xa1
	case 0xfe:
		return code&0xff00 + 0x140
	}
	return code + 1
}

// decodeOne reads bytes that are to be one character, and nothing less.
func decodeOne(dec transform.Transformer, bytes ...byte) rune {
	var out [16]byte
	dec.Reset()
	n, read, err := dec.Transform(out[:], bytes, true)
	if err != nil || read != len(bytes) {
		return none
	}
	r, size := utf8.DecodeRune(out[:n])
	if size != n || r == utf8.RuneError {
		return none
	}
	return r
}

func (c *tableCodec) next(data []byte) (rune, int, bool) {
	c.once.Do(c.build)
	lead := data[0]
	if r := c.single[lead]; r != none {
		return r, 1, true
	}
	if len(data) < 2 {
		return 0, 1, false
	}
	if c.third != 0 && lead == c.third && len(data) > 2 {
		if r := c.triple[int(data[1])<<8|int(data[2])]; r != none {
			return r, 3, true
		}
	}
	if r := c.double[int(lead)<<8|int(data[1])]; r != none {
		return r, 2, true
	}
	if c.fourByte && len(data) > 3 {
		if r := decodeOne(c.from.NewDecoder().Transformer, data[:4]...); r != none {
			return r, 4, true
		}
	}
	return 0, 1, false
}

// encode takes what x/text writes, if it reads as the same character and Python has no code of its own.
func (c *tableCodec) encode(out []byte, r rune) ([]byte, bool) {
	c.once.Do(c.build)
	if own, ok := c.own[r]; ok {
		return append(out, own...), true
	}
	var in [utf8.UTFMax]byte
	var bytes [8]byte
	n, _, err := c.from.NewEncoder().Transform(bytes[:], in[:utf8.EncodeRune(in[:], r)], true)
	if err == nil && n > 0 {
		if got, size, ok := c.next(bytes[:n]); ok && got == r && size == n {
			return append(out, bytes[:n]...), true
		}
	}
	first, ok := c.bytes[r]
	return append(out, first...), ok
}
