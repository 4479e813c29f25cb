package repl

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// hostVar makes the test binary a small host that starts a runtime, runs a cell, and waits to be killed.
const hostVar = "REPL_TEST_HOST_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(hostVar); home != "" {
		os.Exit(beHost(home))
	}
	goleak.VerifyTestMain(m)
}

// beHost prints the pids of Python and of a child of a cell, then waits for the end of its stdin.
func beHost(home string) int {
	os.Unsetenv(hostVar)
	ctx := context.Background()
	python, err := FindPython(ctx, FindOptions{Env: os.Environ(), Home: home})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := Extract(home)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r, err := Start(ctx, Options{Interpreter: python, Dir: dir, Env: os.Environ(), Backend: newFakeBackend(home)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	result, err := r.Execute(ctx, "import os, subprocess\np = subprocess.Popen(['sleep', '300'])\nf'{os.getpid()} {p.pid}'", 0)
	if err != nil || result.Value == nil {
		fmt.Fprintln(os.Stderr, err, result)
		return 1
	}
	fmt.Println(*result.Value)
	go r.Execute(ctx, "while True: pass", 0)
	io.Copy(io.Discard, os.Stdin)
	return 0
}
