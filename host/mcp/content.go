package mcp

import (
	"encoding/json"
	"errors"
	"strings"

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
	for _, d := range r.Displays {
		out.Content = append(out.Content, displayContent(d)...)
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
func displayContent(d repl.Display) []mcp.Content {
	for mime, payload := range d {
		var text string
		if json.Unmarshal(payload, &text) == nil && strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
			return []mcp.Content{mcp.NewImageContent(strings.TrimSpace(text), mime)}
		}
	}
	var text string
	if json.Unmarshal(d["text/plain"], &text) == nil {
		return []mcp.Content{mcp.NewTextContent(text)}
	}
	data, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	return []mcp.Content{mcp.NewTextContent(string(data))}
}

// errorText is an error as a model reads it: its kind and its message.
func errorText(err error) string {
	var e *sdk.Error
	if errors.As(err, &e) {
		return e.Kind + ": " + err.Error()
	}
	return err.Error()
}
