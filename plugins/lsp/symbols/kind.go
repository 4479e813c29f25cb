package symbols

import "slices"

// Kind is the protocol's kind of symbol.
type Kind int

// The kinds that rules here or in the servers' adapters speak of.
const (
	File        Kind = 1
	Module      Kind = 2
	Namespace   Kind = 3
	Package     Kind = 4
	Class       Kind = 5
	Method      Kind = 6
	Constructor Kind = 9
	Enum        Kind = 10
	Interface   Kind = 11
	Function    Kind = 12
	Variable    Kind = 13
	Constant    Kind = 14
	Object      Kind = 19
	Struct      Kind = 23
)

// kindNames are the protocol's names of the kinds; 0 is none of them.
var kindNames = []string{"Unknown", "File", "Module", "Namespace", "Package", "Class", "Method", "Property", "Field", "Constructor", "Enum", "Interface",
	"Function", "Variable", "Constant", "String", "Number", "Boolean", "Array", "Object", "Key", "Null", "EnumMember", "Struct", "Event", "Operator",
	"TypeParameter"}

// KindNames returns the names of the kinds 1, 2, … in that order.
func KindNames() []string { return slices.Clone(kindNames[1:]) }

// String is the protocol's name of the kind, "Unknown" for a number it does not know.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return kindNames[0]
	}
	return kindNames[k]
}

// Holds reports whether symbols of the kind are shown as parts of an overview below its top level: what contains others or is called,
// not a class's single fields.
func (k Kind) Holds() bool {
	switch k {
	case File, Module, Namespace, Package, Class, Method, Constructor, Enum, Interface, Function, Object, Struct:
		return true
	}
	return false
}

// contains reports whether a place inside a symbol of the kind is said to be in that symbol; else the next outer one is named.
func (k Kind) contains() bool { return k.Holds() || k == Variable || k == Constant }
