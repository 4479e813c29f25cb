//go:build !windows

package files

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mutation is an order for a child that changes a project at random, as editors, git and build tools together do. It does as many
// operations as each line on its stdin says and answers each line with "done".
type mutation struct {
	Root    string
	Outside string // a folder beside the root, for what is moved out and in
	Seed    uint64
	Ignore  bool // write ignore files, too
	Hard    bool // give files further names, too
}

func (m mutation) run() {
	r := &mutator{mutation: m, Rand: rand.New(rand.NewPCG(m.Seed, 1))}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			panic(err)
		}
		for range n {
			r.step()
		}
		fmt.Println("done")
	}
}

type mutator struct {
	mutation
	*rand.Rand
	count int
}

// somewhere is a path that may exist: few names, so that they meet often. No folder in it is a link, which could lead out.
func (r *mutator) somewhere() string {
	path := r.Root
	for range 1 + r.IntN(4) {
		if st, err := os.Lstat(path); err == nil && st.Mode()&os.ModeSymlink != 0 {
			break
		}
		path = filepath.Join(path, string(rune('a'+r.IntN(4))))
	}
	return path
}

// aFile is a regular file that exists; "" if none is found soon.
func (r *mutator) aFile() string {
	for range 20 {
		path := r.somewhere()
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// step does one operation; what the state of the tree makes impossible fails, and that is fine.
func (r *mutator) step() {
	r.count++
	text := fmt.Appendf(nil, "%08d", r.count)
	path := r.somewhere()
	switch r.IntN(20) {
	case 0, 1, 2:
		_ = os.WriteFile(path, text, 0o644)
	case 3:
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, text, 0o644)
	case 4: // with the size and the time as they were
		if path := r.aFile(); path != "" {
			st, _ := os.Stat(path)
			_ = os.WriteFile(path, text, 0o644)
			_ = os.Chtimes(path, time.Time{}, st.ModTime())
		}
	case 5: // as editors save
		temp := path + "~"
		_ = os.WriteFile(temp, text, 0o644)
		if os.Rename(temp, path) != nil {
			_ = os.Remove(temp)
		}
	case 6, 7:
		_ = os.Rename(path, r.somewhere())
	case 8:
		_ = exchange(path, r.somewhere())
	case 9:
		_ = os.MkdirAll(path, 0o755)
	case 10:
		_ = os.RemoveAll(path)
	case 11:
		_ = os.Remove(path)
	case 12:
		target := r.somewhere()
		if rel, err := filepath.Rel(filepath.Dir(path), target); err == nil {
			_ = os.Symlink(rel, path)
		}
	case 13:
		out := filepath.Join(r.Outside, string(rune('a'+r.IntN(3))))
		if r.Hard { // nothing could tell what happens there
			return
		}
		if os.Rename(path, out) != nil {
			_ = os.Rename(out, path)
		}
	case 14:
		if path := r.aFile(); path != "" {
			_ = os.Chmod(path, []os.FileMode{0o644, 0o755}[r.IntN(2)])
		}
	case 15: // a checkout: many files go and come
		_ = os.RemoveAll(path)
		if exists(path) {
			return
		}
		for i := range 30 {
			name := filepath.Join(path, string(rune('a'+i%4)), string(rune('a'+i/4%4)), string(rune('a'+i/16)))
			_ = os.MkdirAll(filepath.Dir(name), 0o755)
			_ = os.WriteFile(name, text, 0o644)
		}
	case 16:
		if file := r.aFile(); r.Hard && file != "" {
			_ = os.Link(file, path)
		}
	case 17:
		if file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil && r.Hard {
			_, _ = file.Write(text)
			_ = file.Close()
		}
	case 18:
		if r.Ignore {
			rules := []string{"b/\n", "c\n", "/a/b\n", "*\n!a\n!b\n", ""}[r.IntN(5)]
			_ = os.WriteFile(filepath.Join(filepath.Dir(path), ".gitignore"), []byte(rules), 0o644)
		}
	case 19:
		if r.Ignore {
			exclude := filepath.Join(r.Root, ".git/info/exclude")
			_ = os.MkdirAll(filepath.Dir(exclude), 0o755)
			_ = os.WriteFile(exclude, []byte([]string{"/a\n", "d\n", "/d/d\n"}[r.IntN(3)]), 0o644)
		}
	}
}

// running is a mutation under way.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (m mutation) start(t *testing.T) *running {
	t.Helper()
	cmd := order{Root: m.Root, Mutation: &m}.command(t)
	cmd.Cancel = func() error { return nil } // it ends with its input
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if _ = cmd.Wait(); !cmd.ProcessState.Success() { // its error may be the test's own end
			t.Errorf("the mutator: %v", cmd.ProcessState)
		}
	})
	return &running{cmd, in, bufio.NewReader(out)}
}

// begin orders operations; wait returns when they are done.
func (r *running) begin(t *testing.T, operations int) {
	t.Helper()
	if _, err := fmt.Fprintln(r.in, operations); err != nil {
		t.Fatal(err)
	}
}

func (r *running) wait(t *testing.T) {
	t.Helper()
	if line, err := r.out.ReadString('\n'); err != nil || strings.TrimSpace(line) != "done" {
		t.Fatalf("the mutator answers %q, %v", line, err)
	}
}
