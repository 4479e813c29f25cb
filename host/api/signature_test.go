package api

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// pythonReads parses each signature as Python does and compares names and defaults with the declaration's.
const pythonReads = `
import ast, json, sys
faults = []
for stub in json.load(sys.stdin):
    try:
        f = ast.parse("def " + stub["signature"] + ": ...").body[0]
        names = [a.arg for a in f.args.args]
        missing = len(names) - len(f.args.defaults)
        defaults = {n: ast.literal_eval(d) for n, d in zip(names[missing:], f.args.defaults)}
        defaults = {n: list(d) if isinstance(d, tuple) else d for n, d in defaults.items()}
        want = {p["name"]: p["default"] for p in stub["params"] if "default" in p}
        if names != [p["name"] for p in stub["params"]] or defaults != want or f.returns is None:
            faults.append(stub["signature"] + ": " + repr((names, defaults)))
    except SyntaxError as e:
        faults.append(stub["signature"] + ": " + str(e))
print("\n".join(faults))
`

// TestSignaturesArePython has python3 read every signature of the contract, and some that are hard to write.
func TestSignaturesArePython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("python3 is needed to check the signatures")
	}
	type stub struct {
		Signature string          `json:"signature"`
		Params    []sdk.ParamDecl `json:"params"`
	}
	var stubs []stub
	for _, backend := range []string{"lsp", "jetbrains"} {
		for _, f := range everything(t, backend).registry.facades {
			for _, m := range f.Methods {
				stubs = append(stubs, stub{m.Signature(), m.Params})
			}
		}
	}
	hard := sdk.MethodDecl{Name: "hard", Result: sdk.TypeRef{Name: "dict", Args: []sdk.TypeRef{{Name: "Any"}}}}
	for name, value := range map[string]string{
		"nested": `[true,{"a":null,"b":[false]}]`, "text": `"say \"hi\" <\u00e9\ud83d\ude00\n\\ \u2028"`, "float": `-1.5e3`, "none": `null`, "empty": `[]`, "dict": `{}`,
	} {
		hard.Params = append(hard.Params, sdk.ParamDecl{Name: name, Type: sdk.TypeRef{Name: "Any"}, Default: json.RawMessage(value)})
	}
	stubs = append(stubs, stub{hard.Signature(), hard.Params})
	data, err := json.Marshal(stubs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", pythonReads)
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 || len(stubs) < 60 {
		t.Errorf("%d signatures, %v:\n%s", len(stubs), err, out)
	}
}
