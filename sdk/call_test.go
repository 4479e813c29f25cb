package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// recordingHost answers what it is given, and keeps what it is asked.
type recordingHost struct {
	asked []string
	value string
	err   error
}

func (h *recordingHost) note(parts ...any) {
	h.asked = append(h.asked, strings.TrimSpace(fmt.Sprintln(parts...)))
}

func (h *recordingHost) ApplyEdits(_ context.Context, token string, changes []Change) (uint64, error) {
	h.note("edits", token, len(changes), changes[0].Path, changes[0].Base)
	return 7, h.err
}

func (h *recordingHost) Changes(_ context.Context, id string, since uint64) (Changes, error) {
	h.note("changes", id, since)
	return Changes{Last: 9, Files: []FileChange{{"a", Deleted}}}, h.err
}

func (h *recordingHost) ReportChanged(_ context.Context, id string, paths []string) (uint64, error) {
	h.note("report", id, paths)
	return 0, h.err
}

func (h *recordingHost) CallFacade(_ context.Context, token, facade, method string, args json.RawMessage) (json.RawMessage, error) {
	h.note("call", token, facade, method, string(args))
	return json.RawMessage(h.value), h.err
}

func TestCallAsksTheHostOnBehalfOfItsCaller(t *testing.T) {
	t.Parallel()
	host := &recordingHost{value: `{"text":"hello"}`}
	c := NewCall(&Project{ID: "p1", Root: "/r"}, 5, host, nil, nil)
	c.token = "t1"
	if n, err := c.WriteFiles(t.Context(), WriteFile("a.txt", Absent, []byte("x")), DeleteFile("b", "base")); n != 7 || err != nil {
		t.Error(n, err)
	}
	if got, err := c.Changes(t.Context(), c.Change()); got.Last != 9 || len(got.Files) != 1 || err != nil {
		t.Error(got, err)
	}
	if err := c.ReportChanged(t.Context(), "x", "y/z"); err != nil {
		t.Error(err)
	}
	var answer struct {
		Text string `json:"text"`
	}
	if err := c.CallFacade(t.Context(), "fs", "read_file", map[string]any{"relative_path": "a"}, &answer); err != nil || answer.Text != "hello" {
		t.Error(answer, err)
	}
	if err := c.CallFacade(t.Context(), "fs", "list", nil, nil); err != nil {
		t.Error(err)
	}
	want := []string{"edits t1 2 a.txt absent", "changes p1 5", "report p1 [x y/z]", `call t1 fs read_file {"relative_path":"a"}`, "call t1 fs list {}"}
	if strings.Join(host.asked, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(host.asked, "\n"), strings.Join(want, "\n"))
	}
}

func TestCallErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	host := &recordingHost{err: Errorf(KindStale, "a.txt changed since")}
	c := NewCall(&Project{ID: "p1"}, 0, host, nil, nil)
	if _, err := c.WriteFiles(t.Context(), DeleteFile("a.txt", "b")); !IsKind(err, KindStale) {
		t.Error(err)
	}
	if err := c.CallFacade(t.Context(), "f", "m", nil, nil); !IsKind(err, KindStale) {
		t.Error(err)
	}
	host.err, host.value = nil, `"text"`
	var number int
	if err := c.CallFacade(t.Context(), "f", "m", nil, &number); !IsKind(err, KindType) || !strings.HasPrefix(err.Error(), "f.m answered something that does not fit *int") {
		t.Error(err)
	}
	if err := c.CallFacade(t.Context(), "f", "m", make(chan int), nil); !IsKind(err, KindType) || !strings.HasPrefix(err.Error(), "f.m: arguments: ") {
		t.Error(err)
	}
}

func TestCallWithoutProjectOrHost(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, c := range map[string]struct {
		call *Call
		says string
	}{
		"no project": {NewCall(nil, 0, &recordingHost{}, nil, nil), "no project is active: call the tool activate_project"},
		"no host":    {NewCall(&Project{}, 0, nil, nil, nil), "this call has no host to ask"},
	} {
		_, changes := c.call.Changes(ctx, 0)
		for what, err := range map[string]error{"Changes": changes, "ReportChanged": c.call.ReportChanged(ctx)} {
			if !IsKind(err, KindRuntime) || !strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	c := NewCall(nil, 0, nil, nil, nil)
	_, write := c.WriteFiles(ctx)
	for what, err := range map[string]error{"WriteFiles": write, "CallFacade": c.CallFacade(ctx, "f", "m", nil, nil)} {
		if !IsKind(err, KindRuntime) {
			t.Errorf("%s: %v", what, err)
		}
	}
	c.Progress(1, 2, "nobody listens")
	c.Log().Info("nobody reads")
}

func TestCallLogsAndTellsProgress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var told []string
	c := NewCall(nil, 0, nil, slog.New(slog.NewTextHandler(&log, nil)), func(done, total float64, message string) {
		told = append(told, fmt.Sprint(done, total, message))
	})
	c.Progress(1, 4, "a quarter")
	c.Log().Warn("odd", "n", 3)
	if strings.Join(told, ";") != "1 4a quarter" || !strings.Contains(log.String(), "level=WARN msg=odd n=3") {
		t.Errorf("%q, %s", told, log.String())
	}
}

func TestProjectSettingsAreDecoded(t *testing.T) {
	t.Parallel()
	p := &Project{Settings: json.RawMessage(`{"ignored_paths":["build/"],"line_ending":"lf","request_timeout":2.5,"later":1}`)}
	s, err := p.DecodeSettings()
	if err != nil || len(s.IgnoredPaths) != 1 || s.LineEnding != "lf" || s.RequestTimeoutSeconds != 2.5 {
		t.Errorf("%+v, %v", s, err)
	}
}
