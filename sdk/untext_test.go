package sdk

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type looseParams struct {
	Text   string         `json:"text" default:"''"`
	Count  int            `json:"count" default:"0"`
	Ratio  float64        `json:"ratio" default:"0"`
	On     bool           `json:"on" default:"False"`
	Names  []string       `json:"names" default:"()"`
	Kinds  []level2       `json:"kinds" default:"()"`
	Map    map[string]int `json:"map" default:"{}"`
	End    *int           `json:"end" default:"None"`
	Maybe  *string        `json:"maybe" default:"None"`
	Either mood           `json:"either" default:"'calm'"`
}

func TestBindTextReadsWhatAClientWithoutTypesWrites(t *testing.T) {
	t.Parallel()
	d := NewMethod("m", func(context.Context, *Call, looseParams) (string, error) { return "", nil }, "S.\n\nD.").Decl()
	for name, c := range map[string]struct{ param, given, want, says string }{
		"a text is a text":          {param: "text", given: `"[1]"`, want: `"[1]"`},
		"an optional text":          {param: "maybe", given: `"null"`, want: `"null"`},
		"an int":                    {param: "count", given: `" 3 "`, want: "3"},
		"an integral float":         {param: "count", given: "3.0", want: "3"},
		"an integral float in text": {param: "count", given: `"3.0"`, want: "3"},
		"1e3":                       {param: "count", given: "1e3", want: "1000"},
		"no int":                    {param: "count", given: "3.5", says: "must be int, not a float (3.5)"},
		"beyond 64 bits":            {param: "count", given: "1e300", says: "must be int, not a float (1e300)"},
		"words are no int":          {param: "count", given: `"three"`, says: `must be int, not the str "three"`},
		"a bool is no int":          {param: "count", given: `"true"`, says: `must be int, not the str "true"`},
		"a float":                   {param: "ratio", given: `"2.5"`, want: "2.5"},
		"a bool":                    {param: "on", given: `"true"`, want: "true"},
		"Python's bool":             {param: "on", given: `"True"`, want: "true"},
		"1 is no bool":              {param: "on", given: `"1"`, says: `must be bool, not the str "1"`},
		"a list":                    {param: "names", given: `"[\"a\", \"b\"]"`, want: `["a","b"]`},
		"a list of texts":           {param: "names", given: `["1"]`, want: `["1"]`},
		"no list":                   {param: "names", given: `"a, b"`, says: `must be list[str], not the str "a, b"`},
		"enums":                     {param: "kinds", given: `["1", 2.0]`, want: "[1,2]"},
		"enums in text":             {param: "kinds", given: `"[1,\"2\"]"`, want: "[1,2]"},
		"an object":                 {param: "map", given: `"{\"a\": 1}"`, want: `{"a":1}`},
		"values of an object":       {param: "map", given: `{"a":"1"}`, want: `{"a":1}`},
		"None":                      {param: "end", given: `"None"`, want: "null"},
		"null":                      {param: "end", given: `"null"`, want: "null"},
		"an optional int":           {param: "end", given: `"7"`, want: "7"},
		"a text in a text":          {param: "count", given: `"\"3\""`, says: "must be int"},
		"two values":                {param: "count", given: `"3 4"`, says: "must be int"},
		"a bracket too many":        {param: "names", given: `"[\"a\"]]"`, says: "must be list[str], not the str"},
		"a brace too many":          {param: "map", given: `"{\"a\":1}}"`, says: "must be dict[str, int], not the str"},
		"a comma behind":            {param: "count", given: `"3,"`, says: "must be int"},
		"a list of other things":    {param: "names", given: `"[1]"`, says: "element 0: must be str, not an int (1)"},
		"a wrong value":             {param: "map", given: `"{\"a\":\"x\"}"`, says: `key "a": must be int, not the str "x"`},
		"beyond a float":            {param: "ratio", given: `"1e400"`, says: "must be float, not"},
		"a number beyond a float":   {param: "ratio", given: "-1e400", says: "not a number beyond a float's range"},
		"no literal":                {param: "either", given: `"true"`, says: "must be Literal"},
	} {
		args := map[string]json.RawMessage{c.param: json.RawMessage(c.given)}
		got, err := d.BindText("", args, 9)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %s, %v; want an error that says %q", name, got, err, c.says)
			}
			continue
		}
		var all map[string]json.RawMessage
		if err != nil || json.Unmarshal(got, &all) != nil || string(all[c.param]) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, all[c.param], err, c.want)
		}
		if strict, err := d.Bind("", args, 9); c.given != c.want && err == nil {
			t.Errorf("%s: Bind takes it too: %s", name, strict)
		}
	}
}
