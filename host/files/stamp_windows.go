package files

import (
	"io/fs"
	"os"
)

// stamp tells one state of a file from another without reading it. Times are nanoseconds since 1970; the system gives no
// change time and no cheap file number, so those stay 0.
type stamp struct {
	size, mtime, ctime int64
	mode               fs.FileMode
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode()}
}

func lstamp(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func followed(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// followedNames is followed; every file counts as having one name.
func followedNames(path string) (stamp, uint64, error) {
	st, err := followed(path)
	return st, 1, err
}

func fstamp(file *os.File) (stamp, error) {
	info, err := file.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func (s stamp) isRegular() bool { return s.mode.IsRegular() }
func (s stamp) isFolder() bool  { return s.mode.IsDir() }
func (s stamp) isLink() bool    { return s.mode&fs.ModeSymlink != 0 }

// fileID cannot be told from a stamp.
type fileID struct{}

func (s stamp) id() fileID { return fileID{} }

// sameFile cannot be told from a stamp.
func (s stamp) sameFile(stamp) bool { return false }

// attributes are what a file that is made anew needs to be like the one of this stamp.
func (s stamp) attributes() (mode, uid, gid uint32) { return uint32(s.mode), 0, 0 }

func stampWith(mode, _, _ uint32) stamp { return stamp{mode: fs.FileMode(mode)} }

func (s stamp) own() stamp { return s }

// inherit has nothing to do: a renamed file takes the folder's access list.
func (s stamp) inherit(*os.File, string) error { return nil }

func checkWritable(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}
