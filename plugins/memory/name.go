package memory

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

const (
	suffix       = ".md"
	refPrefix    = "mem:"
	globalTopic  = "global"
	globalPrefix = globalTopic + "/"
)

// parseName checks a memory's name by its text alone. "mem:" before it and ".md" behind it are left out.
func parseName(given string) (string, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(given, refPrefix), suffix)
	if fault := fault(name); fault != "" {
		return "", sdk.Errorf(sdk.KindValue, "%q is no name for a memory: %s; write it like auth/login", given, fault)
	}
	if name == globalTopic {
		return "", sdk.Errorf(sdk.KindValue, "%q is no name for a memory: it is the topic of those that all projects share; add a name, as in global/conventions", given)
	}
	return name, nil
}

// parseTopic checks a topic likewise; "" is all of them.
func parseTopic(given string) (string, error) {
	topic := strings.TrimSuffix(strings.TrimPrefix(given, refPrefix), "/")
	if topic == "" && given != "/" {
		return "", nil
	}
	if fault := fault(topic); fault != "" {
		return "", sdk.Errorf(sdk.KindValue, "%q is no topic: %s; write it like auth, or leave it out for all memories", given, fault)
	}
	return topic, nil
}

// fault says what is wrong with a name; "" if nothing is.
func fault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.HasPrefix(name, "/"):
		return "it begins with /, but names are not paths of the file system"
	case strings.Contains(name, `\`):
		return `it has a backslash; parts are separated by /`
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "it has a character that cannot be shown"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return "it has an empty part"
		case part == "." || part == "..":
			return "it has the part " + part + ", which would lead elsewhere"
		case strings.TrimSpace(part) != part:
			return "a part of it begins or ends with a space"
		case strings.EqualFold(part, ".git"):
			return "the folder .git belongs to git"
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) { // names that Windows reserves
		return "this system has another use for it"
	}
	return ""
}

func isGlobal(name string) bool { return strings.HasPrefix(name, globalPrefix) }
