//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/plugins/shell"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// patience bounds every wait for something that happens at once.
const patience = 20 * time.Second

type args = map[string]any

// run runs a command that must be answered, and says how long it took.
func run(t *testing.T, h *sdktest.Harness, a args) (shell.ShellCommandOutput, sdktest.Result, time.Duration) {
	t.Helper()
	var out shell.ShellCommandOutput
	begin := time.Now()
	r := h.Into(t, &out, "shell", "execute_shell_command", a)
	return out, r, time.Since(begin)
}

func newHarness(t *testing.T) *sdktest.Harness { return sdktest.New(t, shell.New(), t.TempDir(), nil) }

// eventually waits for a fact.
func eventually(t *testing.T, what string, fact func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// pidIn reads a pid that a command writes into a file.
func pidIn(t *testing.T, path string) (pid int) {
	t.Helper()
	eventually(t, path, func() bool {
		data, _ := os.ReadFile(path)
		n, err := strconv.Atoi(strings.TrimSuffix(string(data), "\n"))
		pid = n
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	return pid
}

func TestExecute_answer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	root := h.Project.Root
	if err := os.MkdirAll(filepath.Join(root, "sub dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args args
		text string // with the root as ROOT
	}{
		"both streams":        {args{"command": "echo out; echo err >&2; exit 3"}, `{"stdout":"out\n","return_code":3,"cwd":"ROOT","stderr":"err\n"}`},
		"no stderr":           {args{"command": "echo out; echo err >&2", "capture_stderr": false}, `{"stdout":"out\n","return_code":0,"cwd":"ROOT","stderr":null}`},
		"no output":           {args{"command": "true"}, `{"stdout":"","return_code":0,"cwd":"ROOT","stderr":""}`},
		"in a folder":         {args{"command": "pwd", "cwd": "sub dir"}, `{"stdout":"ROOT/sub dir\n","return_code":0,"cwd":"ROOT/sub dir","stderr":""}`},
		"an absolute folder":  {args{"command": "pwd", "cwd": root + "/sub dir/.."}, `{"stdout":"ROOT\n","return_code":0,"cwd":"ROOT","stderr":""}`},
		"shell syntax":        {args{"command": `for i in 1 2; do printf '%s<&>"\n' "$i"; done | cat`}, `{"stdout":"1<&>\"\n2<&>\"\n","return_code":0,"cwd":"ROOT","stderr":""}`},
		"no such command":     {args{"command": "no-such-command-x 2>/dev/null"}, `{"stdout":"","return_code":127,"cwd":"ROOT","stderr":""}`},
		"ended by a signal":   {args{"command": "kill -TERM $$"}, `{"stdout":"","return_code":-15,"cwd":"ROOT","stderr":""}`},
		"stdin is empty":      {args{"command": "cat; read x || echo none"}, `{"stdout":"none\n","return_code":0,"cwd":"ROOT","stderr":""}`},
		"no terminal":         {args{"command": "(: < /dev/tty) 2>/dev/null || echo none"}, `{"stdout":"none\n","return_code":0,"cwd":"ROOT","stderr":""}`},
		"bytes that are none": {args{"command": `printf 'a\377b\303\251\303'`}, "{\"stdout\":\"a\uFFFDbé\uFFFD\",\"return_code\":0,\"cwd\":\"ROOT\",\"stderr\":\"\"}"},
		"its timeout":         {args{"command": "echo before; sleep 1000", "timeout": 0.3}, `{"stdout":"before\n","return_code":-9,"cwd":"ROOT","stderr":"","timed_out":true}`},
		"a huge timeout":      {args{"command": "true", "timeout": 1e300}, `{"stdout":"","return_code":0,"cwd":"ROOT","stderr":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, r, took := run(t, h, c.args)
			if got := strings.ReplaceAll(r.Text, root, "ROOT"); got != c.text {
				t.Errorf("%s\nwant %s", got, c.text)
			}
			if took > patience || out.TimedOut != (name == "its timeout") {
				t.Errorf("%+v after %s", out, took)
			}
		})
	}
}

func TestExecute_refusals(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if err := os.WriteFile(filepath.Join(h.Project.Root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(h.Project.Root, "out")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args args
		kind string
		text string
	}{
		"empty":             {args{"command": " \n"}, sdk.KindValue, "the command is empty"},
		"NUL":               {args{"command": "a\x00b"}, sdk.KindValue, "NUL byte"},
		"too long":          {args{"command": ": " + strings.Repeat("x", 4<<20)}, sdk.KindValue, "write it to a script file"},
		"outside":           {args{"command": "pwd", "cwd": ".."}, sdk.KindPermission, "outside the project"},
		"outside, absolute": {args{"command": "pwd", "cwd": "/"}, sdk.KindPermission, "outside the project"},
		"outside by a link": {args{"command": "pwd", "cwd": "out"}, sdk.KindPermission, "outside the project"},
		"missing":           {args{"command": "pwd", "cwd": "nowhere"}, sdk.KindFileNotFound, `no folder "nowhere"`},
		"a file":            {args{"command": "pwd", "cwd": "file"}, sdk.KindNotADirectory, `"file" is not a folder`},
		"below a file":      {args{"command": "pwd", "cwd": "file/x"}, sdk.KindNotADirectory, `"file/x" is not a folder`},
		"zero":              {args{"command": "pwd", "timeout": 0}, sdk.KindValue, "the timeout is 0: give a number of seconds above 0, or None for 120"},
		"negative":          {args{"command": "pwd", "timeout": -1.5}, sdk.KindValue, "the timeout is -1.5"},
		"no text":           {args{"command": 3}, sdk.KindType, "argument command must be str"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := h.Call(t.Context(), "shell", "execute_shell_command", c.args)
			if !sdk.IsKind(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestExecute_timeoutKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	out, _, took := run(t, h, args{"command": "trap '' TERM; (trap '' TERM; sleep 1000) & echo $! > pid; echo started; wait", "timeout": 0.5})
	if !out.TimedOut || out.Stdout != "started\n" || took < 500*time.Millisecond || took > patience {
		t.Errorf("%+v after %s", out, took)
	}
	pid := pidIn(t, filepath.Join(h.Project.Root, "pid"))
	eventually(t, "the child's end", func() bool { return !process.Alive(pid) })
}

func TestExecute_cancelKillsTheGroup(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := h.Call(ctx, "shell", "execute_shell_command", args{"command": "sleep 1000 & echo $! > pid; wait"})
		ended <- err
	}()
	pid := pidIn(t, filepath.Join(h.Project.Root, "pid"))
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	case <-time.After(patience):
		t.Fatal("the call does not end")
	}
	eventually(t, "the child's end", func() bool { return !process.Alive(pid) })

	if _, err := h.Call(ctx, "shell", "execute_shell_command", args{"command": "touch ran"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(h.Project.Root, "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a cancelled call ran: %v", err)
	}
}

func TestExecute_backgroundDoesNotHoldTheCall(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, command := range map[string]string{
		"in the group":  "sleep 1000 & echo $! > in; echo done",
		"with its pipe": "setsid sh -c 'echo $$ > out; exec sleep 1000' & while ! test -s out; do :; done; echo done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, took := run(t, h, args{"command": command})
			if out.Stdout != "done\n" || out.ReturnCode != 0 || out.TimedOut || took > patience {
				t.Errorf("%+v after %s", out, took)
			}
			if name == "in the group" {
				pid := pidIn(t, filepath.Join(h.Project.Root, "in"))
				eventually(t, "its end", func() bool { return !process.Alive(pid) })
				return
			}
			// It left the group, which only the end of the plugin's process covers.
			p, err := os.FindProcess(pidIn(t, filepath.Join(h.Project.Root, "out")))
			if err != nil || p.Kill() != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestExecute_longOutput(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	// 3 000 000 lines of 8 bytes are far beyond what is kept.
	out, r, _ := run(t, h, args{"command": "seq 1000000 3999999; echo last words >&2"})
	const kept = 2 << 20
	if !strings.HasPrefix(out.Stdout, "1000000\n1000001\n") || !strings.HasSuffix(out.Stdout, "3999998\n3999999\n") {
		t.Errorf("%q … %q", out.Stdout[:20], out.Stdout[len(out.Stdout)-20:])
	}
	if want := fmt.Sprintf("\n[… about %d of 24000000 bytes left out …]\n", 24000000-2*kept); !strings.Contains(out.Stdout, want) || len(out.Stdout) != 2*kept+len(want) {
		t.Errorf("%d bytes without %q", len(out.Stdout), want)
	}
	if *out.Stderr != "last words\n" {
		t.Errorf("%q", *out.Stderr)
	}
	if n := utf8.RuneCountInString(r.Text); n > sdktest.AnswerLimit || n < sdktest.AnswerLimit-100 {
		t.Errorf("rendered in %d characters", n)
	}
	var classic struct{ Stdout, Stderr string }
	if err := json.Unmarshal([]byte(r.Text), &classic); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(classic.Stdout, "1000000\n") || !strings.HasSuffix(classic.Stdout, "3999999\n") || classic.Stderr != "last words\n" ||
		!strings.Contains(classic.Stdout, "characters left out: let the command write to a file") {
		t.Errorf("%.100q … %.100q", classic.Stdout, classic.Stdout[len(classic.Stdout)-100:])
	}
}

func TestExecute_answerLimit(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	command := `for i in 0 1 2 3 4 5 6 7 8 9; do printf 'é"%s' "$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i$i"; done` // 400 characters
	_, whole, _ := run(t, h, args{"command": command})
	for limit := utf8.RuneCountInString(whole.Text) + 1; limit >= 0; limit -= 3 {
		text, err := shell.New().Render("ShellCommandOutput", whole.Value, json.RawMessage(fmt.Sprintf(`{"max_answer_chars":%d}`, limit)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(text, "The answer has ") { // a notice may be longer than a limit that has no room for anything
			if limit > 300 {
				t.Fatalf("limit %d: %s", limit, text)
			}
			continue
		}
		if n := utf8.RuneCountInString(text); n > limit || !json.Valid([]byte(text)) {
			t.Fatalf("limit %d: %d characters: %s", limit, n, text)
		}
	}
	r, err := h.Call(t.Context(), "shell", "execute_shell_command", args{"command": command, "max_answer_chars": 40})
	want := fmt.Sprintf("The answer has %d characters, more than max_answer_chars=40 leaves room for (return code 0)", utf8.RuneCountInString(whole.Text))
	if err != nil || !strings.HasPrefix(r.Text, want) {
		t.Errorf("%s %v", r.Text, err)
	}
}

// reports counts ReportChanged.
type reports struct {
	sdk.HostServices
	seen []string
	err  error
}

func (r *reports) ReportChanged(ctx context.Context, id string, paths []string) (uint64, error) {
	r.seen = append(r.seen, fmt.Sprint(id, paths, ctx.Err()))
	return 1, r.err
}

func TestExecute_reportsChanges(t *testing.T) {
	t.Parallel()
	project := newHarness(t).Project
	for name, c := range map[string]struct {
		command string
		cancel  bool
		err     error // of the report
	}{
		"after success":      {command: "true"},
		"after failure":      {command: "false"},
		"though it fails":    {command: "true", err: errors.New("no")},
		"after cancellation": {command: "sleep 1000", cancel: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := &reports{err: c.err}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			data, _ := json.Marshal(c.command)
			_, _, err := shell.New().Invoke(ctx, sdk.NewCall(project, 0, host, nil, nil), "shell", "execute_shell_command", map[string]json.RawMessage{"command": data}, 1000)
			if (err != nil) != c.cancel {
				t.Errorf("%v", err)
			}
			if len(host.seen) != 1 || host.seen[0] != "test[] <nil>" {
				t.Errorf("%q", host.seen)
			}
		})
	}
	_, _, err := shell.New().Invoke(t.Context(), sdk.NewCall(nil, 0, &reports{}, nil, nil), "shell", "execute_shell_command", map[string]json.RawMessage{"command": json.RawMessage(`"true"`)}, 1000)
	if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "activate_project") {
		t.Errorf("without a project: %v", err)
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	m := shell.New().Manifest()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	decl := m.Facades[0].Methods[0]
	want := "execute_shell_command(command: str, cwd: str | None = None, capture_stderr: bool = True, timeout: float | None = None, max_answer_chars: int = -1) -> ShellCommandOutput"
	if decl.Signature() != want || !decl.CanEdit || decl.Tool != "execute_shell_command" {
		t.Errorf("%s", decl.Signature())
	}
}
