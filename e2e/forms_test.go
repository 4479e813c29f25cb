package e2e

import (
	"strings"
	"testing"
)

// TestForms drives, through a third party's process, what is declared beyond methods and records.
func TestForms(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	installTrial(t, home)
	c := start(t, newProject(t), withHome(home))
	c.has("forms")

	c.gives("with s.forms.gate('back') as g:\n    told = g.knock(2)\n(g.name, told)", "('back', 'backx 2')")
	c.gives("s.forms.said()", "open back\nshut back x  ") // chalk_ came back, though no model is told of it
	c.fails("with s.forms.gate():\n    1 / 0", "ZeroDivisionError")
	c.gives("s.forms.said()", "open front\nshut front x ZeroDivisionError division by zero")
	c.fails("with s.forms.gate():\n    {}['a']", "StaleError: the gate is stuck", "KeyError: 'a'", "During handling of the above exception")
	c.gives("s.forms.said()", "open front\nshut front x KeyError 'a'")
	c.gives("async with s.aio.forms.gate() as g:\n    pass\ng.name", "front")
	c.gives("s.forms.said()", "open front\nshut front x  ")
	c.fails("s.forms.gate().name", "it is for a block: `with s.forms.gate(…) as x:`")
	c.fails("g.knok()", "did you mean 'knock'?")
	c.fails("g.knock(oftn=2)", "Gate.knock has no parameter 'oftn'; did you mean 'often'?", "signature: Gate.knock(often: int = 1) -> str")

	c.gives("[type(x).__name__ for x in (s.forms.either(), s.forms.either('side'))]", "Mark\nstr")
	c.gives("s.forms.either()", "<front>")
	c.gives("d = s.forms.choice()\n(type(d).__name__, d['depth'], d['gate'].knock())", "('dict', 2, 'back 1')")
	info := c.cell(`s.info("forms.gate", "forms.Gate", "forms.either", "Choice")`).last()
	for _, says := range []string{"with s.forms.gate() as g:", "knock(often: int = 1) -> str", "either(name: str = \"front\") -> Mark | str", "depth: int"} {
		if !strings.Contains(info, says) {
			t.Errorf("no %q in\n%s", says, info)
		}
	}
	if strings.Contains(info, "chalk_") || strings.Contains(info, "knock_") || strings.Contains(info, "gate_exit_") {
		t.Errorf("a model is told of what is not for it:\n%s", info)
	}
}
