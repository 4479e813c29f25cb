package project

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/sdk"
)

// memories are the folders that hold a project's memories and the global ones. What the patterns of the configuration protect is
// protected whatever road a write takes: memory methods, file methods, third parties.
type memories struct {
	folders  []string // absolute; they need not exist
	patterns []protection
}

// protection is one pattern, in Python's syntax, that must match a memory's whole name.
type protection struct {
	setting, what, text string
}

func newMemories(s sdk.ProjectSettings, folders ...string) memories {
	m := memories{folders: folders}
	for _, text := range s.ReadOnlyMemoryPatterns {
		m.patterns = append(m.patterns, protection{"read_only_memory_patterns", "read-only", text})
	}
	for _, text := range s.IgnoredMemoryPatterns {
		m.patterns = append(m.patterns, protection{"ignored_memory_patterns", "hidden", text})
	}
	return m
}

// protect refuses a write to a protected memory; real is absolute, links resolved. A pattern that is malformed protects everything that it might
// have meant.
func (m memories) protect(ctx context.Context, real string) error {
	if len(m.patterns) == 0 {
		return nil
	}
	name, ok := m.name(real)
	if !ok {
		return nil
	}
	for _, p := range m.patterns {
		re, err := pyregex.Compile(p.text, 0)
		matched := false
		if err == nil {
			matched, err = re.FullMatch(ctx, name)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return sdk.Errorf(sdk.KindValue, "memories cannot be changed while the setting %s has a pattern that cannot be used: %w", p.setting, err)
		case matched:
			return sdk.Errorf(sdk.KindPermission, "the memory %q is %s by the setting %s (pattern %q): use another name, or ask the user to change the setting; nothing was changed", name, p.what, p.setting, p.text)
		}
	}
	return nil
}

// name is the name of the memory that lies at a path, if one does.
func (m memories) name(real string) (string, bool) {
	for _, folder := range m.folders {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			folder = resolved
		}
		rel, err := filepath.Rel(folder, real)
		if err == nil && filepath.IsLocal(rel) && rel != "." {
			return strings.TrimSuffix(filepath.ToSlash(rel), ".md"), true
		}
	}
	return "", false
}
