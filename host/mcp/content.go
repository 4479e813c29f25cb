package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats that image.DecodeConfig knows
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/sdk"
)

// cellResult turns a cell's result into content: standard output, standard error, displays, and last the value or the
// error, each where there is one. Nothing to say is an empty list. Of each text at most limit characters are shown.
func cellResult(r repl.Result, err error, limit int) *mcp.CallToolResult {
	out := &mcp.CallToolResult{Content: []mcp.Content{}}
	add := func(text string) { out.Content = append(out.Content, mcp.NewTextContent(text)) }
	if r.Stdout != "" {
		add("stdout:\n" + repl.Shorten(r.Stdout, limit, r.StdoutChars, ""))
	}
	if r.Stderr != "" {
		add("stderr:\n" + repl.Shorten(r.Stderr, limit, r.StderrChars, ""))
	}
	left := limit // of the characters of all displays together
	for i, d := range r.Displays {
		content := displayContent(d)
		text, isText := content.(mcp.TextContent)
		if !isText {
			out.Content = append(out.Content, content)
			continue
		}
		if left <= 0 {
			add(fmt.Sprintf("%d more displays are left out: together with those above they exceed the %d characters of an answer", len(r.Displays)-i, limit))
			break
		}
		add(repl.Shorten(text.Text, left, 0, ""))
		left -= utf8.RuneCountInString(text.Text)
	}
	if len(r.Notes) > 0 {
		add("note: " + strings.Join(r.Notes, "\nnote: "))
	}
	switch {
	case err != nil:
		out.IsError = true
		add(errorText(err))
	case r.Failure != nil:
		out.IsError = true
		add(repl.Shorten(r.Failure.Text(), limit, 0, ""))
	case r.Value != nil:
		if r.AskedChars > 0 { // it is shortened by its own rules already, never inside a record
			limit = max(limit, r.AskedChars+noticeChars)
		}
		add(repl.Shorten(*r.Value, limit, 0, "the value itself is in `_`"))
	}
	return out
}

// noticeChars is what the notices of a shortened answer may take beyond its limit.
const noticeChars = 4000

// displayContent shows the best form of a display: an image as an image, text as text, anything else as JSON.
func displayContent(d repl.Display) mcp.Content {
	for _, mime := range slices.Sorted(maps.Keys(d)) {
		if data, ok := imageData(mime, d[mime]); ok {
			return mcp.NewImageContent(data, mime)
		}
	}
	var text string
	if json.Unmarshal(d["text/plain"], &text) == nil {
		return mcp.NewTextContent(text)
	}
	return mcp.NewTextContent(string(mustJSON(d))) // it came as JSON
}

// imageData is an image's base64 as clients accept it, without white space. What is none is not passed on as an image: a client may
// refuse the whole answer for it.
func imageData(mime string, payload json.RawMessage) (string, bool) {
	var text string
	if !strings.HasPrefix(mime, "image/") || mime == "image/svg+xml" || json.Unmarshal(payload, &text) != nil {
		return "", false
	}
	text = strings.Join(strings.Fields(text), "")
	data, err := base64.StdEncoding.DecodeString(text)
	return text, err == nil && isImage(mime, data)
}

// isImage reports whether data begins as an image of that type does. Types that the standard library does not tell apart are believed.
func isImage(mime string, data []byte) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif":
		const most = 1 << 15 // pixels a side
		size, format, err := image.DecodeConfig(bytes.NewReader(data))
		return err == nil && "image/"+format == mime && size.Width <= most && size.Height <= most
	case "image/webp", "image/bmp":
		return http.DetectContentType(data) == mime
	}
	return len(data) > 0
}

// errorText is an error as a model reads it: its kind and its message.
func errorText(err error) string {
	var e *sdk.Error
	if errors.As(err, &e) {
		return e.Kind + ": " + err.Error()
	}
	return err.Error()
}
