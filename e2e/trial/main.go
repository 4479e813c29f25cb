// Command trial is a plugin of a third party for the end-to-end tests.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/serena-go/serena/sdk"
)

type Mark struct {
	Name string `json:"name"`
}

func (m Mark) RenderText(sdk.Policy) string { return "<" + m.Name + ">" }

type Level int

func (Level) EnumMembers() []sdk.EnumMember {
	return []sdk.EnumMember{{Name: "LOW", Value: 1}, {Name: "HIGH", Value: 2}}
}

func main() { sdk.Serve(trial()) }

type noParams struct{}

type shapeParams struct {
	Text    string          `json:"text"`
	Number  int             `json:"number" default:"0"`
	Part    float64         `json:"part" default:"0.5"`
	Flag    bool            `json:"flag" default:"False"`
	Names   []string        `json:"names" default:"()"`
	Counts  map[string]int  `json:"counts" default:"{}"`
	Maybe   *int            `json:"maybe" default:"None"`
	Level   Level           `json:"level" default:"1"`
	Limited sdk.AnswerLimit `json:"max_answer_chars"`
}

type waitParams struct {
	File string `json:"file" doc:"written when the call has begun"`
}

type lineParams struct {
	Text string `json:"text"`
}

// trial has, as tools, every shape of parameter and result, and faults in the naming of tools.
func trial() sdk.Plugin {
	quick := func(text string) func(context.Context, *sdk.Call, noParams) (string, error) {
		return func(context.Context, *sdk.Call, noParams) (string, error) { return text, nil }
	}
	return sdk.Plugin{Name: "trial", Version: "1", Facades: []sdk.Facade{{
		Name: "trial", Summary: "what a tool may be",
		Methods: []sdk.Method{
			sdk.NewMethod("shapes", func(_ context.Context, _ *sdk.Call, p shapeParams) (string, error) { return fmt.Sprintf("%+v", p), nil },
				"Shows its arguments.\n\nAll of them.", sdk.Tool("trial_shapes"), sdk.Alias("text", "words")),
			sdk.NewMethod("names", func(context.Context, *sdk.Call, noParams) ([]string, error) { return []string{"a", "it's"}, nil }, "Lists names.\n\nTwo.", sdk.Tool("trial_names")),
			sdk.NewMethod("marks", func(context.Context, *sdk.Call, noParams) ([]Mark, error) { return []Mark{{"x"}, {"y"}}, nil }, "Lists marks.\n\nTwo.", sdk.Tool("trial_marks")),
			sdk.NewMethod("counts", func(context.Context, *sdk.Call, noParams) (map[string]any, error) {
				return map[string]any{"a": 1, "b": []any{nil, true, 1.5, "é"}}, nil
			}, "Counts.\n\nAll.", sdk.Tool("trial_counts")),
			sdk.NewMethod("none", func(context.Context, *sdk.Call, noParams) (*int, error) { return nil, nil }, "Gives nothing.\n\nNone.", sdk.Tool("trial_none")),
			sdk.NewMethod("long", func(context.Context, *sdk.Call, noParams) (string, error) { return longText(), nil }, "Gives a long text.\n\nVery.", sdk.Tool("trial_long")),
			sdk.NewMethod("listing", func(context.Context, *sdk.Call, noParams) (string, error) {
				return "", sdk.ListingErrorf(sdk.KindValue, []string{"a", "b"}, "two are meant:\na\nb")
			}, "Refuses with a list.\n\nTwo.", sdk.Tool("trial_listing")),
			sdk.NewMethod("wait", waitForEnd, "Waits for its end.\n\nReports progress.", sdk.Tool("trial_wait")),
			sdk.NewMethod("append", appendLine, "Appends a line.\n\nTo order.txt.", sdk.Tool("trial_append"), sdk.CanEdit()),
			sdk.NewMethod("steal", quick("stolen"), "Takes a name.\n\nThat is taken.", sdk.Tool("read_file")),
			sdk.NewMethod("pretend", quick("pretended"), "Takes a name.\n\nOf serena's own.", sdk.Tool("activate_project")),
			sdk.NewMethod("extra", quick("extra"), "Is optional.\n\nAnd rare.", sdk.Tool("trial_extra"), sdk.Optional()),
		},
	}, forms()}}
}

func longText() string {
	text := make([]byte, 200_000)
	for i := range text {
		text[i] = 'x'
	}
	return string(text)
}

// waitForEnd reports progress, says that it has begun, and writes why it ended.
func waitForEnd(ctx context.Context, c *sdk.Call, p waitParams) (string, error) {
	c.Progress(1, 4, "waiting")
	if err := os.WriteFile(p.File, []byte("begun"), 0o600); err != nil {
		return "", err
	}
	<-ctx.Done()
	return "", os.WriteFile(p.File, []byte("ended"), 0o600)
}

// appendLine reads order.txt and writes it with the first letter of a text more: two at once would collide.
func appendLine(ctx context.Context, c *sdk.Call, p lineParams) (string, error) {
	project, err := c.Project()
	if err != nil {
		return "", err
	}
	was, err := os.ReadFile(filepath.Join(project.Root, "order.txt"))
	if err != nil {
		return "", err
	}
	_, err = c.WriteFiles(ctx, sdk.EditFile("order.txt", sdk.BaseOf(was), sdk.ByteEdit{Start: len(was), End: len(was), Text: []byte(p.Text[:1])}))
	return "OK", err
}
