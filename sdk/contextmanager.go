package sdk

import (
	"context"
	"encoding/json"
	"time"
)

// Exit is how the block of a with statement ended.
type Exit struct {
	Failed bool   // by an exception, an interrupt or a cancellation; nothing of the rest is set otherwise
	Kind   string // name of the exception's class: "ValueError", "KeyboardInterrupt"
	Error  string // its text, may be empty
}

// leaveLimit bounds leaving what was entered for a caller who had gone by then.
const leaveLimit = 10 * time.Second

// exitParams are the parameters of a context manager's exit.
type exitParams[R any] struct {
	Entered R       `json:"entered" doc:"what entering answered"`
	Error   *string `json:"error" default:"None" doc:"the text of the exception that ended the block; None: it ended normally"`
	Kind    *string `json:"error_kind" default:"None" doc:"the name of its class"`
}

// NewContextManager declares a method that is used in a with statement, `with s.facade.name(…) as v:`, as the two methods that a facade needs for
// it. enter runs when the block begins; v is its result, which is a record. exit runs once at the end of each block that was entered, however it
// ended, interrupts included, with the record's data as Python had it; its error is raised with the block's own as its context. If entering is
// cancelled, or its result cannot be delivered, exit is called as well where enter has succeeded.
//
// doc and opts are as for NewMethod; a context manager can be no classic tool. The flags hold for both methods.
func NewContextManager[P, R any](name string, enter func(ctx context.Context, call *Call, p P) (R, error),
	exit func(ctx context.Context, call *Call, entered R, outcome Exit) error, doc string, opts ...MethodOption) []Method {
	m := NewMethod(name, enter, doc, opts...)
	m.decl.Kind, m.decl.Exit = MethodContextManager, name+"_exit_"
	leave := NewMethod(m.decl.Exit, func(ctx context.Context, call *Call, p exitParams[R]) (*string, error) {
		outcome := Exit{Failed: p.Kind != nil || p.Error != nil}
		if p.Kind != nil {
			outcome.Kind = *p.Kind
		}
		if p.Error != nil {
			outcome.Error = *p.Error
		}
		return nil, exit(ctx, call, p.Entered, outcome)
	}, "Leaves "+name+".\n\nCalled at the end of the with block.")
	d := m.decl
	leave.decl.Optional, leave.decl.Beta, leave.decl.CanEdit = d.Optional, d.Beta, d.CanEdit
	leave.decl.UsesProjectServer, leave.decl.Backend = d.UsesProjectServer, d.Backend
	leave.check = nil // R is m's affair
	return []Method{m, leave}
}

// leaveAbandoned leaves, by the method exit, what was entered for a caller who did not get the answer.
func leaveAbandoned(ctx context.Context, exit Method, call *Call, entered json.RawMessage) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	args, err := json.Marshal(map[string]any{"entered": entered, "error": "the call was cancelled while it was entered", "error_kind": KindCancelled})
	if err == nil {
		_, err = exit.run(ctx, call, args)
	}
	if err != nil {
		call.Log().Error("what a cancelled call had entered could not be left", "exit", exit.decl.Name, "error", err)
	}
}

// contextManager checks a method by its kind.
func (v *validator) contextManager(f FacadeDecl, m MethodDecl) {
	at := f.Name + "." + m.Name
	switch m.Kind {
	case "":
		if m.Exit != "" {
			v.fault("%s has an exit, %s, but is no context manager", at, m.Exit)
		}
		return
	case MethodContextManager:
	default:
		v.fault("%s is of the unknown kind %q: there are %q and, for ordinary methods, none", at, m.Kind, MethodContextManager)
		return
	}
	exit := f.method(m.Exit)
	switch {
	case m.Tool != "":
		v.fault("%s is a context manager and so can be no classic tool: remove the tool %s", at, m.Tool)
	case v.kinds[m.Result.Name] != TypeRecord:
		v.fault("%s is a context manager: entering it must answer a record, not %s", at, m.Result.Annotation())
	case !Hidden(m.Exit):
		v.fault("%s is a context manager: the name of its exit, %q, must end in \"_\"", at, m.Exit)
	case exit == nil:
		v.fault("%s is a context manager, but facade %s has no method %s: add all methods that NewContextManager returns", at, f.Name, m.Exit)
	case !exit.takesExit(m.Result):
		v.fault("%s: %s must have the parameters entered: %s, error: str | None = None, error_kind: str | None = None", at, m.Exit, m.Result.Annotation())
	case exit.CanEdit != m.CanEdit || exit.Optional != m.Optional || exit.Backend != m.Backend:
		v.fault("%s and its exit %s must have the same flags and backend", at, m.Exit)
	}
}

func (m *MethodDecl) takesExit(entered TypeRef) bool {
	if len(m.Params) != 3 || m.Params[0].Name != "entered" || m.Params[1].Name != "error" || m.Params[2].Name != "error_kind" {
		return false
	}
	first := m.Params[0].Type.Name
	return (first == entered.Name || first == "Any") && !m.Params[1].Required() && !m.Params[2].Required() &&
		m.Params[1].Type.Annotation() == "str | None" && m.Params[2].Type.Annotation() == "str | None"
}
