package sdk

import (
	"fmt"
	"strings"
	"testing"
)

// TestManifestsOfOthersThatAreNotWellFormed parses what no sdk would make: none of it may end the host, or pass.
func TestManifestsOfOthersThatAreNotWellFormed(t *testing.T) {
	t.Parallel()
	manifest := func(params, result, rest string) string {
		return `{"manifest_version":1,"sdk":"1.0","protocols":[1],"name":"x","facades":[{"name":"f","owner":true,"summary":"s","methods":[` +
			`{"name":"m","summary":"s","doc":"d","params":[` + params + `],"result":` + result + `,"examples":["f.m()"]}]}]` + rest + `}`
	}
	param := func(ref, value string) string { return `{"name":"a","type":` + ref + `,"default":` + value + `}` }
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	nested := func(n int) string {
		return strings.Repeat(`{"name":"list","args":[`, n) + `{"name":"int"}` + strings.Repeat("]}", n)
	}
	text, anything := `{"name":"str"}`, `{"name":"Any"}`
	mood := `,"types":[{"name":"Mood","kind":"enum","members":[{"name":"CALM","value":1}]}]`
	for says, data := range map[string]string{
		"f.m, parameter a: list needs one argument":                                     manifest(param(`{"name":"list"}`, "[1]"), text, ""),
		"f.m, parameter a: dict needs one argument":                                     manifest(param(`{"name":"dict","args":[]}`, `{"k":1}`), text, ""),
		"f.m, result: optional needs one argument":                                      manifest("", `{"name":"optional"}`, ""),
		"f.m, result: list needs one argument":                                          manifest("", `{"name":"union","args":[{"name":"str"},{"name":"list"}]}`, ""),
		"type T, member x: optional needs one argument":                                 manifest("", text, `,"types":[{"name":"T","kind":"record","members":[{"name":"x","type":{"name":"optional"},"lazy":"y_"}]}]`),
		"setting x: list needs one argument":                                            manifest("", text, `,"settings":[{"name":"x","type":{"name":"list"},"default":[1]}]`),
		"f.m, result: the type is nested more than 32 deep":                             manifest("", nested(2000), ""),
		"f.m: the default of a is nested more than 64 deep":                             manifest(param(anything, deep(3000)), text, ""),
		"f.m: the default of a has a number of 5000":                                    manifest(param(anything, strings.Repeat("1", 5000)), text, ""),
		"setting x: its default is nested more than 64":                                 manifest("", text, `,"settings":[{"name":"x","type":{"name":"Any"},"default":`+deep(65)+`}]`),
		"the default of a does not fit its type: must be one of Mood (CALM = 1), not 7": manifest(param(`{"name":"Mood"}`, "7"), text, mood),
		"the default of a does not fit its type: must be Mood, not a dict":              manifest(param(`{"name":"Mood"}`, "{}"), text, mood),
		`the name of the parameter of f.m, "a b", must be a Python identifier`:          manifest(`{"name":"a","type":{"name":"int"},"default":1,"aliases":["a b"]}`, text, ""),
		"type str has the name of a type that everybody has: rename it":                 manifest("", text, `,"types":[{"name":"str","kind":"record","members":[]}]`),
		"the setting path is serena's own (path, sha256, enabled): name it otherwise":   manifest("", text, `,"settings":[{"name":"path","type":{"name":"str"},"default":""}]`),
		"the setting x is declared twice":                                               manifest("", text, `,"settings":[{"name":"x","type":{"name":"str"}},{"name":"x","type":{"name":"str"}}]`),
		"enum Mood: Python keeps the name mro for itself":                               manifest("", text, strings.Replace(mood, "CALM", "mro", 1)),
		"type Nope is not declared":                                                     manifest(param(`{"name":"list","args":[{"name":"Nope"}]}`, "[1]"), text, ""),
	} {
		if _, err := ParseManifest([]byte(data)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.300s\n%v; want an error that says %q", data, err, says)
		}
	}
	for says, name := range map[string]string{"the name of the facade, aaaaaaaaaaaaaaaaaaaa…, has 101 characters, more than 100": strings.Repeat("a", 101), "": strings.Repeat("a", 100)} {
		data := strings.ReplaceAll(strings.Replace(manifest("", text, ""), `"name":"f"`, `"name":"`+name+`"`, 1), "f.m()", name+".m()")
		if _, err := ParseManifest([]byte(data)); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	long := strings.Replace(manifest("", text, ""), `"summary":"s"`, `"summary":"`+strings.Repeat("é", 301)+`"`, 1)
	if _, err := ParseManifest([]byte(long)); err == nil || !strings.Contains(err.Error(), "facade f: the summary has 301 characters, more than 300") {
		t.Error(err)
	}
	for _, fine := range []string{
		manifest(param(anything, deep(64)), nested(31), ""), manifest(param(`{"name":"Mood"}`, "1"), text, mood), manifest(param(anything, fmt.Sprint(1<<62)), text, ""),
	} {
		if _, err := ParseManifest([]byte(fine)); err != nil {
			t.Errorf("%.300s\n%v", fine, err)
		}
	}
}
