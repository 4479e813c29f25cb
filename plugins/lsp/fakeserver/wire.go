package fakeserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// message is what of any message a fake server looks at.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Params struct {
		ID           json.RawMessage `json:"id"`
		TextDocument struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
		Position struct {
			Line      int `json:"line"`
			Character int `json:"character"`
		} `json:"position"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	} `json:"params"`
}

func (m message) uri() string { return m.Params.TextDocument.URI }

// outcome is an answer's result or error.
func (m message) outcome() json.RawMessage {
	if m.Error != nil {
		return m.Error
	}
	return m.Result
}

// wire reads and writes messages.
type wire struct {
	in  *bufio.Reader
	out io.Writer
}

func newWire(in io.Reader, out io.Writer) *wire { return &wire{in: bufio.NewReader(in), out: out} }

func (w *wire) read() (message, error) {
	length := 0
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			return message{}, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(n); err != nil {
				return message{}, err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(w.in, body); err != nil {
		return message{}, err
	}
	var m message
	return m, json.Unmarshal(body, &m)
}

func (w *wire) raw(text string) { fmt.Fprint(w.out, text) }

func (w *wire) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // the roles send plain data
	}
	w.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (s *server) answer(id json.RawMessage, result any) {
	if s.role == Noisy {
		s.raw("warning: this goes to stdout\r\nand this: too\n\nno line end")
	}
	s.send(map[string]any{"id": id, "result": result})
}

func (s *server) refuse(id json.RawMessage, code int, text string) {
	s.send(map[string]any{"id": id, "error": map[string]any{"code": code, "message": text}})
}

func (s *server) notify(method string, params any) {
	s.send(map[string]any{"method": method, "params": params})
}

func (s *server) ask(id, method string, params any) {
	s.send(map[string]any{"id": id, "method": method, "params": params})
}
