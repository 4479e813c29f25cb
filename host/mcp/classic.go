package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/serena-go/serena/host"
	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/host/session"
	"github.com/serena-go/serena/sdk"
)

// classic is the interface with one tool a method: the declarations of the methods, their calls on the road that all calls take, and
// their renderings as answers. Its calls belong to the connection, not to a session.
type classic struct {
	host  *host.Host
	start session.Place // what the list was made for, which stays as it is: clients do not read it again
	order *order
	await func(ctx context.Context) // waits a little for the declarations of third parties' plugins

	mu     sync.Mutex // guards the fields below
	scope  *api.Scope // what the list was made of
	listed []string   // the names of the list, in its order
}

func newClassic(h *host.Host, await func(ctx context.Context)) *classic {
	return &classic{host: h, start: h.Sessions.Place(), order: newOrder(h.Sessions.Place), await: await}
}

// tools declares every tool that there could be, and notes which of them are listed: those that the project of the start has. The call of
// another one says why it is not there.
func (c *classic) tools() []tool {
	scope := c.host.ToolScope(c.start.Project)
	all := []tool{c.instructionsTool(), c.activateTool()}
	var listed []string
	for i, t := range all {
		if err := scope.HostTool(t.decl.Name); err != nil {
			all[i].run = func(context.Context, json.RawMessage, *reporter) *mcp.CallToolResult { return failure(err) }
			continue
		}
		listed = append(listed, t.decl.Name)
	}
	for _, m := range scope.Tools() {
		listed = append(listed, m.Tool)
	}
	for _, f := range scope.Registry().Facades() {
		for _, m := range f.Methods {
			if m.Tool != "" {
				all = append(all, c.methodTool(f, m))
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scope, c.listed = scope, listed
	return all
}

// isOld reports whether the plugins have changed since the list was made.
func (c *classic) isOld() bool {
	scope := c.host.ToolScope(c.start.Project)
	c.mu.Lock()
	defer c.mu.Unlock()
	return scope != c.scope
}

// list keeps of the tools those that are listed, in their order.
func (c *classic) list(tools []mcp.Tool) []mcp.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]mcp.Tool, 0, len(c.listed))
	for _, name := range c.listed {
		if at := slices.IndexFunc(tools, func(t mcp.Tool) bool { return t.Name == name }); at >= 0 {
			out = append(out, tools[at])
		}
	}
	return out
}

func (c *classic) isListed(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.listed, name)
}

// methodTool declares the tool of a method. Arguments are bound on the way, by the declaration of the moment.
func (c *classic) methodTool(f *api.Facade, m *api.Method) tool {
	decl := m.MethodDecl
	decl.Name = m.Tool
	if decl.Doc != "" {
		decl.Doc = decl.Summary + "\n\n" + decl.Doc
	} else {
		decl.Doc = decl.Summary
	}
	return tool{
		decl: decl, readOnly: !m.CanEdit, schema: schemas{declared: f.Type}.parameters(decl), title: inWords(m.Tool),
		call: func(ctx context.Context, place session.Place, args map[string]json.RawMessage, progress *reporter) *mcp.CallToolResult {
			return c.call(ctx, decl.Name, place, args, progress)
		},
	}
}

// inWords makes a title of a name: find_symbol is "Find Symbol".
func inWords(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// kind is how the calls of a tool are ordered.
func kind(t tool) int {
	switch {
	case t.decl.Name == "activate_project":
		return activates
	case t.readOnly:
		return reads
	}
	return edits
}

// call runs a method for the connection.
func (c *classic) call(ctx context.Context, name string, place session.Place, args map[string]json.RawMessage, progress *reporter) *mcp.CallToolResult {
	scope := c.host.ToolScope(place.Project)
	m, err := scope.Tool(name)
	if err != nil {
		return failure(err)
	}
	limited, cancel := c.limit(ctx)
	defer cancel()
	out, err := c.host.Dispatcher.Call(limited,
		api.Caller{Project: place.Project, Fault: place.Fault, Scope: scope, Progress: progress.report},
		api.Call{Facade: m.Facade, Method: m.Name, Args: args, Render: true, Lenient: true})
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = c.timedOut(m, err)
	}
	if err != nil {
		return failure(err)
	}
	return mcp.NewToolResultText(c.shown(out))
}

// limit bounds a call by tool_timeout.
func (c *classic) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := c.host.Config.ToolTimeout; limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

