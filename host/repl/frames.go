package repl

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// protocolVersion is the version of the runtime's protocol that this client speaks.
const protocolVersion = 3

// maxFrame bounds one line of the runtime, in bytes.
const maxFrame = 64 << 20

// event is a frame of the runtime. Data stays as it came: a display's may be large.
type event struct {
	Event     string          `json:"event"`
	ID        *string         `json:"id"`
	Text      string          `json:"text"`
	Data      json.RawMessage `json:"data"`
	Status    string          `json:"status"`
	EName     string          `json:"ename"`
	EValue    string          `json:"evalue"`
	Traceback []string        `json:"traceback"`
	Protocol  int             `json:"protocol"`
	Python    string          `json:"python"`
	kept                      // of the done of another request than a cell
}

// kept is what the done of snapshot, restore and list_names adds.
type kept struct {
	Saved    []string     `json:"saved"`
	Skipped  []NameReason `json:"skipped"`
	Pruned   []string     `json:"pruned"`
	Bytes    int64        `json:"bytes"`
	Restored []string     `json:"restored"`
	Failed   []NameReason `json:"failed"`
	Names    []string     `json:"names"`
	Reason   string       `json:"reason"`
}

func (e event) id() string {
	if e.ID == nil {
		return ""
	}
	return *e.ID
}

// oversized reports a frame beyond maxFrame, which was read and thrown away. Event and ID are known as far as its beginning told.
type oversized struct {
	Event, ID string
	Size      int
}

func (e *oversized) Error() string {
	return fmt.Sprintf("a frame of %d bytes exceeds the limit of %d", e.Size, maxFrame)
}

// frameReader reads one frame after the other.
type frameReader struct{ r *bufio.Reader }

func newFrameReader(r io.Reader) *frameReader { return &frameReader{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next frame. io.EOF ends the stream (an incomplete last line is dropped with it); an *oversized or *json.SyntaxError
// concerns one line only.
func (f *frameReader) next() (event, error) {
	line, err := f.line()
	if err != nil {
		return event{}, err
	}
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return event{}, fmt.Errorf("a line of the runtime is no frame: %w", err)
	}
	return e, nil
}

// line returns the next line. The slice is good until the next call.
func (f *frameReader) line() ([]byte, error) {
	part, err := f.r.ReadSlice('\n')
	if err == nil {
		return part, nil
	}
	line := append([]byte(nil), part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(line) > maxFrame {
			return nil, f.skip(line)
		}
		part, err = f.r.ReadSlice('\n')
		line = append(line, part...)
	}
	return line, err
}

// headOfFrame finds what a frame is for at its beginning. The runtime writes the two fields first, in this order; where it
// did not, nothing is found.
var headOfFrame = regexp.MustCompile(`^\{"event":"(\w+)","id":"([^"\\]*)"`)

// skip reads the rest of a line that is too long.
func (f *frameReader) skip(start []byte) error {
	tooLong := &oversized{Size: len(start)}
	if m := headOfFrame.FindSubmatch(start[:min(len(start), 4<<10)]); m != nil {
		tooLong.Event, tooLong.ID = string(m[1]), string(m[2])
	}
	for {
		part, err := f.r.ReadSlice('\n')
		tooLong.Size += len(part)
		if err == nil {
			return tooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
