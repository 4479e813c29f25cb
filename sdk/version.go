package sdk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serena-go/serena/internal/wire"
)

// Version is the sdk's own version, "major.minor", and stands in the manifest. A minor version adds; a major one breaks, and a plugin of
// another major is refused.
const Version = "1.0"

// ProtocolVersions are the versions of the wire protocol that this sdk speaks, ascending. Host and plugin use the highest that
// both speak.
func ProtocolVersions() []int { return slices.Clone(wire.ProtocolVersions[:]) }

// compatible reports whether this sdk can work with the manifest's plugin, and what to do if not.
func (m Manifest) compatible() error {
	own, _, _ := parseVersion(Version)
	major, minor, ok := parseVersion(m.SDK)
	switch {
	case m.ManifestVersion != ManifestVersion && (!ok || major == own):
		return Errorf(KindValue, "the manifest has format version %d, this serena reads version %d: build the plugin with sdk %s", m.ManifestVersion, ManifestVersion, Version)
	case !ok:
		return Errorf(KindValue, "the manifest's sdk is %q: it must be the version of the plugin contract as \"major.minor\"; this serena has %s", m.SDK, Version)
	case major < own:
		return Errorf(KindValue, "the plugin is built with sdk %d.%d, and this serena needs major version %d: "+
			"get the present sdk (go get github.com/serena-go/serena@latest), build the plugin again, and put it in the old one's place", major, minor, own)
	case major > own:
		return Errorf(KindValue, "the plugin is built with sdk %d.%d, which is newer than this serena's %s: update serena, or build the plugin with sdk %d", major, minor, Version, own)
	}
	if !slices.ContainsFunc(m.Protocols, func(v int) bool { return slices.Contains(wire.ProtocolVersions[:], v) }) {
		return Errorf(KindValue, "the plugin speaks the protocol versions %s, this serena %s: build the plugin with sdk %s", numbers(m.Protocols), numbers(wire.ProtocolVersions[:]), Version)
	}
	return nil
}

func parseVersion(text string) (major, minor int, ok bool) {
	first, second, found := strings.Cut(text, ".")
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	return major, minor, found && err1 == nil && err2 == nil && major >= 0 && minor >= 0
}

func numbers(list []int) string {
	if len(list) == 0 {
		return "(none)"
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
