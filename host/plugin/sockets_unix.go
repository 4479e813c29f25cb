//go:build unix

package plugin

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/serena-go/serena/sdk"
)

const shortBase = "/tmp"

// tryLock takes the lock of an open file, which lasts until it is closed or the process ends.
func tryLock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// checkPrivate refuses an address that others than this user could reach: a plugin listens on a unix socket in the folder it was given, which
// nobody else can enter.
func checkPrivate(name, network, addr, dir string) error {
	if network == "unix" && dir != "" {
		place, err := filepath.EvalSymlinks(addr)
		folder, dirErr := filepath.EvalSymlinks(dir)
		if rel, relErr := filepath.Rel(folder, place); errors.Join(err, dirErr, relErr) == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return sdk.Errorf(sdk.KindPermission, "plugin %s listens on %s %s, where others on this machine could call it, and is not used: "+
		"it must listen on a unix socket in the folder that $PLUGIN_UNIX_SOCKET_DIR names", name, network, addr)
}
