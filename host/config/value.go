package config

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/quoted"
)

// maxSeconds keeps a duration in seconds far from what time.Duration cannot hold.
const maxSeconds = 1e9

// Value is what one setting is set to, and where.
type Value struct {
	Key   string
	Where string // for messages: file and line, variable or flag
	raw   any
	text  bool // given as text (environment, flag): numbers and booleans are read from it
}

// IsNull reports whether the setting is written without a value, which means its default.
func (v Value) IsNull() bool { return v.raw == nil }

// Wrong is the error of a value that is none of what is expected: it says what was found and what is expected.
func (v Value) Wrong(expected string) error {
	shown, err := json.Marshal(v.raw)
	if err != nil {
		shown = []byte(fmt.Sprint(v.raw))
	}
	return fmt.Errorf("%s: %s is %s, but it must be %s", v.Where, v.Key, brief(string(shown)), expected)
}

// brief is a text, cut at 60 characters.
func brief(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}

// Text returns a string.
func (v Value) Text() (string, error) {
	if s, ok := v.raw.(string); ok {
		return strings.TrimSpace(s), nil
	}
	return "", v.Wrong("text")
}

// OneOf returns the choice that the value names, whatever its case.
func (v Value) OneOf(choices ...string) (string, error) {
	if s, ok := v.raw.(string); ok {
		if i := slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(s)) }); i >= 0 {
			return choices[i], nil
		}
	}
	return "", v.Wrong("one of " + strings.Join(choices, ", "))
}

// Bool returns true or false.
func (v Value) Bool() (bool, error) {
	if b, ok := v.raw.(bool); ok {
		return b, nil
	}
	if s, ok := v.raw.(string); ok && v.text {
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s))); err == nil {
			return b, nil
		}
	}
	return false, v.Wrong("true or false")
}

// Number returns a number, which is finite.
func (v Value) Number() (float64, error) {
	var f float64
	switch n := v.raw.(type) {
	case int:
		f = float64(n)
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	case float64:
		f = n
	case string:
		// YAML reads 1e3 as text, people do not.
		parsed, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
		if err != nil {
			return 0, v.Wrong("a number")
		}
		f = parsed
	default:
		return 0, v.Wrong("a number")
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, v.Wrong("a number")
	}
	return f, nil
}

// Positive returns a whole number above 0.
func (v Value) Positive() (int, error) {
	f, err := v.Number()
	if err != nil || f < 1 || f > math.MaxInt32 || f != math.Trunc(f) {
		return 0, v.Wrong("a whole number above 0")
	}
	return int(f), nil
}

// Seconds returns a duration of at least the minimum.
func (v Value) Seconds(minimum time.Duration) (time.Duration, error) {
	f, err := v.Number()
	if err != nil || f > maxSeconds || f <= 0 || f < minimum.Seconds() {
		expected := "a number of seconds above 0"
		if minimum > 0 {
			expected = fmt.Sprintf("a number of seconds, at least %g", minimum.Seconds())
		}
		return 0, v.Wrong(expected)
	}
	return time.Duration(f * float64(time.Second)), nil
}

// Units returns a duration that is given as a number of units; zero tells whether it may be 0.
func (v Value) Units(unit time.Duration, expected string, zero bool) (time.Duration, error) {
	f, err := v.Number()
	if err != nil || f < 0 || f == 0 && !zero || f*unit.Seconds() > maxSeconds {
		return 0, v.Wrong(expected)
	}
	return time.Duration(f * float64(unit)), nil
}

// Texts returns a list of texts without the blank ones; a single text is a list of one. Entries that are no text are left out
// and told in the error, beside the good ones.
func (v Value) Texts() ([]string, error) {
	var list []any
	switch raw := v.raw.(type) {
	case string:
		list = []any{raw}
	case []any:
		list = raw
	default:
		return nil, v.Wrong("a list of texts")
	}
	var texts, bad []string
	for _, item := range list {
		s, ok := item.(string)
		switch {
		case !ok && item != nil:
			bad = append(bad, brief(fmt.Sprint(item)))
		case strings.TrimSpace(s) != "":
			texts = append(texts, s)
		}
	}
	if len(bad) > 0 {
		return texts, fmt.Errorf("%s: %s: %s is left out: every entry must be text; quote it", v.Where, v.Key, quoted.List(bad))
	}
	return texts, nil
}

// Objects returns a mapping from names to mappings, each as a JSON object. An entry that is something else, or that JSON cannot
// hold, is left out and told in the error, beside the good ones.
func (v Value) Objects() (map[string]json.RawMessage, error) {
	all, ok := v.raw.(map[string]any)
	if !ok {
		return nil, v.Wrong("a mapping")
	}
	var (
		objects = map[string]json.RawMessage{}
		bad     []string
	)
	for name, entry := range all {
		if entry == nil {
			continue
		}
		object, ok := entry.(map[string]any)
		data, err := json.Marshal(object)
		if !ok || err != nil {
			bad = append(bad, brief(name))
			continue
		}
		objects[name] = data
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return objects, fmt.Errorf("%s: %s: what is said of %s is left out: it must be a mapping of names to values", v.Where, v.Key, quoted.List(bad))
	}
	return objects, nil
}
