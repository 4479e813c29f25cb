package main

import "testing"

func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain é 😀 \uFFFD":    "plain é 😀 \uFFFD",
		"a\nready\t/x":        `a\u000aready\u0009/x`,
		"\x1b[2J\x00\u009b1m": `\u001b[2J\u0000\u009b1m`,
		"caf\xe9":             `caf\xe9`,
		"a\u202eb\u2028c":     `a\u202eb\u2028c`,
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := eachLine("a\tb\nc\r\n"); got != "a\\u0009b\nc\\u000d\n" {
		t.Errorf("%q", got)
	}
}
