package repl

import (
	"path/filepath"
	"strings"
	"testing"
)

// The cells of one session, in the order in which a user found each to go wrong elsewhere.
func TestSession_cells_in_order(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	if got := run(t, r, "x = 20").Value; got != nil {
		t.Errorf("an assignment has the value %q", *got)
	}
	equal(t, "x + 22", value(t, r, "x + 22"), "42")
	equal(t, "sum", value(t, r, "t = s.fs.read_file(\"n.txt\").text\nsum(int(v) for v in t.split())"), "6")
	equal(t, "list", value(t, r, `["a", "b"]`), "a\nb")
	run(t, r, "def f(v):\n    return v * 2")
	equal(t, "f(x)", value(t, r, "f(x)"), "40")

	e := failure(t, r, "y = 1\nreturn y")
	equal(t, "kind", e.Name, "SyntaxError")
	contains(t, e.Text(), "hint: `return y` needs a function; the value of a cell's last expression is its result: write `y` alone")

	e = failure(t, r, "a = 1\nb = a / 0")
	contains(t, e.Text(), "ZeroDivisionError: division by zero", "b = a / 0")
	equal(t, "a", value(t, r, "a"), "1")
	contains(t, failure(t, r, "q = (2").Text(), "SyntaxError", "q = (2")

	other, _ := start(t)
	equal(t, "kind", failure(t, other, "x").Name, "NameError")
	equal(t, "x", value(t, r, "x"), "20")

	run(t, r, "s = 5")
	equal(t, "s again", value(t, r, `s.fs.read_file("n.txt").lines[0]`), "1")
	result := run(t, r, "print(\"hello\")\n7")
	equal(t, "value", *result.Value, "7")
	equal(t, "stdout", result.Stdout, "hello\n")
	equal(t, "long value", len(value(t, r, `"p" * 3000000`)), 3000000)

	e = failure(t, r, `s.fs.read_file("../n.txt")`)
	equal(t, "kind", e.Name, "PermissionError")
	contains(t, e.Text(), "../n.txt lies outside of the project", `s.fs.read_file("../n.txt")`)
	contains(t, failure(t, r, "s.nothing").Text(), "AttributeError", "fs, aio, info, vars, clear")
	contains(t, failure(t, r, "s.fs.nothing()").Text(), "AttributeError", "read_file, block, echo, fail")

	vars := value(t, r, "s.vars()")
	contains(t, vars, "x: int = 20", "f: function = <function f")
	run(t, r, "s.clear()")
	equal(t, "kind", failure(t, r, "x").Name, "NameError")
	equal(t, "vars", value(t, r, "s.vars()"), "no variables")
}

func TestSession_hides_the_frames_of_runtime_and_facades(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	for _, code := range []string{`s.fs.read_file("none.txt")`, `s.fs.read_file(1, 2, 3, 4)`, `s.fs.nothing`, `await s.aio.fs.read_file("none.txt")`} {
		text := failure(t, r, code).Text()
		contains(t, text, code)
		for _, foreign := range []string{"serena_repl/", "rlm/"} {
			if strings.Contains(text, foreign) {
				t.Errorf("%q shows a frame of %s:\n%s", code, foreign, text)
			}
		}
	}
}

func TestSession_errors_have_the_kind_and_data_of_the_host(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	equal(t, "caught", value(t, r, `
try:
    s.fs.fail({"Kind": "FileNotFoundError", "Message": "a is not there", "Data": {"near": ["b"]}})
except FileNotFoundError as e:
    out = (str(e), e.data["near"])
out[0] + str(out[1])`), "a is not there['b']")
	equal(t, "own kind", value(t, r, `
from serena_repl.errors import StaleError, SerenaError
try:
    s.fs.fail({"Kind": "StaleError", "Message": "n.txt changed"})
except StaleError as e:
    out = f"{type(e).__name__} {isinstance(e, SerenaError)} {e} {e.data}"
out`), "StaleError True n.txt changed None")
}

func TestSession_results_are_data_and_text(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	const shown = `<fs.fileContent 3 lines, policy {"max_answer_chars":7}>`
	equal(t, "rendered", value(t, r, `c = s.fs.read_file(path="n.txt"); c`), shown)
	equal(t, "kept", value(t, r, `str(c) + f"{c}"`), shown+shown)
	_, _, renders := b.seen()
	equal(t, "renderings", renders, 1)
	equal(t, "slice", value(t, r, `c[1:]`), `<fs.fileContent 2 lines, policy {"max_answer_chars":7}>`)
	equal(t, "list", value(t, r, `[c, "x", 3]`), shown+"\nx\n3")
	equal(t, "items", value(t, r, `f"{len(c)} {list(c)} {c[-1]} {c.color} {int(c.color)} {c.color == s.fs.color.BLUE}"`), "3 ['1', '2', '3'] 3 BLUE 2 True")
	equal(t, "equal", value(t, r, `import pickle
(c == s.fs.read_file("n.txt"), c == c[1:], pickle.loads(pickle.dumps(c)) == c)`), "(True, False, True)")
	contains(t, failure(t, r, `c.txt`).Text(), "did you mean 'text'", "lines, text, color")
	contains(t, failure(t, r, `c.text = 1`).Text(), "read-only")
}

