package fs

import (
	"github.com/serena-go/serena/internal/textenc"
)

const (
	bufferBytes = 128 << 10 // of a buffer; most files are smaller
	keptBytes   = 8 << 20   // of a buffer that is used again
)

// fileBuffer holds one file after the other, so that reading thousands of them needs the memory of one. It belongs to one goroutine.
type fileBuffer struct {
	data []byte
}

// read reads a file unless it is none that a search looks into; of a binary one only the start. The data is good until the next
// call.
func (b *fileBuffer) read(f found, enc textenc.Encoding) ([]byte, skip) {
	if !f.regular { // opening a pipe or a device could wait for ever
		return nil, special
	}
	if b.data == nil || cap(b.data) > keptBytes {
		b.data = make([]byte, bufferBytes)
	}
	file, err := openToRead(f.real)
	if err != nil {
		return nil, unreadable
	}
	defer file.close()
	size := 0
	for {
		n, err := file.read(b.data[size:])
		if err != nil {
			return nil, unreadable
		}
		if n == 0 {
			break
		}
		head := size == 0
		size += n
		if head && !textenc.IsWide(enc, b.data[:size]) && looksBinary(b.data[:size]) {
			return nil, binary
		}
		if size < len(b.data) {
			continue
		}
		if why := b.grow(file, size); why != notSkipped {
			return nil, why
		}
	}
	return b.data[:size], notSkipped
}

// grow makes room for the rest of a file.
func (b *fileBuffer) grow(file openFile, size int) skip {
	total, err := file.size()
	switch {
	case err != nil:
		return unreadable
	case total > maxSearchedBytes || size > maxSearchedBytes:
		return tooLarge
	}
	larger := make([]byte, max(int(total)+512, size+size/4)) // it may grow while it is read
	copy(larger, b.data[:size])
	b.data = larger
	return notSkipped
}
