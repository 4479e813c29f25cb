package sdk

import (
	"slices"
	"testing"
)

func TestCommandEnvironmentLeavesOutWhatIsThePluginsOwn(t *testing.T) {
	t.Parallel()
	all := []string{"PATH=/bin", "SERENA_LIFELINE_FD=3", "SERENA_PLUGIN=x", "PLUGIN_MIN_PORT=1", "PLUGIN_MINE=y", "SERENA_HOME=/h"}
	if got, want := commandEnvironment(all), []string{"PATH=/bin", "PLUGIN_MINE=y", "SERENA_HOME=/h"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