func TestSession_tells_the_shape_of_a_wrong_call_before_it_asks(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	e := failure(t, r, `s.fs.read_file("n.txt", start_lin=1)`)
	equal(t, "kind", e.Name, "TypeError")
	contains(t, e.Text(), "no parameter 'start_lin'; did you mean 'start_line'?",
		"signature: fs.read_file(relative_path: str, start_line: int = 0, max_answer_chars: int = -1) -> fileContent")
	contains(t, failure(t, r, `s.fs.read_file()`).Text(), "is missing 'relative_path'")
	contains(t, failure(t, r, `s.fs.read_file("a", path="b")`).Text(), "more than one value for 'relative_path'")
	if cells, _, _ := b.seen(); len(cells) != 0 {
		t.Errorf("the host was asked %d times", len(cells))
	}
	equal(t, "signature", value(t, r, "import inspect\nstr(inspect.signature(s.fs.read_file))"),
		"(relative_path: 'str', start_line: 'int' = 0, max_answer_chars: 'int' = -1) -> 'fileContent'")
	contains(t, value(t, r, "s.fs.read_file.__doc__"), "Reads a file.", "All of it.")
}

func TestSession_fetches_bindings_only_for_a_new_generation(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	run(t, r, "kept = s.fs.read_file\nalso = s")
	run(t, r, `def f(): return s.fs.read_file("n.txt").lines[1]`)
	_, fetched, _ := b.seen()
	equal(t, "fetched", fetched, 1)
	b.mu.Lock()
	b.generation = "g2"
	b.mu.Unlock()
	e := failure(t, r, `kept("n.txt")`)
	contains(t, e.Text(), "fs.read_file was stored before the configuration or project changed", "use s.fs.read_file again")
	equal(t, "function of an earlier cell", value(t, r, "f()"), "2")
	equal(t, "stored s", value(t, r, `also.fs.read_file("n.txt").lines[2]`), "3")
	_, fetched, _ = b.seen()
	equal(t, "fetched", fetched, 2)
}

func TestSession_info_takes_names_and_objects(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	equal(t, "info", value(t, r, `s.info("fs", s.fs, s.fs.read_file, s.fs.fileContent, s.fs.read_file("n.txt"), s.fs.color.RED)`),
		"info about fs,fs,fs.read_file,fs.fileContent,fs.fileContent,color")
	equal(t, "overview", value(t, r, "s.info()"), "info about ")
	contains(t, value(t, r, "s"), "s.fs – the project's files as units", "s.info()", "s.vars()")
}

func TestSession_arguments_become_json(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	equal(t, "echo", value(t, r, `from pathlib import Path
repr(s.fs.echo([Path("a/b"), ("t", 1.5), None, True, s.fs.color.BLUE, {"k": s.fs.read_file("n.txt")[:1]}]))`),
		`['a/b', ['t', 1.5], None, True, 2, {'k': {'lines': ['1'], 'text': '1\n2\n3\n', 'color': 2}}]`)
	contains(t, failure(t, r, `s.fs.echo(object())`).Text(), "TypeError", "argument value holds a object")
	contains(t, failure(t, r, `s.fs.echo(float("nan"))`).Text(), "ValueError", "has no JSON form")
	equal(t, "é", value(t, r, `s.fs.echo("é😀\n")`), "é😀\n")
	for _, arg := range []string{`"a\ud800b"`, `["\udcff"]`, `{"\udcff": 1}`, `Path("\udcff")`} {
		contains(t, failure(t, r, `s.fs.echo(`+arg+`)`).Text(), "UnicodeError", "argument value holds '\\ud", "half of a surrogate pair")
	}
}

func TestSession_calls_from_threads_and_tasks(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	equal(t, "threads", value(t, r, `from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    out = sum(pool.map(lambda n: s.fs.echo(n), range(40)))
out`), "780")
	equal(t, "tasks", value(t, r, `import asyncio
await asyncio.gather(*(s.aio.fs.echo(n) for n in range(5)))`), "0\n1\n2\n3\n4")
	equal(t, "bare", value(t, r, `s.aio.fs.echo("bare")`), "bare")
	cells, _, _ := b.seen()
	equal(t, "calls", len(cells), 40+5+1)
	equal(t, "cell of a thread", cells[0], "")
	equal(t, "cell of a task", cells[len(cells)-1], "c3")
}

func TestSession_runs_in_the_project_and_imports_nothing_from_it(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	equal(t, "file", value(t, r, `open("n.txt").read()`), "1\n2\n3\n")
	equal(t, "folder", value(t, r, "import os\nos.getcwd() + os.environ['PWD']"), b.root+b.root)
	equal(t, "left over", value(t, r, `[n for n in os.environ if n.startswith(("RLM_", "SERENA_REPL_"))]`), "[]")
	equal(t, "path", value(t, r, `any(p in ("", os.getcwd()) for p in __import__("sys").path)`), "False")
}

func TestSession_goes_where_its_project_is(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	move := func(to string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.root = to
	}
	other := t.TempDir()
	equal(t, "own choice", value(t, r, "import os\nos.chdir('/')\nos.getcwd()"), "/")
	equal(t, "own choice, kept", value(t, r, "os.getcwd()"), "/")
	move(other)
	equal(t, "another project", value(t, r, "os.getcwd()"), other)
	move(filepath.Join(other, "gone"))
	equal(t, "a folder that is gone", failure(t, r, "1").Name, "FileNotFoundError")
}

func TestSession_displays(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	result := run(t, r, "from rlm.repl import emit\nemit({'text/plain': 'é', 'x': [1]})\nemit({'image/png': 'aGk='})")
	if len(result.Displays) != 2 {
		t.Fatalf("displays: %v", result.Displays)
	}
	equal(t, "first", string(result.Displays[0]["text/plain"])+string(result.Displays[0]["x"]), `"é"[1]`)
	equal(t, "second", string(result.Displays[1]["image/png"]), `"aGk="`)
	many := run(t, r, "for n in range(300): emit({'n': n})")
	equal(t, "kept", len(many.Displays), maxDisplays)
	contains(t, strings.Join(many.Notes, "\n"), "100 of 300 displays were dropped")
}
