package host

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

const testLimit = time.Minute

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// newSpare makes a spare that starts real runtimes and counts them.
func newSpare(t *testing.T) (*spare, *atomic.Int32) {
	t.Helper()
	home := t.TempDir()
	starts := &atomic.Int32{}
	s := &spare{log: hclog.NewNullLogger(), start: func(ctx context.Context, configured string) (*repl.Runtime, error) {
		starts.Add(1)
		if configured == "broken" {
			return nil, errors.New("no such Python")
		}
		python, err := repl.FindPython(ctx, repl.FindOptions{Env: os.Environ(), Home: home})
		if err != nil {
			return nil, err
		}
		dir, err := repl.Extract(home)
		if err != nil {
			return nil, err
		}
		return repl.Start(ctx, repl.Options{Interpreter: python, Dir: dir, Env: os.Environ()})
	}}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testLimit) // the test's is done
		defer cancel()
		s.close(ctx)
		s.close(ctx) // again
	})
	return s, starts
}

func end(t *testing.T, r *repl.Runtime) {
	t.Helper()
	if err := r.Close(limited(t)); err != nil {
		t.Error(err)
	}
}

// taken takes the spare as often as it needs to be there.
func taken(t *testing.T, s *spare, configured string) *repl.Runtime {
	t.Helper()
	r := s.take(limited(t), configured)
	if r == nil {
		t.Fatal("there is no spare")
	}
	return r
}

func TestSpareIsTakenOnceAndFollowedByAnother(t *testing.T) {
	t.Parallel()
	s, starts := newSpare(t)
	s.again(limited(t), "") // nobody wants one yet
	if r := s.take(limited(t), ""); r != nil || starts.Load() != 0 {
		t.Fatal("a spare that nobody asked for")
	}
	s.warm(limited(t), "")
	s.warm(limited(t), "")
	one := taken(t, s, "") // waits for the start
	if r := s.take(limited(t), ""); r != nil {
		t.Error("it was taken twice")
	}
	s.again(limited(t), "")
	two := taken(t, s, "")
	if one == two || starts.Load() != 2 {
		t.Errorf("%d starts", starts.Load())
	}
	end(t, one)
	end(t, two)
}

func TestSpareOfAnotherInterpreterIsReplaced(t *testing.T) {
	t.Parallel()
	s, starts := newSpare(t)
	s.warm(limited(t), "")
	one := taken(t, s, "")
	end(t, one)
	s.warm(limited(t), "")
	if r := s.take(limited(t), "other"); r != nil {
		t.Error("it does not fit")
	}
	left := taken(t, s, "")
	defer end(t, left)
	s.again(limited(t), "other")
	other := taken(t, s, "other")
	end(t, other)
	if starts.Load() != 3 {
		t.Errorf("%d starts", starts.Load())
	}
}

func TestSpareThatDiedIsReplaced(t *testing.T) {
	t.Parallel()
	s, starts := newSpare(t)
	s.warm(limited(t), "")
	dead := taken(t, s, "")
	end(t, dead)
	s.mu.Lock()
	s.runtime = dead // as if it had died while it waited
	s.mu.Unlock()
	if r := s.take(limited(t), ""); r != nil {
		t.Error("a dead one was given")
	}
	s.warm(limited(t), "")
	end(t, taken(t, s, ""))
	if starts.Load() != 2 {
		t.Errorf("%d starts", starts.Load())
	}
}

func TestSpareThatCannotStartIsNone(t *testing.T) {
	t.Parallel()
	s, _ := newSpare(t)
	s.warm(limited(t), "broken")
	if r := s.take(limited(t), "broken"); r != nil {
		t.Error("a spare out of nothing")
	}
}

func TestSpareEndsWithItsOwner(t *testing.T) {
	t.Parallel()
	s, _ := newSpare(t)
	s.warm(limited(t), "")
	r := taken(t, s, "")
	s.mu.Lock()
	s.runtime = r // it waits
	s.mu.Unlock()
	s.close(limited(t))
	select {
	case <-r.Done():
	default:
		t.Error("it lives")
	}
	s.warm(limited(t), "")
	if s.take(limited(t), "") != nil {
		t.Error("a spare after the end")
	}
}

func TestSpareBeingStartedEndsWithItsOwner(t *testing.T) {
	t.Parallel()
	s, _ := newSpare(t)
	s.warm(limited(t), "") // goleak and the runtime's own tests see what is left of it
	s.close(limited(t))
	if s.take(limited(t), "") != nil {
		t.Error("a spare after the end")
	}
}

func TestConfiguredPython(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, folder := range []string{".venv", "tools"} {
		if err := os.Mkdir(root+"/"+folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"tools/python", "python3.12"} {
		if err := os.WriteFile(root+"/"+file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		global, project string
		trusted         bool
		want            string
	}{
		"a folder":                       {"", ".venv", true, root + "/.venv"},
		"a path inside":                  {"", "tools/python", true, root + "/tools/python"},
		"a command, not a file":          {"", "python3.12", true, "python3.12"},
		"absolute":                       {"", "/opt/python", true, "/opt/python"},
		"not there":                      {"", "venv", true, "venv"},
		"the global one, which is there": {"tools/python", "tools/python", true, "tools/python"},
		"not trusted":                    {"", ".venv", false, ".venv"},
	} {
		p := &project.Project{Root: root, Trusted: c.trusted, ReplPython: c.project}
		if got := ConfiguredPython(&config.Config{ReplPython: c.global}, p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := ConfiguredPython(&config.Config{ReplPython: "py"}, nil); got != "py" {
		t.Errorf("without a project: %q", got)
	}
}
