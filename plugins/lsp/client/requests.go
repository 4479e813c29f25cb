package client

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// handle answers what the server asks and hears what it tells. It runs on the connection's reader and must not wait.
func (c *Client) handle(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		c.hear(req.Method(), req.Params())
		return nil, nil // an error would end the connection
	}
	switch req.Method() {
	case "workspace/configuration":
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		_ = json.Unmarshal(req.Params(), &p) // no items: an empty answer
		return make([]any, len(p.Items)), nil
	case "workspace/workspaceFolders":
		return nil, nil // as given in initialize
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
		"workspace/diagnostic/refresh", "workspace/semanticTokens/refresh", "workspace/codeLens/refresh", "workspace/inlayHint/refresh",
		"workspace/foldingRange/refresh", "workspace/inlineValue/refresh", "window/showMessageRequest":
		return nil, nil
	case "window/showDocument":
		return map[string]any{"success": false}, nil
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "files are changed by the user's own requests only"}, nil
	}
	return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "the client has no method "+req.Method())
}

func (c *Client) hear(method string, params []byte) {
	switch method {
	case "$/progress":
		c.ready.hear(params)
	case "window/logMessage", "window/showMessage":
		var p struct {
			Type    int    `json:"type"`
			Message string `json:"message"`
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		// A server's own words are for the log file at most: what concerns the caller stands in an answer.
		log := c.cfg.Log.Debug
		switch p.Type {
		case 1: // error
			c.complaints.add(p.Message)
			log = c.cfg.Log.Info
		case 2: // warning
			log = c.cfg.Log.Info
		}
		log(p.Message, "server", c.cfg.Name)
	}
}

// complaintLength bounds a logged error within an error of ours, in bytes.
const complaintLength = 500

// complaints holds the last error that the server logged.
type complaints struct {
	mu    sync.Mutex // guards the fields below
	at    time.Time
	text  string
	added chan struct{} // closed and forgotten at each error; nil: nobody waits
}

func (c *complaints) add(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > complaintLength {
		text = strings.ToValidUTF8(text[:complaintLength], "") + "…"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.text = time.Now(), text
	if c.added != nil {
		close(c.added)
		c.added = nil
	}
}

// wait returns the first error that is logged after that time, "" when none is until ctx or the server ends.
func (c *complaints) wait(ctx context.Context, dead <-chan struct{}, t time.Time) string {
	c.mu.Lock()
	if !c.at.Before(t) {
		defer c.mu.Unlock()
		return c.text
	}
	if c.added == nil {
		c.added = make(chan struct{})
	}
	added := c.added
	c.mu.Unlock()
	select {
	case <-added:
	case <-dead:
	case <-ctx.Done():
	}
	return c.since(t)
}

// since returns the last error if it was logged after that time.
func (c *complaints) since(t time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.Before(t) {
		return ""
	}
	return c.text
}
