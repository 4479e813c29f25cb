package quoted

import (
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         `""`,
		"a\n\"b\"":                 `"a\n\"b\""`,
		strings.Repeat("é", 80):    `"` + strings.Repeat("é", 80) + `"`,
		strings.Repeat("é", 81):    `"` + strings.Repeat("é", 80) + `"… (81 characters)`,
		strings.Repeat("\xff", 81): `"` + strings.Repeat(`\xff`, 80) + `"… (81 characters)`,
	} {
		if got := Short(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	ten := strings.Split(strings.Repeat("x ", 9)+"y", " ")
	if got := List(ten); got != strings.Repeat("x, ", 9)+"y" {
		t.Error(got)
	}
	if got := List(append(ten, "z", "z")); got != strings.Repeat("x, ", 9)+"y and 2 more" {
		t.Error(got)
	}
	if got := List(nil); got != "" {
		t.Error(got)
	}
}
