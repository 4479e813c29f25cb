package client_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/fakeserver"
)

func TestCall_serverDies(t *testing.T) {
	t.Parallel()
	for role, want := range map[string][]string{
		fakeserver.Dies:    {"exit code 7", "panic: no such luck"},
		fakeserver.Garbled: {"fake"},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c, _ := start(t, role)
			var wg sync.WaitGroup
			for range 5 { // all who wait are told
				wg.Go(func() {
					_, err := symbols(t.Context(), c)
					if !errors.Is(err, client.ErrGone) {
						t.Errorf("error %v", err)
						return
					}
					for _, w := range want {
						if !strings.Contains(err.Error(), w) {
							t.Errorf("%q does not say %q", err, w)
						}
					}
				})
			}
			wg.Wait()
			if _, err := symbols(t.Context(), c); !errors.Is(err, client.ErrGone) {
				t.Errorf("a call afterwards: %v", err)
			}
		})
	}
}

func TestStart_fails(t *testing.T) {
	t.Parallel()
	t.Run("exits at once", func(t *testing.T) {
		t.Parallel()
		_, err := client.Start(t.Context(), config(t, fakeserver.Exits, newMessages()))
		if !errors.Is(err, client.ErrGone) || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(err.Error(), "cannot open the moon\ngiving up") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("never answers", func(t *testing.T) {
		t.Parallel()
		cfg := config(t, fakeserver.Silent, newMessages())
		cfg.RequestTimeout = 300 * time.Millisecond
		if _, err := client.Start(t.Context(), cfg); !errors.Is(err, client.ErrTimeout) || !strings.Contains(err.Error(), "initialize") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("caller gives up", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := client.Start(ctx, config(t, fakeserver.Silent, newMessages())); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		t.Parallel()
		cfg := config(t, "", newMessages())
		cfg.Command = []string{filepath.Join(t.TempDir(), "nothing")}
		if _, err := client.Start(t.Context(), cfg); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
}

func TestStop_killsTheStubborn(t *testing.T) {
	t.Parallel()
	for _, role := range []string{fakeserver.Stubborn, fakeserver.Deaf, fakeserver.Plain} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			log := newMessages()
			c, err := client.Start(t.Context(), config(t, role, log))
			if err != nil {
				t.Fatal(err)
			}
			stop(t, c)
			stop(t, c) // twice is once
			if _, err := symbols(t.Context(), c); !errors.Is(err, client.ErrGone) {
				t.Errorf("a call afterwards: %v", err)
			}
		})
	}
}
