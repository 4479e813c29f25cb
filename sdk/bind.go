package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
)

// Signature is the method's signature as valid Python: `name(p: T = d, …) -> R`.
func (m MethodDecl) Signature() string {
	parts := make([]string, len(m.Params))
	for i, p := range m.Params {
		parts[i] = p.Name + ": " + p.Type.Annotation()
		if !p.Required() {
			parts[i] += " = " + pythonSource(p.Default)
		}
	}
	call := m.Name + "(" + strings.Join(parts, ", ") + ")"
	if m.Result.Name == "" { // a tool whose answer is no value
		return call
	}
	return call + " -> " + m.Result.Annotation()
}

// Bind checks named arguments against the declaration, applies aliases, fills in the defaults and answerLimit for an
// answer limit of -1, and returns the complete JSON object in the order of the parameters. A fault is a TypeError (or
// ValueError for a literal) that shows the signature and the nearest legal name, or a UnicodeError for what is no text. facade may be empty for a tool that
// belongs to none.
func (m MethodDecl) Bind(facade string, args map[string]json.RawMessage, answerLimit int) (json.RawMessage, error) {
	return Binder{AnswerLimit: answerLimit}.Bind(m, facade, args)
}

// BindText is Bind for clients that know no types: where a list, object, number, bool or None is meant, the text of one is
// accepted as JSON or, for True, False and None, as Python writes it; and an integral float where an int is meant. Text that fits as it
// is stays as it is.
func (m MethodDecl) BindText(facade string, args map[string]json.RawMessage, answerLimit int) (json.RawMessage, error) {
	return Binder{AnswerLimit: answerLimit, Text: true}.Bind(m, facade, args)
}

// Binder binds arguments as MethodDecl.Bind does, and looks into values of declared types, too: a number that an enum does not have is a
// ValueError.
type Binder struct {
	Types       func(name string) *TypeDecl // finds a declared type; nil, or one that it does not find: its values are not looked into
	AnswerLimit int                         // what an answer limit of -1 stands for, in characters
	Text        bool                        // text is accepted as by MethodDecl.BindText
}

// Bind checks and completes the arguments of a method; see MethodDecl.Bind.
func (b Binder) Bind(m MethodDecl, facade string, args map[string]json.RawMessage) (json.RawMessage, error) {
	check := checker{b.Types}
	at, signature := m.Name, m.Signature()
	if facade != "" {
		at, signature = facade+"."+m.Name, facade+"."+signature
	}
	given := make(map[string]json.RawMessage, len(args))
	for _, name := range sortedKeys(args) {
		param := m.param(name)
		if param == nil {
			return nil, m.unknownArgument(at, signature, name)
		}
		if _, twice := given[param.Name]; twice {
			return nil, Errorf(KindType, "%s: argument %s is given twice (once by another of its names)\nsignature: %s", at, param.Name, signature)
		}
		given[param.Name] = args[name]
	}
	var out bytes.Buffer
	for i, p := range m.Params {
		value, ok := given[p.Name]
		switch {
		case !ok && p.Required():
			return nil, Errorf(KindType, "%s: argument %s is missing\nsignature: %s", at, p.Name, signature)
		case !ok:
			value = p.Default
		default:
			if err := checkText(value); err != nil { // before it is read, which would lose it
				return nil, Errorf(KindUnicode, "%s: argument %s %w", at, p.Name, err)
			}
			if b.Text {
				value = check.untext(p.Type, value)
			}
			if err := check.check(p.Type, value); err != nil {
				kind := KindType
				var none *noMember
				if p.Type.Name == "literal" || errors.As(err, &none) {
					kind = KindValue
				}
				return nil, Errorf(kind, "%s: argument %s %w\nsignature: %s", at, p.Name, err, signature)
			}
		}
		if p.AnswerLimit && string(bytes.TrimSpace(value)) == "-1" {
			value = json.RawMessage(fmt.Sprint(b.AnswerLimit))
		}
		out.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&out, "%q:", p.Name)
		out.Write(value)
	}
	if len(m.Params) == 0 {
		return json.RawMessage("{}"), nil
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (m MethodDecl) param(name string) *ParamDecl {
	for i, p := range m.Params {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return &m.Params[i]
		}
	}
	return nil
}

func (m MethodDecl) unknownArgument(at, signature, name string) error {
	return Errorf(KindType, "%s has no parameter %q%s\nsignature: %s", at, name, suggestion(name, m.paramNames()), signature)
}

func (m MethodDecl) paramNames() []string {
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	return names
}

// suggestion is the end of a message about a name that is none of names.
func suggestion(name string, names []string) string {
	if best, ok := nearest.Best(name, names); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
