// Package plugin runs the plugin processes: it finds third parties' executables, reads and caches their manifests, starts
// plugins when they are first needed, watches over them, and ends them.
//
// A [Catalog] answers what plugins there are without starting one. A [Manager] owns every plugin process; [Manager.Provider]
// gives the one road to a plugin's methods. It never decides whether a call is allowed and never repeats one: a call
// whose process ends is an [ErrGone], and the caller knows whether repeating is safe.
//
// # A plugin's life
//
//	idle ──first call──► starting ──handshake, Attach──► running ──its process ends──► gone ──next call──► starting …
//
// One start serves all callers that wait for it, and none of them can cancel it for the others. A process that ends without being
// asked counts as a crash, as does a start that fails: the next start comes at once, later ones after a growing pause, and
// after five crashes within a minute the plugin is down for a minute. Open is sent once per
// project and process, before the project's first call, so a fresh process learns of a project when it is next needed. A process without a
// call for Options.IdleAfter is stopped, unless the plugin declares itself long-lived. Close is sent when no session uses a project any more
// and no call for it is under way.
//
// # What a plugin process gets
//
// An empty stdin, a stdout of which only the handshake line is read, a stderr that goes to the log in bounded lines and at a
// bounded rate, a group of its own, a lifeline, and a terminating signal at this process's death. Its environment is an
// allow-list unless [Spec.OwnEnv]. Sockets lie in a folder only this user can enter, which goes away with the Manager; a plugin that listens
// elsewhere is refused, as others could call it.
//
// An executable whose SHA-256 the configuration names is compared with it before anything of it is run; see verify for what remains.
//
// [Hosts] tells other processes, such as the command line, what the running hosts' plugins do.
//
// Each process gets an owner's entry in its environment, which all that it starts inherits: when it was killed or crashed,
// what it left behind is found by that (process.KillCarrying). The program that uses a Manager calls process.BecomeSubreaper
// and runs process.ReapOrphans. go-plugin's package-level state is not used.
package plugin
