package lsp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/serena-go/serena/sdk"
)

const (
	// maxRendered bounds a rendering in characters, whatever was asked for: four bytes each at most.
	maxRendered = 4_000_000
	// maxListBytes bounds the JSON of a result's list. With the longest rendering and its notes it stays below what can be sent.
	maxListBytes = sdk.MaxValueBytes - 4*maxRendered - 1<<20
)

// room is what is left of maxListBytes.
type room int

// take makes room for an element's JSON and reports whether there was enough.
func (r *room) take(v any) bool {
	data, err := json.Marshal(v)
	if err != nil || len(data)+1 > int(*r) { // plain data cannot fail
		return false
	}
	*r -= room(len(data) + 1)
	return true
}

// fit leaves out what cannot be sent: bodies, which can be had one by one, then symbols.
func (c *LspSymbolCollection) fit() {
	left, bodies := room(maxListBytes), 0
	for i := range c.Symbols {
		s := &c.Symbols[i]
		if bodies == 0 && left.take(s) {
			continue
		}
		had := s.Body != nil
		s.Body = nil
		if left.take(s) {
			if had {
				bodies++
			}
			continue
		}
		c.Complete, c.Notes = false, slices.Insert(c.Notes, 0, tooMuch(i, len(c.Symbols)-i, "symbol"))
		c.Symbols = c.Symbols[:i]
		break
	}
	if bodies > 0 {
		c.Complete, c.Notes = false, slices.Insert(c.Notes, 0, fmt.Sprintf("the bodies of the last %s do not fit here: ask for fewer symbols at a time", count(bodies, "symbol")))
	}
}

// fit leaves out references that cannot be sent.
func (c *LspReferenceCollection) fit() {
	left := room(maxListBytes)
	for i, r := range c.References {
		if !left.take(r) {
			c.Complete, c.Notes = false, slices.Insert(c.Notes, 0, tooMuch(i, len(c.References)-i, "reference"))
			c.References = c.References[:i]
			return
		}
	}
}

func tooMuch(kept, left int, what string) string {
	return fmt.Sprintf("only the first %s fit here; %d more are left out: narrow the question", count(kept, what), left)
}
