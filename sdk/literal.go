package sdk

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// parseLiteral turns a Python literal (None, True, 3, 1.5, 'text', (), []) into JSON.
func parseLiteral(s string) (json.RawMessage, error) {
	switch s = strings.TrimSpace(s); s {
	case "None":
		return json.RawMessage("null"), nil
	case "True":
		return json.RawMessage("true"), nil
	case "False":
		return json.RawMessage("false"), nil
	case "()", "[]":
		return json.RawMessage("[]"), nil
	case "{}":
		return json.RawMessage("{}"), nil
	}
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		inner := s[1 : len(s)-1]
		if strings.ContainsAny(inner, `\'"`) {
			return nil, fmt.Errorf("a text default holds no quotes or backslashes")
		}
		return json.Marshal(inner)
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return nil, fmt.Errorf("not a Python literal: write 'text', a number, None, True, False, (), [] or {}")
	}
	return json.RawMessage(s), nil
}

// PythonLiteral writes a JSON value as Python source, as it stands in a signature.
func PythonLiteral(value json.RawMessage) string {
	switch text := string(value); text {
	case "null":
		return "None"
	case "true":
		return "True"
	case "false":
		return "False"
	case "[]":
		return "()"
	default:
		return text
	}
}
