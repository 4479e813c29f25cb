package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/serena-go/serena/sdk"
)

// probeLimit bounds the question for a program's version; a healthy one answers in milliseconds.
const probeLimit = 15 * time.Second

// tool is a server's program and the one version of it that is installed by us.
type tool struct {
	name    string
	version string
	probe   []string                                        // arguments that make it tell its version
	accept  func(output string) error                       // optional: refuses versions that are of no use
	needs   string                                          // optional: program without which it answers nothing
	by      string                                          // program that installs it
	install func(program, folder string) (*exec.Cmd, error) // puts it into folder
	manual  string                                          // how a user installs it
	env     []string                                        // optional: of the server and of the probe
	options func(own json.RawMessage) (any, error)          // optional: initializationOptions from the settings
}

// ownSettings are the settings that every server has.
type ownSettings struct {
	Path        string `json:"ls_path"`
	AutoInstall *bool  `json:"auto_install"`
}

// folderOf is where our own installation of the tool lies.
func (t *tool) folderOf(home string) string {
	return filepath.Join(home, "language_servers", t.name+"-"+t.version)
}

func (t *tool) executable() string {
	if runtime.GOOS == "windows" {
		return t.name + ".exe"
	}
	return t.name
}

// find looks at the configured path, our own installation and PATH, in this order, and installs the tool when none has it.
func (t *tool) find(ctx context.Context, in *Installer, s Settings) (Command, error) {
	var own ownSettings
	if len(s.Own) > 0 {
		if err := json.Unmarshal(s.Own, &own); err != nil {
			return Command{}, sdk.Errorf(sdk.KindValue, "the settings of %s in ls_specific_settings cannot be read: %w", t.name, err)
		}
	}
	path, err := t.path(ctx, in, s, own)
	if err != nil {
		return Command{}, err
	}
	if t.needs != "" {
		if _, err := in.lookPath(t.needs); err != nil {
			return Command{}, sdk.Errorf(sdk.KindFileNotFound, "%s is there (%s), but it needs the program %s, which is not on PATH: install it or add its folder to PATH", t.name, path, t.needs)
		}
	}
	cmd := Command{Path: path, Env: t.env}
	if t.options != nil {
		if cmd.Options, err = t.options(s.Own); err != nil {
			return Command{}, err
		}
	}
	return cmd, nil
}

func (t *tool) path(ctx context.Context, in *Installer, s Settings, own ownSettings) (string, error) {
	if own.Path != "" {
		if err := t.check(ctx, in, own.Path); err != nil {
			return "", sdk.Errorf(sdk.KindFileNotFound, "the configured %s cannot be used: %w; correct or remove ls_path in ls_specific_settings", t.name, err)
		}
		return own.Path, nil
	}
	installed := filepath.Join(t.folderOf(s.Home), t.executable())
	if isProgram(installed) {
		return installed, nil
	}
	tried := fmt.Sprintf("looked for %s and for %s on PATH", installed, t.name)
	if found, err := in.lookPath(t.name); err == nil {
		if err = t.check(ctx, in, found); err == nil {
			return found, nil
		}
		tried += "; " + err.Error()
	}
	auto := s.AutoInstall
	if own.AutoInstall != nil {
		auto = *own.AutoInstall
	}
	if !auto {
		return "", sdk.Errorf(sdk.KindFileNotFound, "%s is not installed (%s) and auto_install is off; install it with `%s`, or name a program in ls_path of ls_specific_settings, and call again", t.name, tried, t.manual)
	}
	program, err := in.lookPath(t.by)
	if err != nil {
		return "", sdk.Errorf(sdk.KindFileNotFound, "%s is not installed (%s) and cannot be: `%s` needs %s, which is not on PATH; install both and call again", t.name, tried, t.manual, t.by)
	}
	if err := in.install(ctx, t, program, s.Home); err != nil {
		return "", err
	}
	return installed, nil
}

// check asks a program for its version: finding a file is not enough, for a stub or another version may stand there.
func (t *tool) check(ctx context.Context, in *Installer, path string) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	command := strings.Join(append([]string{path}, t.probe...), " ")
	cmd := exec.Command(path, t.probe...)
	cmd.Env = append(sdk.CommandEnvironment(), t.env...)
	output, err := in.run(ctx, cmd)
	if err != nil {
		return fmt.Errorf("`%s` did not answer with a version: %w", command, err)
	}
	if t.accept != nil {
		if err := t.accept(output); err != nil {
			return fmt.Errorf("`%s`: %w", command, err)
		}
	}
	return nil
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
