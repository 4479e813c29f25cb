//go:build !windows

package files

import (
	"fmt"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// What the journal adds to an edit of a small file.
func BenchmarkApply(b *testing.B) {
	for name, author := range map[string]Author{"without a journal": {}, "with": me} {
		b.Run(name, func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{Home: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			old := ""
			changes := []sdk.Change{sdk.WriteFile("a", sdk.Absent, nil)}
			for i := 0; b.Loop(); i++ {
				if _, err := s.Apply(b.Context(), author, changes); err != nil {
					b.Fatal(err)
				}
				next := fmt.Sprint("line\n", i)
				changes = []sdk.Change{sdk.WriteFile("a", base(old), []byte(next))}
				old = next
			}
		})
	}
}
