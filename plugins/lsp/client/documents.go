package client

import (
	"sync"

	"github.com/serena-go/serena/plugins/lsp/protocol"
)

// documents is what the server has open, by URI.
type documents struct {
	mu   sync.Mutex // guards open, and is held while the server is told: versions must not overtake each other
	open map[string]*document
	tick uint64
}

type document struct {
	text    string
	version int
	used    uint64 // for the choice of the one to close
}

// maxOpen bounds the documents a server keeps in memory for us.
const maxOpen = 100

// Show makes the server see the document with this text: opens it, or tells the new text if it differs. The least
// recently shown document is closed when there are too many.
func (c *Client) Show(uri, languageID, text string) error {
	d := &c.docs
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[string]*document{}
	}
	d.tick++
	doc := d.open[uri]
	if doc == nil {
		if err := c.closeOldest(); err != nil {
			return err
		}
		d.open[uri] = &document{text: text, version: 1, used: d.tick}
		return c.Notify("textDocument/didOpen", protocol.DidOpen{TextDocument: protocol.TextDocumentItem{URI: uri, LanguageID: languageID, Version: 1, Text: text}})
	}
	doc.used = d.tick
	if doc.text == text {
		return nil
	}
	doc.text = text
	doc.version++
	return c.Notify("textDocument/didChange", protocol.DidChange{TextDocument: protocol.VersionedDocument{URI: uri, Version: doc.version}, ContentChanges: []protocol.FullText{{Text: text}}})
}

func (c *Client) closeOldest() error {
	d := &c.docs
	if len(d.open) < maxOpen {
		return nil
	}
	oldest := ""
	for uri, doc := range d.open {
		if oldest == "" || doc.used < d.open[oldest].used {
			oldest = uri
		}
	}
	return c.hide(oldest)
}

// Hide closes the document if it is open: the server goes by the file again.
func (c *Client) Hide(uri string) error {
	c.docs.mu.Lock()
	defer c.docs.mu.Unlock()
	if c.docs.open[uri] == nil {
		return nil
	}
	return c.hide(uri)
}

func (c *Client) hide(uri string) error {
	delete(c.docs.open, uri)
	return c.Notify("textDocument/didClose", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: uri}})
}

// Shown reports whether the document is open, and in which text.
func (c *Client) Shown(uri string) (text string, open bool) {
	c.docs.mu.Lock()
	defer c.docs.mu.Unlock()
	if doc := c.docs.open[uri]; doc != nil {
		return doc.text, true
	}
	return "", false
}

// Opened returns the URIs of the open documents.
func (c *Client) Opened() []string {
	c.docs.mu.Lock()
	defer c.docs.mu.Unlock()
	uris := make([]string, 0, len(c.docs.open))
	for uri := range c.docs.open {
		uris = append(uris, uri)
	}
	return uris
}
