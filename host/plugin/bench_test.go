//go:build unix

package plugin

import (
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/host/api"
)

func benchManager(b *testing.B) (*Manager, api.Provider) {
	b.Helper()
	m := New(Options{Home: b.TempDir(), Host: &fakeHost{}})
	b.Cleanup(func() { m.Stop(b.Context()) })
	return m, m.Provider(trialSpec(b, rolePlugin))
}

func benchCall(b *testing.B, p api.Provider, req api.Request) {
	if _, err := p.Call(b.Context(), req); err != nil {
		b.Error(err)
	}
}

// BenchmarkStart measures from the first call to its answer, with the start of the process.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		m, p := benchManager(b)
		benchCall(b, p, request("echo", "text", "x"))
		b.StopTimer()
		m.Stop(b.Context())
		b.StartTimer()
	}
}

// BenchmarkCall measures a call whose argument and result both have that size.
func BenchmarkCall(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "100KB": 100 << 10, "5MB": 5 << 20} {
		b.Run(name, func(b *testing.B) {
			_, p := benchManager(b)
			req := request("echo", "text", strings.Repeat("x", size))
			benchCall(b, p, req)
			b.SetBytes(int64(size))
			for b.Loop() {
				benchCall(b, p, req)
			}
		})
	}
}

// BenchmarkConcurrent measures a thousand calls at once, until the last is answered.
func BenchmarkConcurrent(b *testing.B) {
	_, p := benchManager(b)
	req := request("echo", "text", "x")
	benchCall(b, p, req)
	const calls = 1000
	for b.Loop() {
		var all sync.WaitGroup
		for range calls {
			all.Go(func() { benchCall(b, p, req) })
		}
		all.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*calls), "µs/call")
}
