// Package languages is the table of languages: the key of each in the configuration and the files that belong to it. It knows
// nothing of the servers' programs, which the plugin that runs them adds by the key.
//
// A file belongs to a language by the end of its name, in the letters' case unless the language says otherwise. Several languages
// may claim a file; of those that a project configures the first one in the project's order has it.
package languages

import (
	"path"
	"slices"
	"strings"
)

// Language is one row. Several rows may stand for one language with different servers, as "python" and "python_ty" do.
type Language struct {
	Key          string
	Files        []string // ends of file names, with their dot
	AnyCase      bool     // of Files
	Not          []string // names that do not belong to it, whatever their end
	Experimental bool     // is used where it is configured, and never chosen by a project's files
	Priority     int      // among languages that claim a file and are chosen by the files, the highest has it

	// Where no language is configured, these are not taken for code: files of keys, rules or headings, and ends of names that other
	// files commonly have. All of Files, or those listed.
	Document bool
	Doubtful []string

	path func(rel string) bool // a further condition; nil for none
}

// Priorities of the rows.
const (
	experimental = iota
	supersetOfOthers
	ordinary
)

// All returns the rows in the order of their keys. The caller must not change what they hold.
func All() []Language { return slices.Clone(table) }

// Lookup returns the row of a key.
func Lookup(key string) (Language, bool) {
	i, found := slices.BinarySearchFunc(table, key, func(l Language, key string) int { return strings.Compare(l.Key, key) })
	if !found {
		return Language{}, false
	}
	return table[i], true
}

// Has tells whether a file belongs to the language; rel is its path from the project's root, or its name.
func (l Language) Has(rel string) bool {
	name := path.Base(rel)
	if slices.Contains(l.Not, name) || l.path != nil && !l.path(rel) {
		return false
	}
	return l.ends(name, l.Files)
}

func (l Language) ends(name string, ends []string) bool {
	if l.AnyCase {
		name = strings.ToLower(name)
	}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

// Code returns a test for the files of languages, by their keys; unknown keys count for nothing. Without a known key it is IsCode.
func Code(keys []string) func(rel string) bool {
	var chosen []Language
	for _, key := range keys {
		if l, ok := Lookup(key); ok {
			chosen = append(chosen, l)
		}
	}
	if len(chosen) == 0 {
		return IsCode
	}
	return func(rel string) bool {
		return slices.ContainsFunc(chosen, func(l Language) bool { return l.Has(rel) })
	}
}

// IsCode tells whether a file is program text in one of the languages, as far as its name tells.
func IsCode(rel string) bool {
	return slices.ContainsFunc(table, func(l Language) bool {
		return !l.Document && l.Has(rel) && !l.ends(path.Base(rel), l.Doubtful)
	})
}
