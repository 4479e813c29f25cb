package api

import (
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestEachKindIsDocumentedAsItIsUsed(t *testing.T) {
	t.Parallel()
	s := everything(t, "lsp")
	for item, want := range map[string]string{
		"edit.transaction": `edit.transaction() -> EditTransaction [edits]
    with s.edit.transaction() as t:
    Makes the edits of a block one: an exception or rollback() takes all of them back.
    The edits are written at once and are one step for undo. Not nestable.
    Types: s.info("EditTransaction")`,
		"s.ext.project_context(": `ext.project_context(project_name: str) -> ExternalProject
    with s.ext.project_context(project_name) as c:
    Lets all facades work on another project, read-only.
    Results stay usable afterwards. Not nestable; threads that are started inside do not inherit it.
    - project_name: name or path
    Types: s.info("ExternalProject")`,
		"lsp.find_referencing_symbols": `lsp.find_referencing_symbols(name_path: str, relative_path: str, include_kinds: list[SymbolKind] = (), exclude_kinds: list[SymbolKind] = (), max_answer_chars: int = -1) -> LspReferenceCollection
    Finds the places that refer to a symbol, each with the symbol that contains it.
    Each has the innermost function, type or constant around it and its line with one line before and after. Imports and the declaration
    itself are left out.
    - name_path: name path of one symbol of the file
    - relative_path: the file that declares it
    - include_kinds: only references inside symbols of these kinds
    - exclude_kinds: none inside symbols of these kinds
    - max_answer_chars: longest answer in characters; a longer one is shortened or left out. -1: the configured limit
    Types: s.info("LspReferenceCollection"), s.info("SymbolKind")`,
		"EditTransaction": `class EditTransaction
    The edits of a with block.
    edits: list[Edit]
    rollback() -> str [edits]
        takes back what the block wrote so far
    diagnostics() -> LspDiagnostics
        which diagnostics the block brought, and which it cured

class Edit
    method: str
    files: list[str]
    taken_back: bool

class LspDiagnostics
    iteration, len() and indexing work on diagnostics; str() gives the text shown
    diagnostics: list[Diagnostic]
    grouped: dict[str, Any] – path, severity, name path
    complete: bool
    notes: list[str]

dict Diagnostic, with the keys:
    One message of a language server.
    relative_path: str
    line: int – 0-based
    column: int – 0-based
    severity: DiagnosticSeverity
    message: str
    source: str | None – who says so, such as vet

enum DiagnosticSeverity
    ERROR = 1 – the code is wrong
    WARNING = 2 – it may be
    INFORMATION = 3
    HINT = 4
    In code: s.edit.DiagnosticSeverity.ERROR`,
		"lsp.LanguageServerSymbol.": `lsp.LanguageServerSymbol.: there is no such facade, method or type; did you mean "lsp.LanguageServerSymbol"?`,
		"edit.rollback_":            `edit.rollback_: there is no such facade, method or type`,
	} {
		if got := s.Document([]string{item}, map[string]bool{}); got != want && !(strings.HasPrefix(item, "edit.rollback_") && strings.HasPrefix(got, want)) {
			t.Errorf("%s:\n%s\nwant\n%s", item, got, want)
		}
	}
	symbol := s.Document([]string{"LanguageServerSymbol"}, map[string]bool{})
	if !strings.Contains(symbol, "    body: str | None (fetched when read)\n") || strings.Contains(symbol, "range_") || !strings.Contains(symbol, "FILE = 1, MODULE = 2, ") {
		t.Errorf("a lazy member, a hidden one, an enum:\n%s", symbol)
	}
	readOnly, _ := NewScope(s.registry, nil, true)
	if got := readOnly.Document([]string{"EditHistory", "edit.EditTransaction"}, map[string]bool{}); strings.Contains(got, "rollback") || !strings.Contains(got, "diagnostics()") {
		t.Errorf("methods of a record in a read-only project:\n%s", got)
	}
}

// TestATypeIsDescribedOnceASession, whichever facade it is met in; a request of it is always answered in full.
func TestATypeIsDescribedOnceASession(t *testing.T) {
	t.Parallel()
	s, told := everything(t, "lsp"), map[string]bool{}
	first := s.Document([]string{"LspDiagnostics"}, told)
	again := s.Document([]string{"LspDiagnostics"}, told)
	other := s.Document([]string{"EditTransaction"}, told)
	severity := s.Document([]string{"lsp.DiagnosticSeverity"}, told)
	const pointer = `(Diagnostic was described before; s.info("Diagnostic") repeats it)`
	if strings.Contains(first, "described before") || strings.Count(first, "dict Diagnostic, ") != 1 || strings.Count(first, "enum DiagnosticSeverity") != 1 {
		t.Errorf("first:\n%s", first)
	}
	if !strings.HasPrefix(again, "class LspDiagnostics\n") || !strings.HasSuffix(again, pointer) {
		t.Errorf("again:\n%s", again)
	}
	if !strings.Contains(other, `(LspDiagnostics was described before; s.info("LspDiagnostics") repeats it)`) || strings.Contains(other, "class LspDiagnostics") {
		t.Errorf("in another facade:\n%s", other)
	}
	if !strings.Contains(severity, "HINT = 4") {
		t.Errorf("asked for:\n%s", severity)
	}
}

// TestTierOneNamesWhatItDoesNotShow: niche methods by summary, types by name, what all methods have in common once.
func TestTierOneNamesWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	text := everything(t, "lsp").Document([]string{"lsp"}, map[string]bool{})
	for _, want := range []string{
		`

max_answer_chars: longest answer in characters; a longer one is shortened or left out. -1: the configured limit

Rarely needed:
lsp.get_code_actions: Lists the language server's quick fixes and refactorings for a range of lines. More: s.info("lsp.get_code_actions")
lsp.apply_code_action: Applies a code action. More: s.info("lsp.apply_code_action")
lsp.format_file: Formats a file, or a range of its lines, as the language's tool does. More: s.info("lsp.format_file")
`,
		`
Result types: LspSymbolCollection, LspReferenceCollection, LspSymbol, LspDiagnostics, ReplacementPreview, CodeAction, ServerStatus. Only to process results in code: s.info("LspSymbolCollection")
Further types: SymbolKind`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "get_code_actions(") || strings.Contains(text, "- max_answer_chars") || strings.Contains(text, "\nclass ") || strings.Contains(text, "body_(") {
		t.Errorf("too much:\n%s", text)
	}
}

