package e2e

import (
	"bufio"
	bigendian "encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// installWords makes examples/plugin-python ready in the home.
func installWords(t *testing.T, home string) {
	t.Helper()
	python := os.Getenv("SERENA_TEST_GRPC_PYTHON")
	switch python {
	case "none":
		t.Skip("grpcio was declared to be missing (GRPC_PYTHON=none), so a plugin in Python cannot be run")
	case "":
		t.Fatal("SERENA_TEST_GRPC_PYTHON must name a Python with grpcio: run `make test`, which gets one")
	}
	install := exec.CommandContext(t.Context(), "../examples/plugin-python/install", filepath.Join(home, "plugins", "words"))
	install.Env = append(os.Environ(), "SERENA="+binary, "PYTHON="+python)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
}

// TestPythonPlugin drives examples/plugin-python: the wire needs no Go.
func TestPythonPlugin(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	installWords(t, home)
	file := filepath.Join(project, "a.txt")
	if err := os.WriteFile(file, []byte("the cat and the dog and the\r\nold cat\xff"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "plain.txt"), []byte("the cat and the dog and the\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := start(t, project, withHome(home))
	c.has("words")
	for code, want := range map[string]string{
		`s.words.count("plain.txt", top=2).common`: "{'the': 3, 'and': 2}",
		`s.words.count("plain.txt")`:               `{"total":7,"common":{"the":3,"and":2,"cat":1,"dog":1}}`,
		`[c.total for c in await __import__("asyncio").gather(*[s.aio.words.count("plain.txt") for _ in range(40)])] == [7] * 40`: "True",
		`s.words.capitalize("a.txt", "cat")`: "2",
	} {
		c.gives(code, want)
	}
	c.fails(`s.words.capitalize("none.txt", "cat")`, "FileNotFoundError: words.capitalize: none.txt cannot be read: No such file or directory")
	c.fails(`s.words.capitalize("../x.txt", "cat")`, "PermissionError: words.capitalize: ../x.txt is outside the project")
	c.fails(`s.words.count("none.txt")`, "FileNotFoundError", "none.txt")
	c.fails(`s.words.count("plain.txt", tops=1)`, "TypeError", `did you mean 'top'`)
	got, err := os.ReadFile(file)
	if want := "the Cat and the dog and the\r\nold Cat\xff"; err != nil || string(got) != want {
		t.Errorf("the file holds %q (%v), want %q", got, err, want)
	}
}

// TestPythonPlugin_pings sends as many pings as the host does in a call of a minute. A server that counts them ends the connection with GOAWAY.
func TestPythonPlugin_pings(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	installWords(t, home)
	sockets, err := os.MkdirTemp("", "words-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	plugin := exec.CommandContext(t.Context(), filepath.Join(home, "plugins", "words", "plugin"))
	plugin.Env = append(os.Environ(), "SERENA_PLUGIN=any", "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_UNIX_SOCKET_DIR="+sockets)
	stdout, err := plugin.StdoutPipe()
	if err == nil {
		err = plugin.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = plugin.Process.Kill()
		_ = plugin.Wait() // an error says that it was killed
	})
	handshake, err := bufio.NewReader(stdout).ReadString('\n')
	fields := strings.Split(handshake, "|")
	if err != nil || len(fields) != 5 {
		t.Fatalf("%q %v", handshake, err)
	}
	conn, err := net.Dial("unix", fields[3])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	frame := func(kind byte, payload string) string {
		return string(bigendian.BigEndian.AppendUint32(nil, uint32(len(payload)))[1:]) + string([]byte{kind, 0, 0, 0, 0, 0}) + payload
	}
	const settings, ping, goaway = 4, 6, 7
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+frame(settings, "")); err != nil {
		t.Fatal(err)
	}
	for sent, answered := 0, 0; answered < 6; {
		if sent == answered { // one after the other, as the host does
			if _, err := io.WriteString(conn, frame(ping, "12345678")); err != nil {
				t.Fatalf("ping %d: %v", sent, err)
			}
			sent++
		}
		head := make([]byte, 9)
		if _, err := io.ReadFull(conn, head); err != nil {
			t.Fatalf("after %d pings: %v", sent, err)
		}
		payload := make([]byte, bigendian.BigEndian.Uint16(head[1:3])) // nothing longer comes here
		if _, err := io.ReadFull(conn, payload); err != nil {
			t.Fatal(err)
		}
		switch {
		case head[3] == goaway:
			t.Fatalf("ping %d ended the connection: %q", sent, payload)
		case head[3] == ping && head[4] == 1:
			answered++
		}
	}
}
