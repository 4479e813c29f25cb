//go:build !windows

package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

func TestApply_writers_of_one_file_lose_nothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"log": ""})
	stores := []*Store{p.store, p.open(t)} // the second stands for another host's: its lock is another open file
	const writers, lines = 4, 5
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range lines {
				for {
					old, err := os.ReadFile(filepath.Join(p.root, "log"))
					if err != nil {
						t.Error(err)
						return
					}
					line := fmt.Sprintf("%d.%d\n", w, i)
					_, err = stores[w%2].Apply(t.Context(), Author{}, []sdk.Change{sdk.EditFile("log", sdk.BaseOf(old), sdk.ByteEdit{Start: len(old), End: len(old), Text: []byte(line)})})
					if err == nil {
						break
					}
					if !sdk.IsKind(err, sdk.KindStale) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	group.Wait()
	data, err := os.ReadFile(filepath.Join(p.root, "log"))
	if err != nil || len(data) != writers*lines*len("0.0\n") {
		t.Errorf("got %q, %v", data, err)
	}
	if got := p.store.Last() + stores[1].Last(); got != 2+writers*lines {
		t.Errorf("numbers: %d", got)
	}
	p.checkHome(t)
}

func TestApply_waits_for_another_host_no_longer_than_its_context(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	kill := order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: "stage 0"}.startStopped(t)
	defer kill()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	change := []sdk.Change{sdk.WriteFile("stay.txt", base("s"), []byte("S"))}
	if _, err := p.store.Apply(ctx, Author{}, change); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := p.store.Apply(t.Context(), Author{}, change)
		waiting <- err
	}()
	kill()
	select {
	case err := <-waiting:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the lock of a killed host is never given up")
	}
	if got := tree(t, p.root)["stay.txt"]; got != "S" {
		t.Errorf("got %q", got)
	}
	p.checkHome(t)
}

func TestApply_waiting_ends_with_the_store(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a"})
	other := p.open(t)
	release, err := other.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	waiting := make(chan error, 1)
	go func() {
		_, err := p.store.Apply(t.Context(), Author{}, nil)
		waiting <- err
	}()
	p.store.Close()
	select {
	case err := <-waiting:
		if !sdk.IsKind(err, sdk.KindRuntime) {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("still waiting")
	}
}

func TestOpen_different_roots_have_different_locks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"sub/a": "a"})
	release, err := p.store.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	sub, err := Open(filepath.Join(p.root, "sub"), Options{Home: p.home})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if _, err := sub.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("a"), []byte("b"))}); err != nil {
		t.Error(err)
	}
}
