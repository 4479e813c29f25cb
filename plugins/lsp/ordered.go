package lsp

import (
	"bytes"
	"encoding/json"
)

// ordered is a JSON object that keeps the order in which its members were added.
type ordered struct {
	keys   []string
	values map[string]any
}

func newOrdered() *ordered { return &ordered{values: map[string]any{}} }

func (o *ordered) set(key string, value any) *ordered {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
	return o
}

// append adds to the list under key.
func (o *ordered) append(key string, value any) {
	list, _ := o.values[key].([]any)
	o.set(key, append(list, value))
}

// add adds to the number under key.
func (o *ordered) add(key string, n int) {
	have, _ := o.values[key].(int)
	o.set(key, have+n)
}

// MarshalJSON writes the members in their order.
func (o *ordered) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, k := range o.keys {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := compact(k)
		if err != nil {
			return nil, err
		}
		value, err := compact(o.values[k])
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// JSON is the object as a model reads it.
func (o *ordered) JSON() string { return jsonText(o) }

// jsonText is a value as a model reads it: compact, "<" and other characters as they are.
func jsonText(v any) string {
	data, err := compact(v)
	if err != nil { // strings, numbers, lists and objects of such: cannot fail
		return ""
	}
	return string(data)
}

func compact(v any) ([]byte, error) {
	if o, ok := v.(*ordered); ok {
		return o.MarshalJSON() // encoding/json would escape what it returns
	}
	if list, ok := v.([]any); ok {
		var out bytes.Buffer
		out.WriteByte('[')
		for i, e := range list {
			if i > 0 {
				out.WriteByte(',')
			}
			data, err := compact(e)
			if err != nil {
				return nil, err
			}
			out.Write(data)
		}
		out.WriteByte(']')
		return out.Bytes(), nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
