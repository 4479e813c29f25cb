package project

import (
	"fmt"
	"path/filepath"

	"github.com/serena-go/serena/host/config"
)

// layers are a project's files, the stronger first: a key of project.local.yml replaces the same key of project.yml.
type layers struct {
	docs  []*config.Document
	notes []string
}

func readLayers(dataFolder string) (*layers, error) {
	l := &layers{}
	for _, name := range []string{"project.local.yml", "project.yml"} {
		doc, err := config.ReadDocument(filepath.Join(dataFolder, name))
		if err != nil {
			return nil, err
		}
		l.docs = append(l.docs, doc)
		l.notes = append(l.notes, doc.UnknownKeys(known())...)
	}
	return l, nil
}

// value returns what a key is set to; null is not set.
func (l *layers) value(key string) (config.Value, bool) {
	for _, doc := range l.docs {
		if v, ok := doc.Value(key); ok {
			return v, !v.IsNull()
		}
	}
	return config.Value{}, false
}

// read returns what a key is set to, or what stands for a missing or impossible value.
func read[T any](l *layers, key string, missing T, as func(config.Value) (T, error)) T {
	v, ok := l.value(key)
	if !ok {
		return missing
	}
	got, err := as(v)
	if err != nil {
		shown := fmt.Sprintf("%v is used", missing)
		if fmt.Sprint(missing) == "" {
			shown = "it is ignored"
		}
		l.notes = append(l.notes, fmt.Sprintf("%v; %s", err, shown))
		return missing
	}
	return got
}

// texts returns a list, without the entries that are no text.
func (l *layers) texts(key string) []string {
	v, ok := l.value(key)
	if !ok {
		return nil
	}
	texts, err := v.Texts()
	if err != nil {
		l.notes = append(l.notes, err.Error())
	}
	return texts
}
