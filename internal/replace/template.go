package replace

import (
	"fmt"
	"regexp"
	"strconv"
)

// part is a piece of a replacement: text, or what a group matched.
type part struct {
	text  string
	group int // noGroup for text, 0 for the whole match
}

const noGroup = -1

var groupReference = regexp.MustCompile(`\$!([0-9]+)`)

// parseTemplate splits a replacement at its references $!N. Nothing else is special, so there is nothing to escape.
func parseTemplate(repl string, groups int) ([]part, error) {
	var parts []part
	at := 0
	for _, ref := range groupReference.FindAllStringSubmatchIndex(repl, -1) {
		n, err := strconv.Atoi(repl[ref[2]:ref[3]])
		if err != nil || n > groups {
			has := fmt.Sprintf("it has the groups 1 to %d", groups)
			switch groups {
			case 0:
				has = "it has none; put parentheses around what $!1 shall mean"
			case 1:
				has = "it has one, $!1"
			}
			return nil, fmt.Errorf("%w: %s; %s", ErrGroup, repl[ref[0]:ref[1]], has)
		}
		if ref[0] > at {
			parts = append(parts, part{text: repl[at:ref[0]], group: noGroup})
		}
		parts = append(parts, part{group: n})
		at = ref[1]
	}
	if at < len(repl) {
		parts = append(parts, part{text: repl[at:], group: noGroup})
	}
	return parts, nil
}
