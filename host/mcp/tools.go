package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/serena-go/serena/host/session"
	"github.com/serena-go/serena/sdk"
)

// tool is one MCP tool: its declaration in the same terms as a facade's method, its hints, and what it does. One that has call (in the
// classic interface) binds its arguments itself and is told where to work.
type tool struct {
	decl     sdk.MethodDecl
	schema   json.RawMessage // nil: made of the declaration
	title    string          // may be empty
	readOnly bool
	run      func(ctx context.Context, args json.RawMessage, progress *reporter) *mcp.CallToolResult
	call     func(ctx context.Context, place session.Place, args map[string]json.RawMessage, progress *reporter) *mcp.CallToolResult
}

const replDoc = `Runs a Python cell against the object ` + "`s`" + `, whose attributes are facades onto the project: symbols, files, edits, shell.

Works like a notebook: names persist between cells of a session, the value of the last expression is the answer (a list
is shown element by element), printed text is returned too, await works at top level; do not write a top-level return.
Combine steps in one cell: search, filter, edit, and answer with what matters. Documentation: s.info("facade"),
s.info("facade.method"), s.info("Type"); read a facade's before you first use it.

`

func (s *Server) tools() []tool { return s.replTools(s.host.Overview(s.host.Sessions.Place().Project)) }

// replTools are the tools of the REPL interface; overview is tier 0 of the facades.
func (s *Server) replTools(overview string) []tool {
	str, optional := sdk.TypeRef{Name: "str"}, sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{{Name: "str"}}}
	return []tool{
		{
			decl: sdk.MethodDecl{
				Name: "serena_repl", Doc: replDoc + overview,
				Params: []sdk.ParamDecl{
					{Name: "session_id", Type: str, Doc: "the id that initial_instructions gave; an unknown id is a new session"},
					{Name: "code", Type: str, Doc: "the Python cell"},
				},
			},
			run: s.replTool,
		},
		{
			decl: sdk.MethodDecl{
				Name: "initial_instructions", Params: []sdk.ParamDecl{},
				Doc: "Starts a session: gives its id, how to work, and the state of the project. Call it first.",
			},
			readOnly: true,
			run:      s.instructionsTool,
		},
		{
			decl: sdk.MethodDecl{
				Name: "activate_project",
				Doc:  "Makes a project the one that cells work on. With a session's id that session alone moves; without, every session that has not chosen its own.",
				Params: []sdk.ParamDecl{
					{Name: "project", Type: str, Doc: "path of the project's folder, or the name of a known project"},
					{Name: "session_id", Type: optional, Default: json.RawMessage("null"), Doc: "the session that moves; null: the whole connection"},
				},
			},
			readOnly: true,
			run:      s.activateTool,
		},
	}
}

// tool makes the MCP declaration; its schema keeps the order of the parameters.
func (t tool) tool() mcp.Tool {
	schema := t.schema
	if schema == nil {
		schema = schemas{}.parameters(t.decl)
	}
	out := mcp.NewToolWithRawSchema(t.decl.Name, strings.TrimSpace(t.decl.Doc), schema)
	yes, no := true, false
	if t.title != "" {
		readOnly, destructive := t.readOnly, !t.readOnly
		out.Annotations = mcp.ToolAnnotation{Title: t.title, ReadOnlyHint: &readOnly, DestructiveHint: &destructive}
		return out
	}
	out.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &no, DestructiveHint: &yes, IdempotentHint: &no, OpenWorldHint: &no}
	if t.readOnly {
		out.Annotations.ReadOnlyHint, out.Annotations.DestructiveHint = &yes, &no
	}
	return out
}

func (s *Server) replTool(ctx context.Context, raw json.RawMessage, progress *reporter) *mcp.CallToolResult {
	var args struct {
		SessionID string `json:"session_id"`
		Code      string `json:"code"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	if strings.TrimSpace(args.SessionID) == "" {
		return mcp.NewToolResultError("serena_repl: session_id is empty: call initial_instructions, it gives an id")
	}
	result, err := s.host.Sessions.Execute(ctx, args.SessionID, args.Code, progress.report)
	return cellResult(result, err, s.host.Config.MaxOutputChars)
}

func (s *Server) instructionsTool(ctx context.Context, _ json.RawMessage, _ *reporter) *mcp.CallToolResult {
	s.awaitPlugins(ctx)
	sess := s.host.Sessions.Create()
	return mcp.NewToolResultText(s.manual(sess))
}

func (s *Server) activateTool(ctx context.Context, raw json.RawMessage, _ *reporter) *mcp.CallToolResult {
	var args struct {
		Project   string  `json:"project"`
		SessionID *string `json:"session_id"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	if strings.TrimSpace(args.Project) == "" {
		return mcp.NewToolResultError("activate_project: project is empty: give the path of a project's folder")
	}
	if args.SessionID != nil && strings.TrimSpace(*args.SessionID) == "" {
		return mcp.NewToolResultError("activate_project: session_id is empty: give the id of the session that shall move, or leave it out to move the whole connection")
	}
	place := s.host.Open(ctx, args.Project)
	if place.Fault != nil {
		return mcp.NewToolResultError(errorText(place.Fault))
	}
	s.move(args.SessionID, place)
	text := s.host.DescribePlace(place)
	for _, n := range s.host.Examine(place.Project) {
		text += "\nNote: " + n
	}
	return mcp.NewToolResultText(text)
}

func (s *Server) move(sessionID *string, place session.Place) {
	if sessionID != nil {
		s.host.Sessions.Get(*sessionID).Move(place)
		return
	}
	s.host.Sessions.Move(place)
}
