// Package repl is the client of the Python runtime: it finds an interpreter, unpacks the embedded runtime, runs cells in it, and
// answers what the cells ask of the host.
//
// A [Runtime] is one Python process with one namespace. It owns the process, the goroutines that read and write its pipes, and
// those that answer its requests; all of them end with it. It never decides what a cell may call (its [Backend] does), when a
// runtime is started again after its end, or how a [Result] is shown.
//
// # The wire
//
// The protocol between host and runtime is newline-delimited JSON, version 3. What the object `s` asks travels inside its
// host_request and host_reply frames: `{"op": "bindings" | "call" | "render" | "info" | "cancel", "call": n, …}`, answered by
// `{"status": "ok", "result": {…}}` or `{"status": "error", "error": {"kind", "message", "data"}}`; a cancel is not answered.
// A call that enters a context manager names its exit as "exit", the call that leaves it has the first one's number as "entered"; what was entered
// and is not left by then is left when the first call is cancelled, at whatever time, and when the process ends. Each execute frame carries `"serena": {"generation", "root"}`, from which the Python side knows whether its bindings are still good.
package repl
