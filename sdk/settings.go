package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
)

// reservedSettings are the keys below `plugins: NAME:` that serena reads itself.
var reservedSettings = []string{"path", "sha256", "enabled"}

// PluginSettings decodes the plugin's own settings, `plugins: NAME:` of the configuration, the project's keys over the global
// ones, into a pointer to a struct with json tags. A key that is not configured leaves its field as it is, so that defaults are
// set before. A key that the struct does not have, or a value of another type, is a ValueError that names the key, the nearest
// legal one and the type that is wanted; into is not touched then. Called in Open it refuses the project's calls.
func (p *Project) PluginSettings(into any) error {
	at := "plugins." + p.Plugin
	target := reflect.TypeOf(into)
	if target == nil || target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		return Errorf(KindRuntime, "%s: settings are decoded into a pointer to a struct, not %v: this is a fault of the plugin", at, target)
	}
	if len(p.OwnSettings) == 0 {
		return nil
	}
	d := newDeriver()
	ref := d.settings(target.Elem())
	if len(d.faults) > 0 {
		return Errorf(KindRuntime, "%s: the plugin's settings cannot be declared: %s", at, d.faults[0])
	}
	dec := json.NewDecoder(bytes.NewReader(p.OwnSettings))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return Errorf(KindValue, "%s: not JSON: %w", at, err)
	}
	if err := (settingsCheck{d.types}).check(at, ref, value); err != nil {
		return err
	}
	// A fault of a type's own decoding must leave what is there alone.
	fresh := reflect.New(target.Elem())
	fresh.Elem().Set(reflect.ValueOf(into).Elem())
	if err := json.Unmarshal(p.OwnSettings, fresh.Interface()); err != nil {
		return Errorf(KindValue, "%s: %w", at, err)
	}
	reflect.ValueOf(into).Elem().Set(fresh.Elem())
	return nil
}

// declaredSettings are the settings in a manifest.
type declaredSettings struct {
	params  []ParamDecl
	types   []TypeDecl
	goTypes map[string]reflect.Type
	faults  []string
}

// declareSettings makes Settings data.
func (p Plugin) declareSettings() declaredSettings {
	if p.Settings == nil {
		return declaredSettings{}
	}
	t := reflect.TypeOf(p.Settings)
	d := newDeriver()
	d.strict = true
	if t.Kind() != reflect.Struct {
		d.fault("Settings must be a struct that holds the defaults, not %s", t)
		return declaredSettings{faults: d.faults}
	}
	d.settings(t)
	own := d.types[len(d.types)-1]
	defaults := map[string]json.RawMessage{}
	if data, err := json.Marshal(p.Settings); err == nil {
		_ = json.Unmarshal(data, &defaults) // it is an object: the type is a struct
	}
	out := declaredSettings{types: d.types[:len(d.types)-1], goTypes: d.goTypes, faults: d.faults}
	for _, m := range own.Members {
		out.params = append(out.params, ParamDecl{Name: m.Name, Type: *m.Type, Default: defaults[m.Name], Doc: m.Doc})
	}
	return out
}

// settings checks the settings of a manifest.
func (v *validator) settings(params []ParamDecl) {
	seen := map[string]bool{}
	for _, p := range params {
		v.name("setting", p.Name)
		switch {
		case slices.Contains(reservedSettings, p.Name):
			v.fault("Settings: the setting %s is serena's own (%s): name it otherwise", p.Name, strings.Join(reservedSettings, ", "))
		case seen[p.Name]:
			v.fault("Settings: the setting %s is declared twice", p.Name)
		}
		seen[p.Name] = true
		v.ref("setting "+p.Name, p.Type)
	}
}

// checkSettings refuses a project whose settings do not fit those that the plugin declares.
func (p Plugin) checkSettings(project *Project) error {
	if p.Settings == nil {
		return nil
	}
	return project.PluginSettings(reflect.New(reflect.TypeOf(p.Settings)).Interface())
}

// settings declares the struct of a plugin's settings, which may have no name of its own.
func (d *deriver) settings(t reflect.Type) TypeRef {
	decl := TypeDecl{Name: "", Kind: TypeRecord}
	for _, f := range d.fields(t, "setting", settingTags) {
		ref := d.field(t, f)
		decl.Members = append(decl.Members, MemberDecl{Name: jsonName(f), Type: &ref, Doc: f.Tag.Get("doc")})
	}
	d.types = append(d.types, decl)
	return TypeRef{}
}

// settingsCheck compares settings with the types they are declared with.
type settingsCheck struct{ types []TypeDecl }

func (c settingsCheck) check(at string, t TypeRef, v any) error {
	switch x := v.(type) {
	case map[string]any:
		if t.Name == "dict" {
			return c.each(at, slices.Sorted(maps.Keys(x)), func(string) TypeRef { return t.Args[0] }, x)
		}
		if decl := c.record(t); decl != nil {
			return c.members(at, decl, x)
		}
	case []any:
		for i, e := range x {
			if t.Name != "list" {
				break
			}
			if err := c.check(fmt.Sprintf("%s[%d]", at, i), t.Args[0], e); err != nil {
				return err
			}
		}
	}
	if t.Name == "optional" && v != nil {
		return c.check(at, t.Args[0], v)
	}
	if decl := c.record(t); decl != nil {
		return Errorf(KindValue, "%s must be a mapping with the keys %s, not %s", at, strings.Join(memberNames(decl), ", "), describe(v))
	}
	if err := (checker{}).value(t, v, false); err != nil {
		return Errorf(KindValue, "%s %w", at, err)
	}
	return nil
}

func (c settingsCheck) record(t TypeRef) *TypeDecl {
	for i, decl := range c.types {
		if decl.Name == t.Name && decl.Kind != TypeEnum {
			return &c.types[i]
		}
	}
	return nil
}

func (c settingsCheck) members(at string, decl *TypeDecl, values map[string]any) error {
	keys := slices.Sorted(maps.Keys(values))
	for _, key := range keys {
		if decl.member(key) == nil {
			return unknownSetting(at, key, memberNames(decl))
		}
	}
	return c.each(at, keys, func(key string) TypeRef { return *decl.member(key).Type }, values)
}

func (c settingsCheck) each(at string, keys []string, typeOf func(key string) TypeRef, values map[string]any) error {
	for _, key := range keys {
		if err := c.check(at+"."+key, typeOf(key), values[key]); err != nil {
			return err
		}
	}
	return nil
}

func unknownSetting(at, key string, names []string) error {
	if len(names) == 0 {
		return Errorf(KindValue, "%s.%s: the plugin has no such setting, nor any other: remove it", at, key)
	}
	hint := "."
	if best, ok := nearest.Best(key, names); ok {
		hint = fmt.Sprintf("; did you mean %s?", best)
	}
	return Errorf(KindValue, "%s.%s: the plugin has no such setting%s It has: %s", at, key, hint, strings.Join(names, ", "))
}

func (t *TypeDecl) member(name string) *MemberDecl {
	for i := range t.Members {
		if t.Members[i].Name == name {
			return &t.Members[i]
		}
	}
	return nil
}

func memberNames(t *TypeDecl) []string {
	names := make([]string, len(t.Members))
	for i, m := range t.Members {
		names[i] = m.Name
	}
	return names
}
