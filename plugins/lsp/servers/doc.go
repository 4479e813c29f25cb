// Package servers is the table of language servers: for each its files, how its program is found or installed, and what
// must be done to bring its answers into the common form.
//
// It starts the servers' installers and version probes, and never a server itself. Whatever is particular to one language stands
// in that language's file here and nowhere else.
package servers
