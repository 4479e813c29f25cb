package plugin

import (
	"context"
	"encoding/json"

	"github.com/serena-go/serena/sdk"
)

// nobody is the host of a plugin that is only tried.
type nobody struct{}

var _ sdk.HostServices = nobody{}

var errNobody = sdk.Errorf(sdk.KindRuntime, "the plugin is only tried: there is no project and no other plugin")

func (nobody) ApplyEdits(context.Context, string, []sdk.Change) (uint64, error) { return 0, errNobody }

func (nobody) Changes(context.Context, string, uint64) (sdk.Changes, error) {
	return sdk.Changes{}, errNobody
}

func (nobody) ReportChanged(context.Context, string, []string) (uint64, error) { return 0, errNobody }

func (nobody) CallFacade(context.Context, string, string, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errNobody
}
