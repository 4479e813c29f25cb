// Package nearest finds the legal name that a wrong one was probably meant to be, for "did you mean" in errors.
//
// Names are compared by their words: "findSymbol", "find-symbol" and "find_symbol" have the same. It keeps silent rather
// than guess: a candidate is offered only if most of it was typed.
package nearest

import (
	"slices"
	"strings"
	"unicode"
)

// Best returns the candidate nearest to name, and whether any is near enough to be worth showing. Of equally near
// ones the first is taken. A candidate equal to name is its own best.
func Best(name string, candidates []string) (string, bool) {
	if best := Sorted(name, candidates, 1); len(best) > 0 {
		return best[0], true
	}
	return "", false
}

// Sorted returns up to n candidates that are near enough, the nearest first, equally near ones in the order given.
// n < 0 means all. Repeated candidates are returned once.
func Sorted(name string, candidates []string, n int) []string {
	type scored struct {
		text  string
		score float64
	}
	var (
		found []scored
		seen  = make(map[string]bool, len(candidates))
	)
	if len(name) > longest {
		return nil
	}
	for _, c := range candidates {
		if seen[c] {
			continue
		}
		seen[c] = true
		if s := score(name, c); s >= threshold {
			found = append(found, scored{c, s})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	if n >= 0 && len(found) > n {
		found = found[:n]
	}
	var texts []string
	for _, f := range found {
		texts = append(texts, f.text)
	}
	return texts
}

// longest is how many bytes a name may have for which there is a nearest one; finding it takes time with their square.
const longest = 4096

// The scale: 1 is the same name, 0 nothing in common. Between them lie the kinds of likeness, strongest first; the
// edit distance competes with all of them.
const (
	threshold = 0.6

	sameLetters = 0.98 // differs in case or separators only
	samePlural  = 0.95
	sameWords   = 0.92 // the words in another order
	whole       = 0.70 // one name holds the other as whole words; nearer to sameWords the more of it
	prefix      = 0.65 // one name starts with the other, inside a word
	wordwise    = 0.60 // each word resembles one of the other's; times their likeness
	abbreviated = 0.55 // one name's letters occur in the other in that order, at least half of them
)

func score(name, candidate string) float64 {
	if name == candidate {
		return 1
	}
	a, b := words(name), words(candidate)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	joinedA, joinedB := strings.Join(a, ""), strings.Join(b, "")
	switch {
	case joinedA == joinedB:
		return sameLetters
	case strings.Join(singular(a), "") == strings.Join(singular(b), ""):
		return samePlural
	}
	runesA, runesB := []rune(joinedA), []rune(joinedB)
	longer, shorter := max(len(runesA), len(runesB)), min(len(runesA), len(runesB))
	best := 1 - float64(distance(runesA, runesB))/float64(longer)
	if shorter < 3 && best < threshold && distance(runesA, runesB) == 1 && shorter == longer {
		best = threshold // one wrong letter in a name of two
	}
	share := float64(shorter) / float64(longer)
	if shorter >= 3 {
		switch sa, sb := singular(a), singular(b); {
		case sameSet(sa, sb):
			best = max(best, sameWords)
		case subset(sa, sb) || subset(sb, sa):
			best = max(best, whole+(sameWords-whole)*share)
		case strings.HasPrefix(joinedA, joinedB) || strings.HasPrefix(joinedB, joinedA):
			best = max(best, prefix+(sameWords-prefix)*share)
		case share >= 0.5 && (abbreviates(runesA, runesB) || abbreviates(runesB, runesA)):
			best = max(best, abbreviated+(sameWords-abbreviated)*share)
		default:
			if len(runesA) > len(runesB) {
				sa, sb = sb, sa
			}
			best = max(best, wordLikeness(sa, sb)*(wordwise+(sameWords-wordwise)*share))
		}
	}
	return best
}

// words splits a name at separators, at a capital after a small letter, and before the last capital of a row
// ("JSONFile"), and lowers the letters.
func words(name string) []string {
	var (
		all   []string
		cur   []rune
		runes = []rune(name)
	)
	flush := func() {
		if len(cur) > 0 {
			all = append(all, string(cur))
			cur = nil
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 {
			afterSmall := !unicode.IsUpper(runes[i-1])
			beforeSmall := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterSmall || beforeSmall {
				flush()
			}
		}
		cur = append(cur, unicode.ToLower(r))
	}
	flush()
	return all
}

// singular returns the words without the usual English plural endings. It only has to treat both names alike.
func singular(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case len(w) > 4 && strings.HasSuffix(w, "ies"):
			w = w[:len(w)-3] + "y"
		case len(w) > 4 && (strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "sses")):
			w = w[:len(w)-2]
		case len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
			w = w[:len(w)-1]
		}
		out[i] = w
	}
	return out
}

func sameSet(a, b []string) bool { return len(a) == len(b) && subset(a, b) && subset(b, a) }

func subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}

// abbreviates tells whether a is b with letters left out, the first one kept.
func abbreviates(a, b []rune) bool {
	if a[0] != b[0] {
		return false
	}
	for _, r := range b {
		if len(a) > 0 && a[0] == r {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// wordLikeness is the part of a's letters that stand in words which resemble one of b's.
func wordLikeness(a, b []string) float64 {
	var like, all float64
	for _, wa := range a {
		ra := []rune(wa)
		best := 0.0
		for _, wb := range b {
			rb := []rune(wb)
			common := 0
			for common < min(len(ra), len(rb)) && ra[common] == rb[common] {
				common++
			}
			if common >= 3 {
				best = max(best, float64(common)/float64(min(len(ra), len(rb))))
			}
			best = max(best, 1-float64(distance(ra, rb))/float64(max(len(ra), len(rb))))
		}
		all += float64(len(ra))
		if best >= threshold {
			like += best * float64(len(ra))
		}
	}
	return like / all
}

// distance is the number of letters to insert, delete, change, or swap with a neighbour (no letter touched twice).
func distance(a, b []rune) int {
	two, one, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(one[j]+1, cur[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], two[j-2]+1)
			}
		}
		two, one, cur = one, cur, two
	}
	return one[len(b)]
}
