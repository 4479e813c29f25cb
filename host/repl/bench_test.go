package repl

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
)

// benchRuntime starts a runtime for the benchmark.
func benchRuntime(b *testing.B, options *Options) *Runtime {
	b.Helper()
	r, err := Start(b.Context(), *options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { endRuntime(b, r) })
	return r
}

func endRuntime(b *testing.B, r *Runtime) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit) // the benchmark's is done
	defer cancel()
	if err := r.Close(ctx); err != nil {
		b.Error(err)
	}
}

func benchOptions(b *testing.B) *Options {
	b.Helper()
	found, err := python()
	if err != nil {
		b.Fatal(err)
	}
	dir, err := Extract(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	backend := newFakeBackend(b.TempDir())
	backend.answer(func(context.Context, CallRequest) (api.Outcome, error) { return api.Outcome{Value: []byte("1")}, nil })
	return &Options{Interpreter: found, Dir: dir, Env: os.Environ(), Backend: backend}
}

func benchCell(b *testing.B, r *Runtime, code string) {
	b.Helper()
	if result, err := r.Execute(b.Context(), code, testLimit); err != nil || result.Failure != nil {
		b.Fatalf("%s: %+v, %v", code, result, err)
	}
}

// BenchmarkReady measures from the start of the process to its ready frame.
func BenchmarkReady(b *testing.B) {
	o := benchOptions(b)
	endRuntime(b, benchRuntime(b, o)) // compiles the modules once
	for b.Loop() {
		r, err := Start(b.Context(), *o)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		endRuntime(b, r)
		b.StartTimer()
	}
}

// BenchmarkFirstCell measures a new session's first cell, started for it and with a spare that waits.
func BenchmarkFirstCell(b *testing.B) {
	o := benchOptions(b)
	endRuntime(b, benchRuntime(b, o))
	b.Run("without spare", func(b *testing.B) {
		for b.Loop() {
			r, err := Start(b.Context(), *o)
			if err != nil {
				b.Fatal(err)
			}
			benchCell(b, r, "1+1")
			b.StopTimer()
			endRuntime(b, r)
			b.StartTimer()
		}
	})
	b.Run("with spare", func(b *testing.B) {
		spare := *o
		spare.Backend = nil
		for b.Loop() {
			b.StopTimer()
			r, err := Start(b.Context(), spare)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.Names(b.Context()); err != nil { // its loop runs
				b.Fatal(err)
			}
			b.StartTimer()
			r.Attach(o.Backend)
			benchCell(b, r, "1+1")
			b.StopTimer()
			endRuntime(b, r)
			b.StartTimer()
		}
	})
}

func BenchmarkOnePlusOne(b *testing.B) {
	r := benchRuntime(b, benchOptions(b))
	benchCell(b, r, "1+1")
	for b.Loop() {
		benchCell(b, r, "1+1")
	}
}

// BenchmarkHostRequest measures the calls of one cell, one after the other.
func BenchmarkHostRequest(b *testing.B) {
	r := benchRuntime(b, benchOptions(b))
	benchCell(b, r, "def calls(n):\n    for _ in range(n): s.fs.echo(1)\ncalls(1)")
	const calls = 1000
	for b.Loop() {
		benchCell(b, r, "calls(1000)")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

// BenchmarkSnapshot measures 10 MB in ten names, and BenchmarkRestore their way back.
func BenchmarkSnapshot(b *testing.B) {
	r := benchRuntime(b, benchOptions(b))
	o := tenMegabytes(b, r)
	for b.Loop() {
		if _, err := r.Snapshot(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	r := benchRuntime(b, benchOptions(b))
	o := tenMegabytes(b, r)
	for b.Loop() {
		if restored, err := r.Restore(b.Context(), o.Path); err != nil || len(restored.Names) != 10 {
			b.Fatalf("%+v, %v", restored, err)
		}
	}
}

func tenMegabytes(b *testing.B, r *Runtime) SnapshotOptions {
	b.Helper()
	benchCell(b, r, "for _i in range(10): globals()[f'v{_i}'] = bytes([_i]) * (1 << 20)")
	o := snapshotIn(b.TempDir())
	if taken, err := r.Snapshot(b.Context(), o); err != nil || len(taken.Saved) != 10 {
		b.Fatalf("%+v, %v", taken, err)
	}
	return o
}

// BenchmarkInterrupt measures from the end of a busy cell's context to the cell's own.
func BenchmarkInterrupt(b *testing.B) {
	o := benchOptions(b)
	r := benchRuntime(b, o)
	marker := filepath.Join(o.Backend.Root(), "busy")
	for b.Loop() {
		b.StopTimer()
		_ = os.Remove(marker)
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.Execute(ctx, "open('busy', 'w').close()\nwhile True: len('')", 0)
			done <- err
		}()
		tick := time.NewTicker(time.Millisecond)
		for {
			if _, err := os.Stat(marker); err == nil {
				break
			}
			<-tick.C
		}
		tick.Stop()
		b.StartTimer()
		cancel()
		<-done
	}
}

// BenchmarkPrints sets 100,000 prints in one cell beside the same loop writing to a file, in one run.
func BenchmarkPrints(b *testing.B) {
	r := benchRuntime(b, benchOptions(b))
	benchCell(b, r, "import time\ndef printed():\n    for i in range(100_000): print(i)\n"+
		"def written():\n    with tempfile.TemporaryFile('w') as f:\n        for i in range(100_000): print(i, file=f)\nimport os, tempfile")
	var printed, written time.Duration
	for b.Loop() {
		begun := time.Now()
		benchCell(b, r, "printed()")
		printed += time.Since(begun)
		begun = time.Now()
		benchCell(b, r, "written()")
		written += time.Since(begun)
	}
	b.ReportMetric(float64(printed.Milliseconds())/float64(b.N), "ms/printed")
	b.ReportMetric(float64(printed)/float64(written), "times-a-file")
}
