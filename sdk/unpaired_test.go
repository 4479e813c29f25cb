package sdk_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestBind_refuses_what_is_no_text(t *testing.T) {
	t.Parallel()
	decl := sdk.MethodDecl{Name: "put", Params: []sdk.ParamDecl{{Name: "content", Type: sdk.TypeRef{Name: "str"}}}}
	many := sdk.MethodDecl{Name: "put", Params: []sdk.ParamDecl{{Name: "content", Type: sdk.TypeRef{Name: "list", Args: []sdk.TypeRef{{Name: "str"}}}}}}
	for given, want := range map[string]string{ // what the message names; "" for text
		`"\ud800"`:             `\ud800`,
		`"a\uDFFFb"`:           `\udfff`,
		`"\ud83d\ude00"`:       ``,
		`"\uD83D\uDE00\ud83d"`: `\ud83d`,
		`"\ud83d \ude00"`:      `\ud83d`,
		`"\ude00\ud83d"`:       `\ude00`,
		`"\ud83d\u0041"`:       `\ud83d`,
		`"\ud83d\n"`:           `\ud83d`,
		`"\\ud800"`:            ``,
		`"\\\ud800"`:           `\ud800`,
		`"\\\\ud800\\"`:        ``,
		`"\ufffd�"`:            ``,
		"\"a\xffb\"":           `no UTF-8`,
		"\"\xed\xa0\x80\"":     `no UTF-8`,
		`["a", "\ud800"]`:      `\ud800`,
	} {
		d := decl
		if strings.Contains(given, "[") {
			d = many
		}
		_, err := d.BindText("", map[string]json.RawMessage{"content": json.RawMessage(given)}, 100)
		var told *sdk.Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", given, err)
		case want != "" && (!errors.As(err, &told) || told.Kind != sdk.KindUnicode || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want a UnicodeError that names %s", given, err, want)
		}
	}
	asText := map[string]json.RawMessage{"content": json.RawMessage(`"[\"\\ud800\"]"`)}
	if got, err := many.BindText("", asText, 100); err == nil {
		t.Errorf("a list as text that holds half of a pair: got %s, want an error", got)
	}
}
