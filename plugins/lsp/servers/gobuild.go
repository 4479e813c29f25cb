package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"go/build/constraint"
	"go/token"
	"io"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/serena-go/serena/sdk"
)

// goBuild is the build that gopls sees: one platform and one set of tags.
type goBuild struct{ build.Context }

var goVersion = regexp.MustCompile(`^go1\.(\d+)`)

// goLeftOut asks the go command for the environment, for it may stand in a file as well (go env -w).
func goLeftOut(ctx context.Context, in *Installer, root string, s Settings) (LeftOut, error) {
	own, err := readGoplsSettings(s.Own)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "env", "-json", "GOOS", "GOARCH", "CGO_ENABLED", "GOFLAGS", "GOVERSION")
	cmd.Dir = root
	cmd.Env = append(append(sdk.CommandEnvironment(), goplsTool.env...), own.environment()...)
	out, err := in.run(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("`go env`: %w", err)
	}
	var env struct{ GOOS, GOARCH, CGO_ENABLED, GOFLAGS, GOVERSION string }
	if err := json.Unmarshal([]byte(out[max(0, strings.Index(out, "{")):]), &env); err != nil { // warnings may stand in front
		return nil, fmt.Errorf("`go env` answered with something unexpected: %w", err)
	}
	b := goBuild{build.Default}
	b.GOOS, b.GOARCH, b.CgoEnabled = env.GOOS, env.GOARCH, env.CGO_ENABLED == "1"
	b.BuildTags = goTags(append(strings.Fields(env.GOFLAGS), own.flags()...))
	if m := goVersion.FindStringSubmatch(env.GOVERSION); m != nil {
		b.ReleaseTags = nil
		last, _ := strconv.Atoi(m[1]) // digits
		for i := 1; i <= last; i++ {
			b.ReleaseTags = append(b.ReleaseTags, "go1."+strconv.Itoa(i))
		}
	}
	return b.leftOut, nil
}

// goTags returns the tags of the last -tags among a command's flags.
func goTags(flags []string) []string {
	var tags []string
	for i, f := range flags {
		name, value, has := strings.Cut(strings.TrimLeft(strings.Trim(f, `'"`), "-"), "=")
		if name != "tags" {
			continue
		}
		if !has && i+1 < len(flags) {
			value = flags[i+1]
		}
		tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return tags
}

// leftOut goes by gopls's rule: an answer is drawn from one build, the user's own if the declaration is in it.
func (b goBuild) leftOut(name string, declared, file File) string {
	if !token.IsExported(name) && path.Dir(declared.Path) != path.Dir(file.Path) {
		return "" // cannot be meant there
	}
	b = b.of(declared)
	base := path.Base(file.Path)
	if b.matches(base, file.Text) {
		return ""
	}
	neutral := "x.go"
	switch {
	case strings.HasPrefix(base, "_"), strings.HasPrefix(base, "."):
		return fmt.Sprintf("its name begins with %q", base[:1])
	case b.matches(neutral, file.Text):
		return fmt.Sprintf("its name says another platform than %s/%s", b.GOOS, b.GOARCH)
	}
	return goConstraint(file.Text)
}

func (b goBuild) matches(name, text string) bool {
	b.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	ok, err := b.MatchFile("/", name)
	return ok || err != nil // what cannot be read so far is no matter of the build
}

// of is the build in which gopls looks at a file: the user's own, else that of the first platform, in an order of its own, that has the file.
func (b goBuild) of(f File) goBuild {
	base := path.Base(f.Path)
	if b.matches(base, f.Text) {
		return b
	}
	for _, platform := range goPlatforms {
		other := b
		other.GOOS, other.GOARCH, _ = strings.Cut(platform, "/")
		if other.matches(base, f.Text) {
			return other
		}
	}
	return b
}

// goPlatforms are those that gopls tries, as far as their order matters: the well supported ones, then one or more of each further system.
var goPlatforms = strings.Fields(`darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 linux/arm linux/386 windows/386
	aix/ppc64 dragonfly/amd64 freebsd/386 freebsd/amd64 freebsd/arm freebsd/arm64 illumos/amd64
	linux/ppc64 linux/ppc64le linux/mips linux/mipsle linux/mips64 linux/mips64le linux/riscv64 linux/s390x
	android/386 android/amd64 android/arm android/arm64 ios/arm64 ios/amd64 js/wasm netbsd/386 netbsd/amd64 netbsd/arm netbsd/arm64
	openbsd/386 openbsd/amd64 openbsd/arm openbsd/arm64 openbsd/mips64 plan9/386 plan9/amd64 plan9/arm solaris/amd64
	windows/arm windows/arm64 freebsd/riscv64 linux/loong64 wasip1/wasm`)

// goConstraint is the line by which a file says what builds it is for.
func goConstraint(text string) string {
	old := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case constraint.IsGoBuild(line):
			return line
		case old == "" && constraint.IsPlusBuild(line):
			old = line
		case strings.HasPrefix(line, "package "):
			return old
		}
	}
	return old
}
