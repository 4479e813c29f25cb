// Package lines is the one line model: every line number, column and line text in the program comes from here.
//
// A line ends at LF, CRLF or CR and at nothing else: form feed, U+0085 and U+2028 are ordinary characters.
// The ending belongs to its line. A text that ends in a line break has no further empty line after it, and the empty
// text has no line at all. Lines and columns are 0-based.
//
// Texts are UTF-8. A byte that is not part of valid UTF-8 counts as one character of its own, in every count.
//
// Three kinds of position occur, and the types keep them apart: byte offsets (int), columns in code points
// ([RuneCol], what users and the API see) and columns in UTF-16 units ([UTF16Col], what language servers speak).
package lines
