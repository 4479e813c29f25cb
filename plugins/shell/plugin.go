// Package shell is the plugin that serves the facade shell: it runs the commands of the machine's shell for an agent.
//
// It has one promise to keep: a call ends, and nothing that it started outlives it. It decides nothing about which
// commands may run; the host refuses the facade where it is not wanted. Run it with the user's whole environment.
package shell

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/serena-go/serena/sdk"
)

//go:embed docs/execute_shell_command.md
var executeDoc string

// New returns the plugin.
func New() sdk.Plugin {
	s := &shell{lifeline: sdk.Lifeline()}
	return sdk.Plugin{Name: "shell", StartsPrograms: true, Facades: []sdk.Facade{{
		Name:    "shell",
		Summary: "the machine's command line",
		Methods: []sdk.Method{
			sdk.NewMethod("execute_shell_command", s.execute, executeDoc, sdk.Tool("execute_shell_command"), sdk.CanEdit(),
				sdk.Example(`shell.execute_shell_command("echo hello")`), sdk.Example(`shell.execute_shell_command("cat a.txt", cwd="sub", timeout=600)`)),
		},
	}}}
}

type shell struct {
	lifeline int // this process's own; commands are tied to it as well
}

type executeParams struct {
	Command       string          `json:"command" doc:"the command line, as for a shell"`
	Cwd           *string         `json:"cwd" default:"None" doc:"folder to run in, inside the project; None: the project root"`
	CaptureStderr bool            `json:"capture_stderr" default:"True" doc:"return stderr too; otherwise it is discarded"`
	Timeout       *float64        `json:"timeout" default:"None" doc:"seconds after which the command is killed; None: 120"`
	MaxAnswer     sdk.AnswerLimit `json:"max_answer_chars"`
}

// ShellCommandOutput is what a command did.
type ShellCommandOutput struct {
	Stdout     string  `json:"stdout" doc:"what it printed"`
	Stderr     *string `json:"stderr" doc:"what it printed to stderr; None when that was not captured"`
	ReturnCode int     `json:"return_code" doc:"exit code, or minus the number of the signal that ended it"`
	Cwd        string  `json:"cwd" doc:"the folder it ran in, absolute"`
	TimedOut   bool    `json:"timed_out" doc:"it was killed at its timeout, and the output is what came until then"`
}

// TypeDoc documents the type.
func (ShellCommandOutput) TypeDoc() string { return "What a shell command printed and how it ended." }

func (s *shell) execute(ctx context.Context, call *sdk.Call, p executeParams) (ShellCommandOutput, error) {
	project, err := call.Project()
	if err != nil {
		return ShellCommandOutput{}, err
	}
	job, err := newJob(project, p)
	if err != nil {
		return ShellCommandOutput{}, err
	}
	out, err := s.run(ctx, job)
	report(ctx, call)
	return out, err
}

var _ sdk.Renderer = ShellCommandOutput{}

// classicOutput is the JSON that the classic tool answers with.
type classicOutput struct {
	Stdout     string  `json:"stdout"`
	ReturnCode int     `json:"return_code"`
	Cwd        string  `json:"cwd"`
	Stderr     *string `json:"stderr"`
	TimedOut   bool    `json:"timed_out,omitempty"`
}

// RenderText is the classic tool's JSON. Output that makes it longer than max_answer_chars keeps its head and its tail.
func (o ShellCommandOutput) RenderText(policy sdk.Policy) string {
	limit := policy.Int("max_answer_chars", -1)
	return shortened(o, limit, func(o ShellCommandOutput) string {
		var out jsonText
		return out.of(classicOutput{o.Stdout, o.ReturnCode, o.Cwd, o.Stderr, o.TimedOut})
	})
}

// jsonText encodes without escaping what only matters inside HTML.
type jsonText struct{ text []byte }

func (j *jsonText) Write(p []byte) (int, error) {
	j.text = append(j.text, p...)
	return len(p), nil
}

func (j *jsonText) of(v any) string {
	enc := json.NewEncoder(j)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // plain strings, numbers and bools: cannot fail
	return string(j.text[:max(0, len(j.text)-1)])
}
