package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCapture_keepsHeadAndTail(t *testing.T) {
	t.Parallel()
	letters := "abcdefghijklmnopqrstuvwxyz"
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"nothing":            {"", ""},
		"less":               {"abc", "abc"},
		"just all":           {"abcdefgh", "abcdefgh"},
		"one more":           {"abcdefghi", "abcd\n[… about 1 of 9 bytes left out …]\nfghi"},
		"much more":          {letters, "abcd\n[… about 18 of 26 bytes left out …]\nwxyz"},
		"cut in a character": {"abcé" + letters + "éxyz", "abc\n[… about 28 of 36 bytes left out …]\nxyz"},
		"whole at the cut":   {"abéefgéyz", "abé\n[… about 3 of 11 bytes left out …]\néyz"},
		"no characters":      {"\xff\xff\xff\xff\xff", "\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(c.text)+1; size++ { // however it comes in pieces
				capture := &capture{kept: 4}
				for piece := range slices.Chunk([]byte(c.text), size) {
					if n, err := capture.Write(piece); n != len(piece) || err != nil {
						t.Fatal(n, err)
					}
				}
				if got := capture.text(); got != c.want {
					t.Errorf("in pieces of %d: %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

func TestCapture_memoryIsBounded(t *testing.T) {
	t.Parallel()
	c := &capture{kept: 1000}
	for i := range 10_000 {
		fmt.Fprint(c, strings.Repeat(string('a'+rune(i%26)), 777))
	}
	if len(c.head)+cap(c.head)+cap(c.tail) > 8000 || c.total != 7_770_000 {
		t.Errorf("%d and %d bytes are held", cap(c.head), cap(c.tail))
	}
}
