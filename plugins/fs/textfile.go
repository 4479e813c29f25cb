package fs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

const (
	maxFileBytes = 128 << 20 // of a file that is read or edited
	sniffedBytes = 8 << 10   // of a file that are looked at for NUL bytes, the mark of a binary file
)

// textFile is a file that a caller named, read whole.
type textFile struct {
	path contain.Path
	data []byte
	text *textenc.Text
}

func encodingOf(p *sdk.Project) (textenc.Encoding, error) {
	enc, err := textenc.Lookup(p.Encoding)
	if err != nil {
		return enc, sdk.Errorf(sdk.KindLookup, "the project's setting encoding: %w", err)
	}
	return enc, nil
}

// readText reads a file in the project's encoding or, if it has a byte order mark, in that one.
func readText(p *sdk.Project, named string) (*textFile, error) {
	enc, err := encodingOf(p)
	if err != nil {
		return nil, err
	}
	at, info, err := stat(p, named)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, sdk.Errorf(sdk.KindIsADirectory, "%q is a folder: name a file, or list the folder with list_dir", at.Rel)
	case !info.Mode().IsRegular(): // opening a pipe or a device could wait for ever
		return nil, sdk.Errorf(sdk.KindValue, "%q is no regular file (%s) and cannot be read as text", at.Rel, info.Mode().Type())
	case info.Size() > maxFileBytes:
		return nil, sdk.Errorf(sdk.KindValue, "%q has %d bytes, more than the %d that can be read: search it, or use a command that reads a part", at.Rel, info.Size(), maxFileBytes)
	}
	data, err := readRegular(at.Real, info.Size())
	if err != nil {
		return nil, fileError(at.Rel, err)
	}
	text, err := textenc.DecodeAround(enc, data)
	var bad *textenc.DecodeError
	if errors.As(err, &bad) {
		return nil, undecodable(at.Rel, data, bad, "")
	}
	if err != nil {
		return nil, err
	}
	return &textFile{path: at, data: data, text: text}, nil
}

// readRegular reads a file of which the size is known, give or take what is being written to it just now.
func readRegular(path string, size int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRest(f, make([]byte, 0, size+512))
}

// readRest appends the rest of a file to data. A file that grows faster than it is read is not followed for ever.
func readRest(f *os.File, data []byte) ([]byte, error) {
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) > maxFileBytes {
			return nil, fmt.Errorf("%s grows while it is read", f.Name())
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// undecodable tells of bytes that are not of the encoding. where is empty or says on which line they are.
func undecodable(rel string, data []byte, bad *textenc.DecodeError, where string) error {
	wide := textenc.IsWide(textenc.Encoding{}, data) // by its mark
	if looksBinary(data) && !wide {
		return sdk.Errorf(sdk.KindUnicode, "%q looks like a binary file: %w", rel, bad)
	}
	return sdk.Errorf(sdk.KindUnicode, "%q cannot be read as %s: %w%s; if the project's files have another encoding, set it as encoding in the project's settings "+
		"(latin-1 fits any byte)", rel, bad.Encoding, bad, where)
}

// looksBinary tells whether a file that starts with data holds no text. UTF-16, whose NUL bytes mean nothing, has to be
// told apart before.
func looksBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffedBytes)], 0) >= 0
}

// checkDecoded refuses a range of the text that holds bytes which are not of its encoding.
func (f *textFile) checkDecoded(index *lines.Index, from, to int) error {
	bad := f.text.Invalid(from, to)
	if bad == nil {
		return nil
	}
	line := index.LineAt(bad.InText)
	can := "searched and edited"
	if textenc.IsWide(f.text.Encoding(), f.data) {
		can = "edited"
	}
	return undecodable(f.path.Rel, f.data, bad, fmt.Sprintf(" (line %d); other lines can be read, and the file can be %s", line, can))
}
