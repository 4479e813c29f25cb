//go:build !windows

package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stamp tells one state of a file from another without reading it. Times are nanoseconds since 1970.
type stamp struct {
	size, mtime, ctime int64
	device, inode      uint64
	mode               uint32
	uid, gid           uint32
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), device: uint64(st.Dev), inode: uint64(st.Ino),
		mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid,
	}
}

// lstamp does not follow a link; the error is a *fs.PathError.
func lstamp(path string) (stamp, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(path, &st)
		if err == nil {
			return stampOf(&st), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
}

// followed is the stamp of what a link leads to.
func followed(path string) (stamp, error) {
	st, _, err := followedNames(path)
	return st, err
}

// followedNames is followed, with the number of names that the file has.
func followedNames(path string) (stamp, uint64, error) {
	var st unix.Stat_t
	for {
		err := unix.Stat(path, &st)
		if err == nil {
			return stampOf(&st), uint64(st.Nlink), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return stamp{}, 0, &fs.PathError{Op: "stat", Path: path, Err: err}
		}
	}
}

func fstamp(file *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return stamp{}, &fs.PathError{Op: "fstat", Path: file.Name(), Err: err}
	}
	return stampOf(&st), nil
}

func (s stamp) isRegular() bool { return s.mode&unix.S_IFMT == unix.S_IFREG }
func (s stamp) isFolder() bool  { return s.mode&unix.S_IFMT == unix.S_IFDIR }
func (s stamp) isLink() bool    { return s.mode&unix.S_IFMT == unix.S_IFLNK }

// fileID is the same for all names of a file.
type fileID struct{ device, inode uint64 }

func (s stamp) id() fileID { return fileID{s.device, s.inode} }

// sameFile reports whether both are one file, under whatever names.
func (s stamp) sameFile(o stamp) bool { return s.inode == o.inode && s.device == o.device }

// attributes are what a file that is made anew needs to be like the one of this stamp.
func (s stamp) attributes() (mode, uid, gid uint32) { return s.mode, s.uid, s.gid }

func stampWith(mode, uid, gid uint32) stamp { return stamp{mode: mode, uid: uid, gid: gid} }

// own is the same for a file of this user.
func (s stamp) own() stamp {
	return stampWith(s.mode, uint32(os.Geteuid()), uint32(os.Getegid()))
}

// inherit gives a staged file the owner and the mode of the file that it replaces, and the attributes of the file from, unless that is "".
func (s stamp) inherit(file *os.File, from string) error {
	own, err := fstamp(file)
	if err != nil {
		return err
	}
	if own.uid != s.uid || own.gid != s.gid {
		if err := file.Chown(int(s.uid), int(s.gid)); err != nil {
			return &ownerError{uid: s.uid, gid: s.gid, err: cause(err)}
		}
	}
	if from != "" {
		if err := takeAttributes(file, from); err != nil {
			return &fs.PathError{Op: "keep the attributes of", Path: from, Err: err}
		}
	}
	// Not os.Chmod: the bits above 0777 have other values there. After Chown, which clears some of them.
	return unix.Fchmod(int(file.Fd()), s.mode&0o7777)
}

// checkWritable refuses a file that is there and that this user may not write: replacing it would go around that.
func checkWritable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
