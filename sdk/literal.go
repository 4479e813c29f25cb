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

// pythonSource writes a JSON value as Python source, at all its depths; an empty list is the tuple ().
func pythonSource(value json.RawMessage) string {
	var list []json.RawMessage
	var dict map[string]json.RawMessage
	var text string
	switch {
	case json.Unmarshal(value, &text) == nil && string(value) != "null":
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text) // text can be encoded; no surrogates, which Python would not join
		return strings.TrimRight(b.String(), "\n")
	case len(value) > 0 && value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) > 0:
		parts := make([]string, len(list))
		for i, e := range list {
			parts[i] = pythonSource(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case len(value) > 0 && value[0] == '{' && json.Unmarshal(value, &dict) == nil:
		var parts []string
		for _, k := range sortedKeys(dict) {
			key, _ := json.Marshal(k)
			parts = append(parts, pythonSource(key)+": "+pythonSource(dict[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return PythonLiteral(value)
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
