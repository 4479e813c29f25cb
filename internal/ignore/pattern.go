package ignore

import "strings"

// pattern is one line of an ignore file.
type pattern struct {
	negated  bool
	dirOnly  bool
	baseOnly bool   // no slash: matched against the name alone, at any depth
	parts    []part // one part if baseOnly
	prefix   string // text before the parts, "" in nearly all patterns; see splitPrefix
}

// parsePattern reads one line; ok is false for blank lines, comments, and patterns that can never match.
func parsePattern(line string) (p pattern, ok bool) {
	if line == "" || line[0] == '#' {
		return p, false
	}
	line = trimSpaces(line)
	if strings.HasPrefix(line, "!") {
		p.negated = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.dirOnly = true
		line = line[:len(line)-1]
	}
	p.baseOnly = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	if !p.baseOnly {
		p.prefix, line = splitPrefix(line)
	}
	p.parts, ok = parseParts(line)
	if p.baseOnly && ok {
		// Without a slash in the pattern, "**" is an ordinary "*".
		p.parts[0].anyDepth = false
	}
	return p, ok
}

// splitPrefix cuts the text off that stands right before a first "**" in the same part, as in "foo**/bar". Git compares
// such text first and then takes the stars for the start of a pattern, so that they stand for folders as in "**/bar".
func splitPrefix(line string) (prefix, rest string) {
	i := strings.IndexAny(line, `*?[\`)
	if i <= 0 || line[i-1] == '/' || !strings.HasPrefix(line[i:], "**") {
		return "", line
	}
	if after := strings.TrimLeft(line[i:], "*"); after != "" && after[0] != '/' {
		return "", line
	}
	return line[:i], line[i:]
}

// trimSpaces removes trailing spaces, but for one that a backslash protects.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// matches tells whether the pattern matches a path, given as its parts below the pattern's folder.
func (p *pattern) matches(path []string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.baseOnly {
		return p.parts[0].matches(path[len(path)-1])
	}
	if p.prefix != "" {
		rest, ok := strings.CutPrefix(strings.Join(path, "/"), p.prefix)
		return ok && matchParts(p.parts, strings.Split(rest, "/"))
	}
	return matchParts(p.parts, path)
}

// matchParts matches parts of which those with anyDepth stand for any number of folders. On a mismatch only the last
// of them has to be tried again one folder further: it could have stood for whatever earlier ones stand for.
func matchParts(parts []part, path []string) bool {
	at, back, backPath := 0, -1, 0
	for i := 0; i < len(path); {
		switch {
		case at < len(parts) && parts[at].anyDepth:
			if at == len(parts)-1 {
				return true // everything below, and there is something
			}
			back, backPath = at, i
			at++
		case at < len(parts) && parts[at].matches(path[i]):
			at++
			i++
		case back >= 0:
			backPath++
			i, at = backPath, back+1
		default:
			return false
		}
	}
	return at == len(parts)
}

// rules are the patterns of one file, in its order.
type rules []pattern

// parseRules reads an ignore file's text.
func parseRules(text string) rules {
	var all rules
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p, ok := parsePattern(line); ok {
			all = append(all, p)
		}
	}
	return all
}

// decide returns what the last matching pattern says; found is false if none matches.
func (r rules) decide(path []string, isDir bool) (ignored, found bool) {
	for i := len(r) - 1; i >= 0; i-- {
		if r[i].matches(path, isDir) {
			return !r[i].negated, true
		}
	}
	return false, false
}
