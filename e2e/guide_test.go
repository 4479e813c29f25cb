package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestWritingAPlugin follows docs/writing-a-plugin.md: every command in it is run, in order, by one shell that ends at the first that fails.
func TestWritingAPlugin(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/writing-a-plugin.md")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Builder{}
	script.WriteString("set -eu\n")
	for _, block := range shellBlock.FindAllSubmatch(guide, -1) {
		script.WriteString(negated.ReplaceAllString(string(block[1]), "if $1; then echo 'the last command should have failed'; exit 1; fi"))
	}
	sdk, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	shell := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	shell.Dir = t.TempDir()
	shell.Env = append(environment(home), "SDK="+sdk, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Hello, Hello, Ada", "Ada\nGrace", "Ahoy, Ada", "ValueError: greet.hello: times must be at least 1, not 0", "did you mean 'name'?"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands did not print %q:\n%s", want, out)
		}
	}
}

// negated matches a command that must fail: with `set -e`, bash does not mind when a command behind `!` succeeds.
var negated = regexp.MustCompile(`(?m)^! (.*)$`)
