package mcp

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/session"
)

func at(name string) session.Place { return session.Place{Project: &project.Project{Name: name}} }

// standing has the connection work where a test says.
func standing(name string) (*order, *atomic.Pointer[session.Place]) {
	var now atomic.Pointer[session.Place]
	first := at(name)
	now.Store(&first)
	return newOrder(func() session.Place { return *now.Load() }), &now
}

// waits reports whether a turn has not come; it is asked with a context that is done.
func waits(turn *turn) bool {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	before := turn.gaveUp
	err := turn.wait(done)
	turn.gaveUp = before
	return err != nil
}

func mustCome(t *testing.T, turn *turn, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := turn.wait(ctx); err != nil || turn.place.Project.Name != name {
		t.Errorf("%v, at %v, want %s", err, turn.place.Project, name)
	}
}

func TestEditsAreOneAtATime(t *testing.T) {
	t.Parallel()
	o, _ := standing("a")
	one, two, three, read := o.enter(edits), o.enter(edits), o.enter(edits), o.enter(reads)
	mustCome(t, one, "a")
	if !waits(read) {
		t.Error("a read came before the edits that were sent before it")
	}
	if !waits(two) || !waits(three) {
		t.Error("two edits at once")
	}
	two.leave() // cancelled
	if !waits(three) {
		t.Error("two edits at once, after one was cancelled")
	}
	one.leave()
	mustCome(t, three, "a")
	if !waits(read) {
		t.Error("a read came before the last of the edits that were sent before it")
	}
	three.leave()
	mustCome(t, read, "a")
	mustCome(t, o.enter(edits), "a")
}

func TestAReadIsNotHeldUpByALongCommand(t *testing.T) {
	t.Parallel()
	o, _ := standing("a")
	o.patience = time.Millisecond
	mustCome(t, o.enter(edits), "a")
	mustCome(t, o.enter(reads), "a")
	early := o.enter(reads)
	early.leave()
}

func TestAnActivationMovesWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	o, now := standing("a")
	before := o.enter(edits)
	moving := o.enter(activates)
	after, given := o.enter(reads), o.enter(activates)
	last := o.enter(edits)
	mustCome(t, moving, "a")
	if !waits(after) || !waits(last) {
		t.Error("a call does not wait for the activation before it")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if given.wait(done) == nil {
		t.Error("an activation does not wait for the one before")
	}
	given.leave() // cancelled: what comes after it is where the first leads
	b := at("b")
	now.Store(&b)
	moving.leave()
	mustCome(t, after, "b")
	mustCome(t, before, "a")
	before.leave()
	mustCome(t, last, "b")
	last.leave()
	mustCome(t, o.enter(reads), "b")
}

func TestMessagesAreHandedOverOneByOne(t *testing.T) {
	t.Parallel()
	long := `{"method":"tools/call","x":"` + strings.Repeat("y", 200_000) + `"}` + "\n"
	text := `{"method":"ping"}` + "\n" + long + `{"method":"tools/call"}` + "\n" + `{"method":"ping"}` + "\nrest"
	for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "in bytes": iotest.OneByteReader(strings.NewReader(text)), "with its error": iotest.DataErrReader(strings.NewReader(text))} {
		o, _ := standing("a")
		p := newPaced(in, o)
		var got strings.Builder
		buffer := make([]byte, 1<<20)
		for {
			n, err := p.Read(buffer)
			got.Write(buffer[:n])
			if strings.Count(string(buffer[:n]), "\n") > 1 {
				t.Errorf("%s: several messages at once", name)
			}
			if strings.HasSuffix(got.String(), "\n") && p.entered > 0 {
				o.enter(reads) // as the handler does
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != text || o.places() != 2 {
			t.Errorf("%s: %d characters, %d calls", name, got.Len(), o.places())
		}
	}
}

func TestAMessageWaitsForTheCallBeforeIt(t *testing.T) {
	t.Parallel()
	o, _ := standing("a")
	p := newPaced(strings.NewReader("{\"method\":\"tools/call\"}\nnext\n"), o)
	buffer := make([]byte, 100)
	if n, err := p.Read(buffer); err != nil || string(buffer[:n]) != "{\"method\":\"tools/call\"}\n" {
		t.Fatalf("%q, %v", buffer[:n], err)
	}
	read := make(chan string, 1)
	go func() {
		n, _ := p.Read(buffer)
		read <- string(buffer[:n])
	}()
	if o.places() != 0 {
		t.Fatal("who took a place?")
	}
	o.pass()
	select {
	case got := <-read:
		if got != "next\n" {
			t.Errorf("%q", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it still waits")
	}
}
