package sdk

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type todoSettings struct {
	Limit  int               `json:"limit" doc:"items at most"`
	Title  string            `json:"title"`
	Mood   mood              `json:"mood"`
	Ratio  float64           `json:"ratio"`
	Tags   []string          `json:"tags"`
	Remote *remote           `json:"remote"`
	Named  map[string]remote `json:"named"`
}

type remote struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

func TestPluginSettingsKeepDefaultsAndTakeWhatIsConfigured(t *testing.T) {
	t.Parallel()
	defaults := todoSettings{Limit: 10, Title: "todo", Mood: "calm", Tags: []string{"a"}}
	for name, c := range map[string]struct {
		own  string
		want func(*todoSettings)
	}{
		"nothing":  {"", func(*todoSettings) {}},
		"an empty": {"{}", func(*todoSettings) {}},
		"all": {`{"limit":3,"title":"t","mood":"wild","ratio":2,"tags":["x","y"],"remote":{"host":"h","port":1},"named":{"b":{"port":2}}}`, func(s *todoSettings) {
			*s = todoSettings{3, "t", "wild", 2, []string{"x", "y"}, &remote{"h", 1}, map[string]remote{"b": {Port: 2}}}
		}},
		"some": {`{"tags":[],"remote":null}`, func(s *todoSettings) { s.Tags = []string{} }},
	} {
		want, got := defaults, defaults
		c.want(&want)
		p := &Project{Plugin: "todo", OwnSettings: json.RawMessage(c.own)}
		if err := p.PluginSettings(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
}

func TestPluginSettingsNameTheKeyThatIsWrong(t *testing.T) {
	t.Parallel()
	for own, says := range map[string]string{
		`{"limt":3}`:                   "plugins.todo.limt: the plugin has no such setting; did you mean limit? It has: limit, title, mood, ratio, tags, remote, named",
		`{"limit":"3"}`:                `plugins.todo.limit must be int, not the str "3"`,
		`{"limit":3.5}`:                "plugins.todo.limit must be int, not a float (3.5)",
		`{"limit":null}`:               "plugins.todo.limit must be int, not None",
		`{"mood":"sad"}`:               `plugins.todo.mood must be Literal["calm", "wild"], not the str "sad"`,
		`{"tags":"x"}`:                 `plugins.todo.tags must be list[str], not the str "x"`,
		`{"tags":["x",1]}`:             "plugins.todo.tags[1] must be str, not an int (1)",
		`{"remote":{"hosst":"h"}}`:     "plugins.todo.remote.hosst: the plugin has no such setting; did you mean host? It has: host, port",
		`{"remote":{"port":"h"}}`:      `plugins.todo.remote.port must be int, not the str "h"`,
		`{"remote":[]}`:                "plugins.todo.remote must be a mapping with the keys host, port, not a list",
		`{"named":{"b":{"port":"h"}}}`: `plugins.todo.named.b.port must be int, not the str "h"`,
		`{"zzz":1}`:                    "plugins.todo.zzz: the plugin has no such setting. It has: limit",
		`[]`:                           "plugins.todo must be a mapping with the keys limit, title, mood, ratio, tags, remote, named, not a list",
		`{`:                            "plugins.todo: not JSON",
	} {
		got := todoSettings{Limit: 10}
		p := &Project{Plugin: "todo", OwnSettings: json.RawMessage(own)}
		err := p.PluginSettings(&got)
		if err == nil || !strings.HasPrefix(err.Error(), says) || !IsKind(err, KindValue) {
			t.Errorf("%s: %v; want a ValueError that begins with %s", own, err, says)
		}
		if !reflect.DeepEqual(got, todoSettings{Limit: 10}) {
			t.Errorf("%s: the settings were touched: %+v", own, got)
		}
	}
}

func TestPluginSettingsTellTheAuthor(t *testing.T) {
	t.Parallel()
	p := &Project{Plugin: "todo", OwnSettings: json.RawMessage(`{"a":1}`)}
	for says, into := range map[string]any{
		"a pointer to a struct, not sdk.todoSettings":  todoSettings{},
		"a pointer to a struct, not <nil>":             nil,
		"field A of struct { A int } needs a json tag": &struct{ A int }{},
	} {
		if err := p.PluginSettings(into); err == nil || !strings.Contains(err.Error(), says) || !IsKind(err, KindRuntime) {
			t.Errorf("%v; want a RuntimeError that says %q", err, says)
		}
	}
	if err := p.PluginSettings(&struct{}{}); err == nil || !strings.Contains(err.Error(), "plugins.todo.a: the plugin has no such setting, nor any other") {
		t.Error(err)
	}
}
