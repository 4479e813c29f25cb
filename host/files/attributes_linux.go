package files

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the attribute that holds a file's access control list. A new file has one if its folder says so.
const accessList = "system.posix_acl_access"

// takeAttributes gives a staged file the extended attributes and the access control list of the file that it replaces. What was said of
// the old content alone (capabilities, signatures: security and trusted attributes) stays away, as it does when a file is written to, except
// for its SELinux label.
func takeAttributes(file *os.File, from string) error {
	names, err := attributeNames(from)
	if err != nil {
		return unsupportedIsFine(err)
	}
	fd := int(file.Fd())
	if !slices.Contains(names, accessList) {
		if err := unix.Fremovexattr(fd, accessList); err != nil && !errors.Is(err, unix.ENODATA) && unsupportedIsFine(err) != nil {
			return fmt.Errorf("remove the folder's access control list: %w", err)
		}
	}
	for _, name := range names {
		label := name == "security.selinux"
		if name != accessList && !label && !strings.HasPrefix(name, "user.") {
			continue
		}
		value, err := attribute(from, name)
		if err == nil {
			err = unix.Fsetxattr(fd, name, value, 0)
		}
		if err != nil && !label && !errors.Is(err, unix.ENODATA) && unsupportedIsFine(err) != nil {
			return fmt.Errorf("keep the attribute %s: %w", name, err)
		}
	}
	return nil
}

func unsupportedIsFine(err error) error {
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func attributeNames(path string) ([]string, error) {
	list, err := sized(func(buffer []byte) (int, error) { return unix.Llistxattr(path, buffer) })
	if err != nil {
		return nil, fmt.Errorf("list the attributes: %w", err)
	}
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 }), nil
}

func attribute(path, name string) ([]byte, error) {
	return sized(func(buffer []byte) (int, error) { return unix.Lgetxattr(path, name, buffer) })
}

// sized calls read with a buffer that is large enough, also if what is read grows meanwhile.
func sized(read func([]byte) (int, error)) ([]byte, error) {
	for {
		size, err := read(nil)
		if err != nil || size == 0 {
			return nil, err
		}
		buffer := make([]byte, size)
		size, err = read(buffer)
		if !errors.Is(err, unix.ERANGE) {
			return buffer[:max(size, 0)], err
		}
	}
}
