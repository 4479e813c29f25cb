//go:build !unix

package fs

import (
	"errors"
	"io"
	"os"
)

// openFile is a file that is read once, from start to end.
type openFile struct{ file *os.File }

func openToRead(path string) (openFile, error) {
	file, err := os.Open(path)
	return openFile{file}, err
}

// read returns 0 at the end.
func (f openFile) read(to []byte) (int, error) {
	n, err := f.file.Read(to)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f openFile) size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f openFile) close() { _ = f.file.Close() }
