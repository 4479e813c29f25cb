package memory

import (
	"context"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/sdk"
)

// patterns is a setting that names memories by regular expressions, each of which must match the whole name.
type patterns struct {
	setting string
	all     []*pyregex.Regexp
}

// compilePatterns refuses a malformed pattern rather than leave unprotected what it was to protect.
func compilePatterns(setting string, texts []string) (patterns, error) {
	p := patterns{setting: setting}
	for _, text := range texts {
		re, err := pyregex.Compile(text, 0)
		if err != nil {
			return p, sdk.Errorf(sdk.KindValue, "memories cannot be used while the setting %s has a malformed pattern: %w; correct it in serena_config.yml or the project's project.yml, then activate the project again", setting, err)
		}
		p.all = append(p.all, re)
	}
	return p, nil
}

// match returns the first pattern that matches a name.
func (p patterns) match(ctx context.Context, name string) (pattern string, ok bool, err error) {
	for _, re := range p.all {
		matched, err := re.FullMatch(ctx, name)
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		if err != nil {
			return "", false, sdk.Errorf(sdk.KindValue, "the setting %s: the pattern %q cannot be tried on %q: %w; make it simpler", p.setting, re, name, err)
		}
		if matched {
			return re.String(), true, nil
		}
	}
	return "", false, nil
}

// refuse is an error if a pattern matches.
func (p patterns) refuse(ctx context.Context, name, what string) error {
	pattern, ok, err := p.match(ctx, name)
	if err != nil || !ok {
		return err
	}
	return sdk.Errorf(sdk.KindPermission, "the memory %q is %s by the setting %s (pattern %q): use another name, or ask the user to change the setting", name, what, p.setting, pattern)
}
