package protocol

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// URIFromPath returns the "file" URI of an absolute path of this system.
func URIFromPath(abs string) string {
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") { // a drive letter
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// PathFromURI returns the absolute path of a "file" URI, however the server escaped it. Any other URI is an error.
func PathFromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", fmt.Errorf("the server named the document %q: %w", uri, err)
	}
	if u.Scheme != "file" || u.Path == "" {
		return "", fmt.Errorf("the server named the document %q, which is no file", uri)
	}
	p := path.Clean(u.Path)
	if len(p) > 2 && p[0] == '/' && p[2] == ':' { // "/c:/x" is "c:/x" where drives exist
		if drive := filepath.FromSlash(p[1:]); filepath.VolumeName(drive) != "" {
			return drive, nil
		}
	}
	return filepath.FromSlash(p), nil
}
