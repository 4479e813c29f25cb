package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/serena-go/serena/sdk"
)

// maxFileBytes bounds what is read of one file to be edited.
const maxFileBytes = 512 << 20

// present is a file as it was found.
type present struct {
	stamp   stamp
	base    sdk.Base
	content []byte
}

// readRegular reads a regular file, not through a link; shown is its name in errors. The stamp is that of the bytes: a file
// that changes meanwhile is an error.
func readRegular(path, shown string) (present, error) {
	before, err := lstamp(path)
	if err != nil {
		return present{}, err
	}
	switch {
	case before.isFolder():
		return present{}, sdk.Errorf(sdk.KindIsADirectory, "%s is a folder, not a file; nothing was changed", shown)
	case !before.isRegular(): // a pipe would be waited for
		return present{}, invalid(shown, "it is no regular file")
	case before.size > maxFileBytes:
		return present{}, invalid(shown, "it has %d bytes, more than the %d that can be edited", before.size, maxFileBytes)
	}
	file, err := os.Open(path)
	if err != nil {
		return present{}, err
	}
	defer file.Close()
	content := make([]byte, 0, before.size+1)
	for {
		n, err := file.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return present{}, err
		}
		if len(content) == cap(content) {
			return present{}, stale(shown)
		}
	}
	after, err := fstamp(file)
	if err != nil {
		return present{}, err
	}
	if after != before {
		return present{}, stale(shown)
	}
	return present{stamp: after, base: sdk.BaseOf(content), content: content}, nil
}

// baseAt is the base of what is at a path now: Absent where nothing is, the target for a link, "" for what is no file.
func baseAt(path string) (sdk.Base, error) {
	st, err := lstamp(path)
	switch {
	case isAbsent(err):
		return sdk.Absent, nil
	case err != nil:
		return "", err
	case st.isLink():
		target, err := os.Readlink(path)
		return sdk.Base(linkBase + target), err
	case !st.isRegular():
		return "", nil
	}
	return hashFile(path)
}

// isAbsent reports whether an error means that nothing is at a path; a folder on the way may be a file, and the name one that the file
// system does not take.
func isAbsent(err error) bool {
	for _, why := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EILSEQ} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// hashFile returns the base of a file, through links.
func hashFile(path string) (sdk.Base, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return sdk.Base(hex.EncodeToString(sum.Sum(nil))), nil
}