func (c *classic) timedOut(m *api.Method, err error) error {
	text := fmt.Sprintf("%s was not done within %g s and was stopped (tool_timeout in the configuration)", m.Tool, c.host.Config.ToolTimeout.Seconds())
	if m.CanEdit {
		text += "; it may have taken effect: look before you go on"
	}
	if sdk.IsKind(err, sdk.KindTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return sdk.Errorf(sdk.KindTimeout, "%s", text)
	}
	return sdk.Errorf(sdk.KindTimeout, "%s: %w", text, err)
}

// shown is the text of an answer: whole where the call's own limit shortened it, else with its middle left out beyond the configured one.
func (c *classic) shown(out api.Outcome) string {
	limit := c.host.Config.MaxAnswerChars
	var asked struct {
		Chars int `json:"max_answer_chars"`
	}
	if json.Unmarshal(out.Policy, &asked) == nil && asked.Chars > 0 {
		limit = max(limit, asked.Chars+noticeChars)
	}
	return repl.Shorten(out.Text, limit, 0, "")
}

// failure is an error as an answer. One that carries a listing is an ordinary answer of a classic tool.
func failure(err error) *mcp.CallToolResult {
	var e *sdk.Error
	if errors.As(err, &e) && e.Listing {
		return mcp.NewToolResultText(err.Error())
	}
	return mcp.NewToolResultError(errorText(err))
}

// instructionsTool and activateTool are the tools that are no methods.
func (c *classic) instructionsTool() tool {
	return tool{
		decl: sdk.MethodDecl{
			Name: "initial_instructions", Params: []sdk.ParamDecl{},
			Doc: "Tells how to work with these tools, and the state of the project. Call it first.",
		},
		readOnly: true, title: inWords("initial_instructions"),
		run: func(ctx context.Context, _ json.RawMessage, _ *reporter) *mcp.CallToolResult {
			c.await(ctx)
			return mcp.NewToolResultText(c.manual())
		},
	}
}

func (c *classic) activateTool() tool {
	str := sdk.TypeRef{Name: "str"}
	decl := sdk.MethodDecl{
		Name:   "activate_project",
		Doc:    "Makes a project the one that the tools work on. Calls that are under way stay with theirs.",
		Params: []sdk.ParamDecl{{Name: "project", Type: str, Doc: "path of the project's folder, or the name of a known project"}},
	}
	shown := schemas{}.parameters(decl)
	// Accepted and without effect: there are no sessions here.
	decl.Params = append(decl.Params, sdk.ParamDecl{Name: "session_id", Type: sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{str}}, Default: json.RawMessage("null")})
	return tool{decl: decl, schema: shown, readOnly: true, title: inWords(decl.Name), run: c.activate}
}

func (c *classic) activate(ctx context.Context, raw json.RawMessage, _ *reporter) *mcp.CallToolResult {
	var args struct {
		Project string `json:"project"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	if strings.TrimSpace(args.Project) == "" {
		return failure(sdk.Errorf(sdk.KindValue, "activate_project: project is empty: give the path of a project's folder"))
	}
	limited, cancel := c.limit(ctx)
	defer cancel()
	place := c.host.Open(limited, args.Project)
	if place.Fault != nil {
		return failure(place.Fault)
	}
	if given, listed := place.Project.Backend, c.backend(); given != listed {
		return failure(sdk.Errorf(sdk.KindRuntime, "project %s has the language backend %s, but the tools that were listed are those of %s: start the server with this project (--project), or change language_backend in its configuration; the project from before stays active", place.Project.Name, given, listed))
	}
	c.host.Sessions.Move(place)
	text := c.host.DescribePlace(place)
	for _, n := range c.host.Examine(place.Project) {
		text += "\nNote: " + n
	}
	return mcp.NewToolResultText(text + c.differences(c.host.ToolScope(place.Project)))
}

// backend is the one that the list was made for.
func (c *classic) backend() string {
	if c.start.Project != nil {
		return c.start.Project.Backend
	}
	return c.host.Config.Backend
}

// differences tells where the tools of a project are not those of the list.
func (c *classic) differences(scope *api.Scope) string {
	var off, unlisted []string
	for _, m := range scope.Tools() {
		if !c.isListed(m.Tool) {
			unlisted = append(unlisted, m.Tool)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range c.listed {
		if slices.Contains(api.HostTools, name) {
			continue
		}
		if _, err := scope.Tool(name); err != nil {
			off = append(off, name)
		}
	}
	text := ""
	if len(off) > 0 {
		text += "\nNote: these tools of the list are not enabled in this project: " + strings.Join(off, ", ")
	}
	if len(unlisted) > 0 {
		text += "\nNote: these tools are enabled in this project, but the list was made without them; start the server with this project to have them listed: " + strings.Join(unlisted, ", ")
	}
	return text
}
