package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/process"
)

// BenchmarkToolList measures the time from the start of the process to the answer of tools/list, on an empty home.
func BenchmarkToolList(b *testing.B) {
	project := b.TempDir()
	for b.Loop() {
		c := startBench(b, project, false)
		b.StopTimer()
		c.close()
		b.StartTimer()
	}
}

// BenchmarkCell measures a `1+1` cell through MCP.
func BenchmarkCell(b *testing.B) {
	c := startBench(b, b.TempDir(), true)
	defer c.close()
	c.cell("1+1", "2")
	for b.Loop() {
		c.cell("1+1", "2")
	}
}

// BenchmarkReadFile measures an fs.read_file of 1 KB inside a cell; the cell's own time is in it.
func BenchmarkReadFile(b *testing.B) {
	project := b.TempDir()
	text := make([]byte, 1024)
	for i := range text {
		text[i] = 'x'
	}
	if err := os.WriteFile(project+"/a.txt", text, 0o644); err != nil {
		b.Fatal(err)
	}
	c := startBench(b, project, true)
	defer c.close()
	const code = `len(s.fs.read_file("a.txt").text)`
	c.cell(code, "1024")
	for b.Loop() {
		c.cell(code, "1024")
	}
}

// BenchmarkMemory reports the proportional set size of host, runtime and plugins after each was used once, without
// language servers.
func BenchmarkMemory(b *testing.B) {
	project := b.TempDir()
	if err := os.WriteFile(project+"/a.txt", []byte("one\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	var total, processes float64
	for b.Loop() {
		c := startBench(b, project, true)
		c.cell(`s.fs.read_file("a.txt").text`, "one\n")
		c.cell(`s.shell.execute_shell_command("echo hi").stdout`, "hi\n")
		c.cell("try:\n    s.lsp.get_symbols_overview('a.txt')\nexcept Exception: pass\n1", "1") // starts the plugin alone
		pids := append(descendants(c.cmd.Process.Pid), c.cmd.Process.Pid)
		total, processes = 0, float64(len(pids))
		for _, pid := range pids {
			size, err := process.ProportionalSetSize(pid)
			if err != nil {
				b.Fatal(err)
			}
			total += float64(size)
		}
		c.close()
	}
	b.ReportMetric(total/(1<<20), "PSS-MB")
	b.ReportMetric(processes, "processes")
	b.ReportMetric(0, "ns/op")
}

// benchClient talks to a server in lockstep: a request, then the answer.
type benchClient struct {
	b    *testing.B
	cmd  *exec.Cmd
	send *json.Encoder
	recv *json.Decoder
	stop func() error
	id   int

	session string
}

// startBench starts a server and asks for the tools; ready says that initialized is sent too.
func startBench(b *testing.B, project string, ready bool) *benchClient {
	b.Helper()
	return startBenchIn(b, b.TempDir(), project, ready)
}

func startBenchIn(b *testing.B, home, project string, ready bool) *benchClient {
	b.Helper()
	cmd := exec.Command(binary, "start-mcp-server", "--agent-interface", "REPL", "--project", project)
	cmd.Env = environment(home)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &benchClient{b: b, cmd: cmd, send: json.NewEncoder(stdin), recv: json.NewDecoder(stdout), stop: stdin.Close, session: "bench"}
	c.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if ready {
		_ = c.send.Encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	c.request("tools/list", map[string]any{})
	return c
}

func (c *benchClient) request(method string, params any) json.RawMessage {
	c.b.Helper()
	c.id++
	if err := c.send.Encode(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		c.b.Fatal(err)
	}
	for {
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := c.recv.Decode(&m); err != nil {
			c.b.Fatal(err)
		}
		if m.ID == c.id {
			if m.Error != nil {
				c.b.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

func (c *benchClient) cell(code, want string) {
	c.b.Helper()
	var a answer
	raw := c.request("tools/call", map[string]any{"name": "serena_repl", "arguments": map[string]any{"session_id": c.session, "code": code}})
	if err := json.Unmarshal(raw, &a); err != nil || a.IsError || a.last() != want {
		c.b.Fatalf("%s: %v %s", code, err, raw)
	}
}

func (c *benchClient) close() {
	_ = c.stop()
	_ = c.cmd.Wait()
}

// BenchmarkSessions reports the memory of many sessions, each with its Python, and the time of a new session's first cell.
func BenchmarkSessions(b *testing.B) {
	const sessions = 100
	var total float64
	for b.Loop() {
		c := startBench(b, b.TempDir(), true)
		for i := range sessions {
			c.session = fmt.Sprint("s", i)
			c.cell("1+1", "2")
		}
		total = 0
		for _, pid := range descendants(c.cmd.Process.Pid) {
			if size, err := process.ProportionalSetSize(pid); err == nil { // the spare may be on its way
				total += float64(size)
			}
		}
		b.StopTimer()
		c.close()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/sessions, "ms/session")
	b.ReportMetric(total/(1<<20)/sessions, "PSS-MB/session")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReplaceInFiles measures an edit.replace_in_files of 5,000 matches in 1,000 files, all of them written, inside a cell.
func BenchmarkReplaceInFiles(b *testing.B) {
	project := b.TempDir()
	for i := range 1000 {
		dir := fmt.Sprintf("%s/d%02d", project, i%20)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for line := range 200 {
			fmt.Fprintf(&text, "%d some text that is not meant\n", line)
			if line%40 == 0 {
				text.WriteString("\tcall(needleOld)\n")
			}
		}
		if err := os.WriteFile(fmt.Sprintf("%s/f%04d.go", dir, i), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	c := startBench(b, project, true)
	defer c.close()
	c.cell(`names = ["needleOld", "needleNew"]; len(s.edit.replace_in_files(names[0], names[1], "literal", dry_run=True))`, "5000")
	for b.Loop() {
		c.cell(`done = s.edit.replace_in_files(names[0], names[1], "literal", expected_count=5000); names.reverse(); done.split("\n")[0]`,
			"OK (5000 occurrences replaced in 1000 files)")
	}
}

// BenchmarkPluginMemory reports the proportional set size of each built-in plugin that was used once and has nothing to do; lsp without language
// servers.
func BenchmarkPluginMemory(b *testing.B) {
	project := b.TempDir()
	if err := os.WriteFile(project+"/a.txt", []byte("one\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	c := startBenchIn(b, home, project, true)
	defer c.close()
	c.cell(`len(s.fs.read_file("a.txt").text), len(str(s.mem.list_memories())) > 0, s.shell.execute_shell_command("true").return_code`, "(4, True, 0)")
	c.cell("try:\n    s.lsp.get_symbols_overview('a.txt')\nexcept Exception:\n    pass\n0", "0")
	for b.Loop() {
		for _, name := range []string{"fs", "memory", "shell", "lsp"} {
			var mib float64
			cmd := exec.Command(binary, "plugin", "info", name)
			cmd.Env = environment(home)
			out, err := cmd.Output()
			if m := regexp.MustCompile(`running, pid \d+, ([0-9.]+) MiB`).FindSubmatch(out); err == nil && m != nil {
				mib, err = strconv.ParseFloat(string(m[1]), 64)
			}
			if err != nil || mib == 0 {
				b.Fatalf("%s: %v in\n%s", name, err, out)
			}
			b.ReportMetric(mib, name+"-MiB")
		}
	}
	b.ReportMetric(0, "ns/op")
}
