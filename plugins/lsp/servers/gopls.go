package servers

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/serena-go/serena/sdk"
)

const goplsVersion = "v0.23.0"

// oldestGopls is the first minor version (v0.N) with views for every module that a file is opened in.
const oldestGopls = 15

var goplsTool = &tool{
	name: "gopls", version: goplsVersion, probe: []string{"version"}, accept: acceptGopls,
	needs: "go", by: "go", install: installGopls, manual: "go install golang.org/x/tools/gopls@" + goplsVersion,
	options: goplsOptions,
	// gopls would start a telemetry process in a session of its own, which is not ended with the group. "2" is what that process tells
	// its own children: to start none.
	env: []string{"GO_TELEMETRY_CHILD=2"},
}

var goplsAnswer = regexp.MustCompile(`gopls v0\.(\d+)\.`)

// acceptGopls refuses what is too old. A version built from source has no number and is taken.
func acceptGopls(output string) error {
	m := goplsAnswer.FindStringSubmatch(output)
	if m == nil {
		return nil
	}
	if minor, err := strconv.Atoi(m[1]); err == nil && minor < oldestGopls {
		return fmt.Errorf("version v0.%d is too old: at least v0.%d.0 is needed", minor, oldestGopls)
	}
	return nil
}

// installGopls builds from source outside any module, whatever the user's environment says of modules and targets.
func installGopls(program, folder string) (*exec.Cmd, error) {
	cmd := exec.Command(program, "install", "golang.org/x/tools/gopls@"+goplsVersion)
	cmd.Dir = folder
	cmd.Env = append(sdk.CommandEnvironment(), "GOBIN="+folder, "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOOS=", "GOARCH=")
	return cmd, nil
}

// goplsSettings are gopls's own settings, as the user wrote them; nil when there are none.
type goplsSettings map[string]any

func readGoplsSettings(own json.RawMessage) (goplsSettings, error) {
	if len(own) == 0 {
		return nil, nil
	}
	var s struct {
		Settings goplsSettings `json:"gopls_settings"`
	}
	if err := json.Unmarshal(own, &s); err != nil {
		return nil, sdk.Errorf(sdk.KindValue, "gopls_settings in ls_specific_settings must be a mapping: %w", err)
	}
	return s.Settings, nil
}

// goplsOptions hands gopls_settings on as it is.
func goplsOptions(own json.RawMessage) (any, error) {
	s, err := readGoplsSettings(own)
	if s == nil || err != nil {
		return nil, err
	}
	return map[string]any(s), nil
}

// get returns a setting by the last part of its name: gopls takes "build.env" and "env" for the same.
func (s goplsSettings) get(name string) any {
	for key, value := range s {
		if key == name || strings.HasSuffix(key, "."+name) {
			return value
		}
	}
	return nil
}

// environment is what gopls adds to its own for the go command.
func (s goplsSettings) environment() []string {
	var out []string
	env, _ := s.get("env").(map[string]any)
	for name, value := range env {
		out = append(out, fmt.Sprintf("%s=%v", name, value))
	}
	return out
}

// flags is what gopls gives the go command.
func (s goplsSettings) flags() []string {
	var out []string
	list, _ := s.get("buildFlags").([]any)
	for _, f := range list {
		out = append(out, fmt.Sprint(f))
	}
	return out
}
