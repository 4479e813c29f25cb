package replace

// Mode says how a needle is meant.
type Mode string

// The modes.
const (
	Literal Mode = "literal"
	Regex   Mode = "regex"
)

// LiteralValues are the modes, for a parameter's declaration.
func (Mode) LiteralValues() []string { return []string{string(Literal), string(Regex)} }
