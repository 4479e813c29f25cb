package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/serena-go/serena/sdk"
)

// Gate is open while the block of forms.gate runs.
type Gate struct {
	Name  string `json:"name"`
	Chalk string `json:"chalk_"`
}

// RecordMethods lets a cell say gate.knock(2).
func (Gate) RecordMethods() []sdk.RecordMethod {
	return []sdk.RecordMethod{{Name: "knock", Calls: "knock_", Doc: "Knocks so often."}}
}

// Choice is a plain dict in Python.
type Choice struct {
	Depth int  `json:"depth" doc:"levels"`
	Gate  Gate `json:"gate"`
}

// KeyedDict marks it.
func (Choice) KeyedDict() {}

// gates writes down what is done to them.
type gates struct {
	mu   sync.Mutex
	said []string
}

func (g *gates) say(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, fmt.Sprintf(format, args...))
}

type gateParams struct {
	Name string `json:"name" default:"'front'"`
}

type knockParams struct {
	Record Gate `json:"record"`
	Often  int  `json:"often" default:"1"`
}

// forms has the declarations that are no tools: a context manager, a record with a method, a union, a keyed dict.
func forms() sdk.Facade {
	g := &gates{}
	methods := sdk.NewContextManager("gate",
		func(_ context.Context, _ *sdk.Call, p gateParams) (Gate, error) {
			g.say("open %s", p.Name)
			return Gate{Name: p.Name, Chalk: "x"}, nil
		},
		func(_ context.Context, _ *sdk.Call, gate Gate, e sdk.Exit) error {
			g.say("shut %s %s %s %s", gate.Name, gate.Chalk, e.Kind, e.Error)
			if e.Kind == "KeyError" {
				return sdk.Errorf(sdk.KindStale, "the gate is stuck")
			}
			return nil
		}, "Opens a gate.\n\nFor the block.")
	return sdk.Facade{Name: "forms", Summary: "how things are declared", Methods: append(methods,
		sdk.NewMethod("knock_", func(_ context.Context, _ *sdk.Call, p knockParams) (string, error) {
			return fmt.Sprintf("%s%s %d", p.Record.Name, p.Record.Chalk, p.Often), nil
		}, "Knocks.\n\nAt a gate."),
		sdk.NewMethod("said", func(context.Context, *sdk.Call, noParams) ([]string, error) {
			g.mu.Lock()
			defer g.mu.Unlock()
			said := g.said
			g.said = []string{}
			return said, nil
		}, "Tells what was done.\n\nOnce."),
		sdk.NewMethod("either", func(_ context.Context, _ *sdk.Call, p gateParams) (sdk.Either[Mark, string], error) {
			if p.Name == "front" {
				return sdk.First[Mark, string](Mark(p)), nil
			}
			return sdk.Second[Mark, string](p.Name), nil
		}, "Gives a mark or a text.\n\nBy its name."),
		sdk.NewMethod("choice", func(context.Context, *sdk.Call, noParams) (Choice, error) {
			return Choice{Depth: 2, Gate: Gate{Name: "back"}}, nil
		}, "Gives a dict.\n\nWith keys."),
	)}
}
