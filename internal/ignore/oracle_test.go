package ignore_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plant makes a folder with the given files; a name that ends in "/" is an empty folder.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// everything lists all paths below root, those below .git excepted, and whether each is a folder.
func everything(t *testing.T, root string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		all[filepath.ToSlash(rel)] = d.IsDir()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// git runs git in dir without the user's configuration.
func git(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "core.excludesFile=", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(input)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil && (args[0] != "check-ignore" || failure.Len() > 0) {
		t.Fatalf("git %s: %v\n%s", args[0], err, failure.String())
	}
	return out.String()
}

// gitIgnores returns those of the paths that git ignores.
func gitIgnores(t *testing.T, root string, paths map[string]bool) map[string]bool {
	t.Helper()
	var input strings.Builder
	for path := range paths {
		input.WriteString(path + "\x00")
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(git(t, root, input.String(), "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
		if path != "" {
			ignored[path] = true
		}
	}
	return ignored
}
