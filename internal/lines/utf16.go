package lines

import "unicode/utf8"

// UTF16Col is a 0-based column in UTF-16 code units, as language servers count.
type UTF16Col int

// ToUTF16 converts a column of a line (its text without ending). A column beyond the line gives the line's end.
func ToUTF16(line string, col RuneCol) UTF16Col {
	var units UTF16Col
	for _, r := range line {
		if col <= 0 {
			break
		}
		col--
		units += width16(r)
	}
	return units
}

// FromUTF16 converts a column of a line (its text without ending). A column beyond the line gives the line's end, as
// the protocol demands; one between the two halves of a surrogate pair gives the character they belong to.
func FromUTF16(line string, col UTF16Col) RuneCol {
	var runes RuneCol
	for _, r := range line {
		if col -= width16(r); col < 0 {
			break
		}
		runes++
	}
	return runes
}

// Width16 returns the width of a line (its text without ending) in UTF-16 units.
func Width16(line string) UTF16Col {
	return ToUTF16(line, RuneCol(utf8.RuneCountInString(line)))
}

// PosAt16 returns the position of a language server's line and column. A line before or after the text is clamped
// to its start or its end, because servers name the end of a file in several ways.
func (x *Index) PosAt16(line int, col UTF16Col) Pos {
	if line < 0 {
		return Pos{}
	}
	if line >= len(x.starts) {
		return x.PosAt(len(x.text))
	}
	return Pos{Line: line, Col: FromUTF16(x.Line(line), col)}
}

// Col16 returns the column of a position as a language server counts it; 0 on a line that does not exist.
func (x *Index) Col16(p Pos) UTF16Col {
	if p.Line < 0 || p.Line >= len(x.starts) {
		return 0
	}
	return ToUTF16(x.Line(p.Line), p.Col)
}

func width16(r rune) UTF16Col {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
