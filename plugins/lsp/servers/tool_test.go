package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/sdk"
)

// roleVariable makes the test binary another program: a tool or what installs it.
const roleVariable = "SERENA_TEST_TOOL"

func TestMain(m *testing.M) {
	role, detail, _ := strings.Cut(os.Getenv(roleVariable), " ")
	switch role {
	case "":
		goleak.VerifyTestMain(m)
	case "install": // into the folder given
		target := filepath.Join(detail, goplsTool.executable())
		if err := os.WriteFile(target, []byte("#!/bin/sh\n"), 0o755); err != nil {
			os.Exit(1)
		}
	case "nothing":
	case "fail":
		fmt.Fprintln(os.Stderr, "go: no such host")
		os.Exit(1)
	case "hang":
		select {}
	}
}

const patience = 20 * time.Second

// fakeTool is installed by the test binary in a role.
func fakeTool(t *testing.T, role string) (*tool, *Installer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tl := &tool{name: "gopls", version: "v9", by: "builder", manual: "builder install gopls@v9", probe: []string{"version"},
		install: func(program, folder string) (*exec.Cmd, error) {
			cmd := exec.Command(program)
			detail := role
			if role == "install" {
				detail += " " + folder
			}
			cmd.Env = append(cmd.Environ(), roleVariable+"="+detail)
			return cmd, nil
		}}
	in := NewInstaller(0)
	in.wait = patience
	in.lookPath = func(name string) (string, error) {
		if name == "builder" {
			return self, nil
		}
		return "", exec.ErrNotFound
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		in.Stop(ctx)
	})
	return tl, in
}

func wants(t *testing.T, err error, kind string, texts ...string) {
	t.Helper()
	if !sdk.IsKind(err, kind) {
		t.Errorf("error %v, want a %s", err, kind)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestFind_installsOnce(t *testing.T) {
	t.Parallel()
	tl, in := fakeTool(t, "install")
	home := t.TempDir()
	place := filepath.Join(home, "language_servers")
	if err := os.MkdirAll(filepath.Join(place, ".gopls-v9-left"), 0o755); err != nil { // by a process that was killed
		t.Fatal(err)
	}
	want := filepath.Join(place, "gopls-v9", tl.executable())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true}); err != nil || got.Path != want {
				t.Errorf("found %q, %v; want %q", got.Path, err, want)
			}
		})
	}
	wg.Wait()
	if got := fmt.Sprint(entries(t, place)); got != "[gopls-v9 gopls-v9.lock]" {
		t.Errorf("left in the folder: %s", got)
	}
	in.lookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	if got, err := tl.find(t.Context(), in, Settings{Home: home}); err != nil || got.Path != want {
		t.Errorf("found again %q, %v", got.Path, err)
	}
}

func TestFind_installationFails(t *testing.T) {
	t.Parallel()
	for role, words := range map[string]string{"fail": "go: no such host", "nothing": "left no program"} {
		tl, in := fakeTool(t, role)
		home := t.TempDir()
		for range 2 { // the second is told of the first
			_, err := tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true})
			wants(t, err, sdk.KindRuntime, "builder install gopls@v9", words, "ls_path")
		}
		if got := fmt.Sprint(entries(t, filepath.Join(home, "language_servers"))); got != "[gopls-v9.lock]" {
			t.Errorf("%s: left in the folder: %s", role, got)
		}
	}
}

func TestFind_installationGoesOn(t *testing.T) {
	t.Parallel()
	tl, in := fakeTool(t, "hang")
	in.wait = 50 * time.Millisecond
	home := t.TempDir()
	_, err := tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true})
	wants(t, err, sdk.KindRuntime, "gopls v9 is being installed", "s so far", "call again")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tl.find(ctx, in, Settings{Home: home, AutoInstall: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	stopCtx, cancelStop := context.WithTimeout(t.Context(), patience)
	defer cancelStop()
	in.Stop(stopCtx)
	if got := fmt.Sprint(entries(t, filepath.Join(home, "language_servers"))); got != "[gopls-v9.lock]" {
		t.Errorf("left after Stop: %s", got)
	}
	_, err = tl.find(t.Context(), in, Settings{Home: t.TempDir(), AutoInstall: true})
	wants(t, err, sdk.KindRuntime, "stopping")
}

// Another process that shares the home installs: this one waits for it.
func TestLock_waits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	unlock, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	got := make(chan error)
	go func() {
		second, err := lock(t.Context(), path)
		if err == nil {
			second()
		}
		got <- err
	}()
	unlock()
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the lock is not given on")
	}
}

func TestFind_cannotBeHad(t *testing.T) {
	t.Parallel()
	tl, in := fakeTool(t, "fail")
	home := t.TempDir()
	_, err := tl.find(t.Context(), in, Settings{Home: home})
	wants(t, err, sdk.KindFileNotFound, "gopls is not installed", filepath.Join(home, "language_servers", "gopls-v9", tl.executable()), "auto_install is off", "`builder install gopls@v9`")

	_, err = tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true, Own: json.RawMessage(`{"auto_install": false}`)})
	wants(t, err, sdk.KindFileNotFound, "auto_install is off")

	missing := filepath.Join(home, "none")
	_, err = tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true, Own: json.RawMessage(`{"ls_path": "` + missing + `"}`)})
	wants(t, err, sdk.KindFileNotFound, missing+" version", "ls_path")

	_, err = tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true, Own: json.RawMessage(`[]`)})
	wants(t, err, sdk.KindValue, "ls_specific_settings")

	in.lookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	_, err = tl.find(t.Context(), in, Settings{Home: home, AutoInstall: true})
	wants(t, err, sdk.KindFileNotFound, "needs builder")
}

func TestFind_onPath(t *testing.T) {
	t.Parallel()
	tl, in := fakeTool(t, "fail")
	builder, _ := in.lookPath("builder")
	truth, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	falsity, err := exec.LookPath("false")
	if err != nil {
		t.Fatal(err)
	}
	on := truth
	in.lookPath = func(name string) (string, error) {
		return map[string]string{"gopls": on, "builder": builder}[name], nil
	}
	if got, err := tl.find(t.Context(), in, Settings{Home: t.TempDir()}); err != nil || got.Path != truth {
		t.Errorf("on PATH: %q, %v", got.Path, err)
	}
	on = falsity // a stub that does not work
	_, err = tl.find(t.Context(), in, Settings{Home: t.TempDir()})
	wants(t, err, sdk.KindFileNotFound, "`"+falsity+" version` did not answer with a version: exit code 1")
	on = truth
	tl.accept = func(string) error { return errors.New("too old") }
	_, err = tl.find(t.Context(), in, Settings{Home: t.TempDir()})
	wants(t, err, sdk.KindFileNotFound, "too old", "not installed")
}

func TestGoplsOptions(t *testing.T) {
	t.Parallel()
	got, err := goplsOptions(json.RawMessage(`{"gopls_settings": {"buildFlags": ["-tags=x"]}}`))
	if fmt.Sprint(got) != "map[buildFlags:[-tags=x]]" || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := goplsOptions(nil); got != nil || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
	_, err = goplsOptions(json.RawMessage(`{"gopls_settings": 3}`))
	wants(t, err, sdk.KindValue, "gopls_settings")
}
