package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/serena-go/serena/sdk"
)

// ErrChanged reports an executable whose bytes are not those that the configuration's sha256 names.
var ErrChanged = errors.New("the executable was changed")

func changed(name, path, want, got string) error {
	return sdk.Errorf(sdk.KindPermission, "the plugin %s is not run, since %w: the SHA-256 of %s is %s, but plugins.%s.sha256 says %s\n"+
		"if you replaced it yourself, write the new sum into the configuration; if not, find out who did", name, ErrChanged, path, got, name, want)
}

// sum takes the SHA-256 of an executable, in lower-case hexadecimal digits, and tells which state of it was read.
func sum(path string) (string, identity, error) {
	if why := whyNoExecutable(path); why != "" {
		return "", identity{}, sdk.Errorf(sdk.KindFileNotFound, "%s %s", path, why)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", identity{}, err
	}
	defer f.Close()
	before, err := identifyFile(path, f)
	if err != nil {
		return "", identity{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", identity{}, err
	}
	after, err := identifyFile(path, f)
	if err == nil && after != before {
		err = errors.New("it is being written")
	}
	return hex.EncodeToString(hash.Sum(nil)), before, err
}

// verify checks an executable's sum and returns the state of it that was read. What is run afterwards is found by the path again: whoever
// starts it compares identify(path) with that state when it runs, and ends it if they differ. What remains is somebody who writes to the
// folder and can make the file system forget the change of an inode: who can do that can change the configuration as well.
func verify(name, path, want string) (identity, error) {
	got, id, err := sum(path)
	if err != nil {
		return identity{}, sdk.Errorf(sdk.KindPermission, "the plugin %s is not run, since its SHA-256 cannot be taken: %w", name, err)
	}
	if !strings.EqualFold(got, want) {
		return identity{}, changed(name, path, want, got)
	}
	return id, nil
}

// stillIs reports whether the executable is the one that was verified.
func stillIs(name string, id identity) error {
	if now, err := identify(id.Path); err != nil || now != id {
		return sdk.Errorf(sdk.KindPermission, "the plugin %s was ended, since %w while it was started: %s", name, ErrChanged, id.Path)
	}
	return nil
}
