// Package symbols holds the symbol tree of one file and the name paths by which symbols are addressed.
//
// A tree is made once from a server's answer and never changes; all its offsets are bytes of the text that it was made
// for. It knows neither servers nor files.
package symbols
