package project_test

import (
	"slices"
	"testing"
)

func TestOpen_base_modes_are_the_global_configurations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "project_name: p\nbase_modes: [planning]\nadded_modes: planning\n")
	p := w.open(t, "", "p")
	want := []string{w.path("p/.serena/project.yml") + ", line 2: base_modes has no effect in a project: name modes in default_modes, in the place of the global ones, or in added_modes"}
	if !slices.Equal(p.Notes, want) || !slices.Equal(p.Scope.AddedModes, []string{"planning"}) || p.Scope.DefaultModes != nil {
		t.Errorf("notes %q, scope %+v", p.Notes, p.Scope)
	}
}
