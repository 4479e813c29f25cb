package project_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

func TestRegistry_one_project_for_every_name_of_a_root(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "project_name: shown\n")
	w.write(t, "q/x", "")
	if err := os.Symlink("p", w.path("link")); err != nil {
		t.Fatal(err)
	}
	r := w.registry(t, "projects: [BASE/link, BASE/gone, BASE/q, BASE/q]\n")
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(cwd, w.path("p"))
	if err != nil {
		t.Fatal(err)
	}
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		all   = map[*project.Project]bool{}
	)
	for _, name := range []string{w.path("p"), w.path("p") + "/", w.path("link"), w.path("q/../p/."), relative, "shown", " shown ", w.path("p")} {
		group.Go(func() {
			p, err := r.Open(t.Context(), name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all[p] = true
		})
	}
	group.Wait()
	if len(all) != 1 {
		t.Errorf("%d projects", len(all))
	}
	if got := r.Names(); !reflect.DeepEqual(got, []string{"q", "shown"}) {
		t.Errorf("names are %q", got)
	}
	other, err := w.registry(t, "").Open(t.Context(), w.path("link"))
	if err != nil {
		t.Fatal(err)
	}
	for p := range all {
		if p == other || p.ID != other.ID || p.Root != w.path("p") {
			t.Errorf("got %+v and %+v", p, other)
		}
	}
}

func TestRegistry_what_cannot_be_found(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "api/x", "")
	w.write(t, "web/.serena/project.yml", "project_name: website\n")
	w.write(t, "one/.serena/project.yml", "project_name: twin\n")
	w.write(t, "two/.serena/project.yml", "project_name: twin\n")
	w.write(t, "broken/.serena/project.yml", "project_name: [\n")
	r := w.registry(t, "projects: [BASE/api, BASE/web, BASE/one, BASE/two, BASE/broken]\n")
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const known = "registered projects: api, broken, twin, website"
	for given, want := range map[string][2]string{
		"websit":          {sdk.KindFileNotFound, `there is no project named "websit" and no folder ` + cwd + `/websit: give the absolute path of the project's folder; did you mean "website"? ` + known},
		"zzz":             {sdk.KindFileNotFound, `there is no project named "zzz" and no folder ` + cwd + `/zzz: give the absolute path of the project's folder; ` + known},
		w.path("no/api"):  {sdk.KindFileNotFound, `there is no folder ` + w.path("no/api") + `: give the absolute path of the project's folder; did you mean "api"? ` + known},
		w.path("api/x"):   {sdk.KindNotADirectory, w.path("api/x") + " is a file: give the folder that holds the project, such as " + w.path("api")},
		w.path("api/x/y"): {sdk.KindFileNotFound, "there is no folder"},
		"twin":            {sdk.KindValue, `2 projects are named "twin": give the path of the one that is meant: ` + w.path("one") + ", " + w.path("two")},
		"broken":          {sdk.KindValue, "project.yml, line 1: "},
		"":                {sdk.KindValue, "no project is named: give the path of its folder; " + known},
		" \t":             {sdk.KindValue, "no project is named"},
	} {
		p, err := r.Open(t.Context(), given)
		if p != nil || !sdk.IsKind(err, want[0]) || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%q: got %v, want a %s with %q", given, err, want[0], want[1])
		}
	}
	if _, err := w.registry(t, "").Open(t.Context(), "zzz"); err == nil || !strings.HasSuffix(err.Error(), "; no projects are registered") {
		t.Errorf("none registered: %v", err)
	}
}

func TestRegistry_many_known_projects_are_not_all_listed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := "projects:\n"
	for c := 'a'; c <= 'y'; c++ {
		w.write(t, string(c)+"/x", "")
		text += "- BASE/" + string(c) + "\n"
	}
	_, err := w.registry(t, text).Open(t.Context(), "nothing")
	if err == nil || !strings.HasSuffix(err.Error(), "r, s, t and 5 more") {
		t.Errorf("got %v", err)
	}
}

func TestRegistry_cancelled_and_closed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/x", "")
	r := w.registry(t, "")
	p, err := r.Open(t.Context(), w.path("p"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := r.Open(ctx, w.path("p")); again != p && err != context.Canceled {
		t.Errorf("cancelled: %v, %v", again, err)
	}
	r.Close()
	if _, err := p.Files.Apply(t.Context(), files.Author{}, nil); !sdk.IsKind(err, sdk.KindRuntime) {
		t.Errorf("the files of a closed registry: %v", err)
	}
	w.write(t, "q/x", "")
	for _, name := range []string{"p", "q"} {
		if _, err := r.Open(t.Context(), w.path(name)); !sdk.IsKind(err, sdk.KindRuntime) {
			t.Errorf("%s of a closed registry: %v", name, err)
		}
	}
}

func BenchmarkRegistry_Open(b *testing.B) {
	root, home := b.TempDir(), b.TempDir()
	cfg, err := config.Load(config.Options{Home: home})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r := project.NewRegistry(cfg)
		if _, err := r.Open(b.Context(), root); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
