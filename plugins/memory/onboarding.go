package memory

import (
	"context"
	_ "embed"
	"runtime"
	"strings"

	"github.com/serena-go/serena/sdk"
)

//go:embed onboarding_prompt.md
var onboardingPrompt string

// systems are the names by which people know what Go calls otherwise.
var systems = map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}

func onboarding(ctx context.Context, call *sdk.Call, _ struct{}) (string, error) {
	s, err := open(call)
	if err != nil {
		return "", err
	}
	found, err := s.visible(ctx)
	if err != nil {
		return "", err
	}
	system, ok := systems[runtime.GOOS]
	if !ok {
		system = runtime.GOOS
	}
	text := strings.ReplaceAll(onboardingPrompt, "{{system}}", system)
	var own []string
	for _, name := range found.names {
		if !isGlobal(name) {
			own = append(own, name)
		}
	}
	if len(own) > 0 {
		text += "\nThe project has memories already: " + named(own) + ". Read them first; correct and complete them rather than write them anew.\n"
	}
	return text, nil
}