// TestTypesOfOneName: two plugins' types of one name in two facades are told apart.
func TestTypesOfOneName(t *testing.T) {
	t.Parallel()
	type Leaf struct {
		Page int `json:"page"`
	}
	book := sdk.Plugin{Name: "book", Facades: []sdk.Facade{{Name: "book", Summary: "books", Methods: []sdk.Method{method[Leaf]("turn", sdk.Example(`book.turn("x")`))}}}}
	if err := book.Validate(); err != nil {
		t.Fatal(err)
	}
	tree, _ := manifests()
	r, faults := Compose("lsp", []Source{{Manifest: tree}, {Manifest: book.Manifest()}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, _ := NewScope(r, nil, false)
	for item, want := range map[string]string{
		"Leaf":      "tree.Leaf:\nclass Leaf\n    name: str – its name\n\nbook.Leaf:\nclass Leaf\n    page: int",
		"book.Leaf": "class Leaf\n    page: int",
		"book.turn": "book.turn(path: str, deep: bool = False) -> Leaf\n    Does turn.\n    At length.\n    - path: where\n    Example: s.book.turn(\"x\")\n    Types: s.info(\"book.Leaf\")",
	} {
		if got := s.Document([]string{item}, map[string]bool{}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", item, got, want)
		}
	}
	told := map[string]bool{}
	s.Document([]string{"tree.Leaf"}, told)
	if got := s.Document([]string{"tree.Leaves"}, told); !strings.Contains(got, `s.info("tree.Leaf") repeats it`) {
		t.Errorf("a pointer to one of two:\n%s", got)
	}
}
