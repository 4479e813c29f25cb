package native

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/sdk"
)

var (
	//go:embed docs/history.md
	historyDoc string
	//go:embed docs/undo.md
	undoDoc string
	//go:embed docs/transaction.md
	transactionDoc string
)

// takingBack are the methods by which a session takes its edits back.
func takingBack() []sdk.Method {
	methods := []sdk.Method{
		sdk.NewMethod("history", history, historyDoc),
		sdk.NewMethod("undo", undo, undoDoc, sdk.CanEdit()),
		sdk.NewMethod("rollback_", rollBack, "Takes back what a transaction did so far.\n\nCalled by EditTransaction.rollback.", sdk.CanEdit()),
	}
	return append(methods, sdk.NewContextManager("transaction", begin, end, transactionDoc, sdk.CanEdit())...)
}

// EditHistory is what undo can take back.
type EditHistory struct {
	Edits    []PastEdit `json:"edits" items:"true" doc:"the newest last"`
	Complete bool       `json:"complete" doc:"False: there were earlier ones, which are not kept any more"`
	Notes    []string   `json:"notes" doc:"what there is to know about it"`
}

// TypeDoc documents the type.
func (EditHistory) TypeDoc() string { return "The edits of a session that can be taken back." }

// PastEdit is what is taken back at once.
type PastEdit struct {
	Steps       int      `json:"steps" doc:"undo(steps) takes it back, and all after it"`
	Time        string   `json:"time" doc:"local time of its last write, as 2006-01-02 15:04:05"`
	Methods     []string `json:"methods" doc:"the methods that wrote, such as edit.replace_content"`
	Files       []string `json:"files" doc:"relative to the project root; absolute for those outside"`
	Transaction bool     `json:"transaction" doc:"it is a transaction"`
	Open        bool     `json:"open" doc:"that has not ended yet"`
	Undoable    bool     `json:"undoable" doc:"False: it replaced too much to be kept, or is an open transaction"`
}

// TypeDoc documents the type.
func (PastEdit) TypeDoc() string { return "An edit, or the edits of a transaction." }

var _, _ sdk.Renderer = EditHistory{}, PastEdit{}

// RenderText is a line for each edit.
func (h EditHistory) RenderText(p sdk.Policy) string {
	if len(h.Edits) == 0 {
		return strings.Join(append([]string{"This session has no edit that could be taken back."}, h.Notes...), "\n")
	}
	lines := []string{"steps, time, method: files"}
	for _, e := range h.Edits {
		lines = append(lines, e.RenderText(p))
	}
	return strings.Join(append(lines, h.Notes...), "\n")
}

// RenderText is one line.
func (e PastEdit) RenderText(sdk.Policy) string {
	text := fmt.Sprintf("%d, %s, ", e.Steps, e.Time)
	if e.Transaction {
		text += "transaction of "
	}
	text += strings.Join(e.Methods, ", ") + ": " + namesOf(e.Files)
	switch {
	case e.Open:
		text += " (open)"
	case !e.Undoable:
		text += " (cannot be taken back: it replaced too much to be kept)"
	}
	return text
}

// namesOf lists files, not too many.
func namesOf(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more files", strings.Join(names[:most], ", "), len(names)-most)
}

func history(ctx context.Context, call *sdk.Call, _ struct{}) (EditHistory, error) {
	req, err := requestOf(ctx, call)
	if err != nil {
		return EditHistory{}, err
	}
	edits, dropped, err := req.Project.Files.Edits(ctx, req.Session)
	if err != nil {
		return EditHistory{}, err
	}
	h := EditHistory{Edits: []PastEdit{}, Complete: !dropped, Notes: []string{}}
	if dropped {
		h.Notes = append(h.Notes, "Earlier edits are not kept any more.")
	}
	for i, e := range edits {
		h.Edits = append(h.Edits, PastEdit{
			Steps: len(edits) - i, Time: e.Time.Local().Format(time.DateTime), Methods: orEmpty(e.Methods), Files: orEmpty(e.Files),
			Transaction: e.Transaction, Open: e.Open, Undoable: !e.Open && !e.Lost,
		})
	}
	return h, nil
}

// orEmpty is a list in JSON, also without items.
func orEmpty(list []string) []string { return append([]string{}, list...) }

type undoParams struct {
	Steps int `json:"steps" default:"1" doc:"how many edits, from 1"`
}

func undo(ctx context.Context, call *sdk.Call, p undoParams) (string, error) {
	req, err := requestOf(ctx, call)
	if err != nil {
		return "", err
	}
	taken, err := req.Project.Files.Undo(ctx, req.Session, p.Steps)
	if err != nil {
		return "", err
	}
	return takenBack(taken...), nil
}

func takenBack(edits ...files.Edit) string {
	var lines []string
	for _, e := range edits {
		if len(e.Files) > 0 {
			lines = append(lines, e.String())
		}
	}
	if len(lines) == 0 {
		return "OK, there was nothing to take back"
	}
	return "OK, taken back: " + strings.Join(lines, "; ")
}

// EditTransaction is a transaction for its block.
type EditTransaction struct {
	Number int `json:"number_"`
}

// TypeDoc documents the type.
func (EditTransaction) TypeDoc() string { return "A transaction, while its block runs." }

// RecordMethods are what can be called on it in Python.
func (EditTransaction) RecordMethods() []sdk.RecordMethod {
	return []sdk.RecordMethod{{Name: "rollback", Calls: "rollback_", Doc: "Takes back all edits of the block so far, all files or none; the block goes on."}}
}

// RenderText says what it is.
func (t EditTransaction) RenderText(sdk.Policy) string {
	return fmt.Sprintf("transaction %d", t.Number)
}

func begin(ctx context.Context, call *sdk.Call, _ struct{}) (EditTransaction, error) {
	req, err := requestOf(ctx, call)
	if err != nil {
		return EditTransaction{}, err
	}
	number, err := req.Project.Files.Begin(ctx, req.Session)
	return EditTransaction{Number: number}, err
}

func end(ctx context.Context, call *sdk.Call, t EditTransaction, block sdk.Exit) error {
	req, err := requestOf(ctx, call)
	if err != nil {
		return err
	}
	store := req.Project.Files
	if !block.Failed {
		return store.Commit(req.Session, t.Number)
	}
	if block.Kind == sdk.KindCancelled { // by the host, as a rule, because Python has ended: nobody will see an exception
		return store.Forsake(ctx, req.Session, t.Number)
	}
	return store.Fail(ctx, req.Session, t.Number)
}

type rollBackParams struct {
	Record EditTransaction `json:"record" doc:"the transaction"`
}

func rollBack(ctx context.Context, call *sdk.Call, p rollBackParams) (string, error) {
	req, err := requestOf(ctx, call)
	if err != nil {
		return "", err
	}
	taken, err := req.Project.Files.RollBack(ctx, req.Session, p.Record.Number)
	if err != nil {
		return "", err
	}
	return takenBack(taken), nil
}
