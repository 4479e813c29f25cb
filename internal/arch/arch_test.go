package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/serena-go/serena/"

type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		all = append(all, p)
	}
}

// layers says what each part may import of this module: exact packages, or with a slash at the end all below. The first
// part that holds a package counts. Everything may use internal packages, but the wire is for host/plugin and sdk alone.
var layers = []struct {
	part    string
	mayUse  []string
	because string
}{
	{"cmd", []string{"host", "host/", "plugins/", "sdk", "internal/"}, "cmd is the top"},
	{"host/mcp", []string{"host", "host/session", "host/repl", "host/project", "host/api", "sdk", "internal/"}, "mcp serves the host"},
	{"host/plugin", []string{"host/api", "host/config", "host/project", "host/files", "sdk", "sdk/hostside", "internal/"}, "plugin knows no session and no runtime"},
	{"host/session", []string{"host/api", "host/config", "host/project", "host/files", "host/repl", "sdk", "internal/"}, "a session knows no transport"},
	{"host/native", []string{"host/api", "host/project", "host/files", "sdk", "internal/"}, "the host's own methods are served as a plugin's are"},
	{"host/repl", []string{"host/api", "host/project", "sdk", "internal/"}, "repl is a client of the runtime"},
	{"host/api", []string{"host/project", "host/files", "sdk", "internal/"}, "api knows no process"},
	{"host/project", []string{"host/files", "host/config", "sdk", "internal/"}, "project is below api"},
	{"host/files", []string{"host/config", "host/journal", "sdk", "internal/"}, "files is below project"},
	{"host/journal", []string{"sdk", "internal/"}, "the journal touches no project"},
	{"host/config", []string{"sdk", "internal/"}, "config is the bottom of the host"},
	{"host", []string{"host/", "sdk", "internal/"}, "the host knows no plugin by name"},
	{"plugins", []string{"sdk", "sdk/sdktest", "internal/", "plugins/"}, "a plugin imports sdk and internal alone"},
	{"sdk", []string{"sdk", "internal/"}, "sdk imports neither host nor plugins"},
	{"internal", []string{"internal/"}, "leaves import leaves"},
	{"e2e/trial", []string{"sdk"}, "it stands for a third party's plugin"},
	{"e2e", []string{"internal/process"}, "the end-to-end tests see the binary alone"},
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, imported := range append(append(p.Imports, p.TestImports...), p.XTestImports...) {
			name, ours := strings.CutPrefix(imported, module)
			if !ours || name == p.ImportPath {
				continue
			}
			if fault := forbidden(p.ImportPath, name); fault != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, name, fault)
			}
		}
	}
}

func forbidden(importer, imported string) string {
	if imported == "internal/wire" && !within(importer, "host/plugin") && !within(importer, "sdk") {
		return "the wire is for host/plugin and sdk alone"
	}
	if plugin := pluginOf(imported); plugin != "" && pluginOf(importer) != "" && plugin != pluginOf(importer) {
		return "a plugin imports no other plugin"
	}
	for _, l := range layers {
		if !within(importer, l.part) {
			continue
		}
		for _, allowed := range append(l.mayUse, l.part+"/") {
			if imported == allowed || strings.HasSuffix(allowed, "/") && strings.HasPrefix(imported, allowed) {
				return ""
			}
		}
		return l.because
	}
	return "this part of the module is in no layer: add it to the table"
}

func within(name, part string) bool { return name == part || strings.HasPrefix(name, part+"/") }

// pluginOf names the plugin that a package belongs to.
func pluginOf(name string) string {
	rest, ok := strings.CutPrefix(name, "plugins/")
	if !ok {
		return ""
	}
	plugin, _, _ := strings.Cut(rest, "/")
	return plugin
}

func TestGoPluginStaysAtTheRim(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "github.com/hashicorp/go-plugin") && !within(p.ImportPath, "host/plugin") && !within(p.ImportPath, "sdk") {
				t.Errorf("%s imports %s: only host/plugin, sdk/serve.go and the packages below sdk may", p.ImportPath, imported)
			}
		}
		if p.ImportPath != "sdk" {
			continue
		}
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if strings.Contains(i.Path.Value, "hashicorp/go-plugin") && f != "serve.go" {
					t.Errorf("sdk/%s imports go-plugin: only serve.go may", f)
				}
			}
		}
	}
}

// TestSdkShowsNoForeignTypes keeps generated and library types out of what a plugin's author sees.
func TestSdkShowsNoForeignTypes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../sdk/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of sdk: %v", err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Recv != nil && !exportedReceiver(f) {
				continue
			}
			ast.Inspect(f.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && (x.Name == "wire" || x.Name == "plugin" || x.Name == "grpc" || x.Name == "hclog") {
						t.Errorf("%s: %s shows %s.%s", filepath.Base(path), f.Name.Name, x.Name, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func exportedReceiver(f *ast.FuncDecl) bool {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

func TestEachPackageHasOneComment(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		var with []string
		for _, f := range p.GoFiles {
			if strings.HasSuffix(f, ".pb.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				with = append(with, f)
			}
		}
		if len(with) != 1 {
			t.Errorf("%s: the package comment stands in %v, want exactly one file", p.ImportPath, with)
		}
	}
}
