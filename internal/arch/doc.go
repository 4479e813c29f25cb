// Package arch holds the rules of the module's shape as tests: which package may import which, what an exported signature
// may show, and that each package says what it is.
package arch
