// Package sdk is what a plugin's author imports: a plugin declares its facades as data and serves them.
//
// A [Plugin] has facades, a [Facade] has methods, and [NewMethod] derives a method's parameters and result type from Go
// types, so that what is documented cannot drift from what runs:
//
//	type nowParams struct {
//		Zone string `json:"zone" default:"'UTC'" doc:"IANA name of the time zone"`
//	}
//
//	func now(ctx context.Context, call *sdk.Call, p nowParams) (string, error) { … }
//
//	var clock = sdk.Plugin{Name: "clock", Facades: []sdk.Facade{{
//		Name: "clock", Summary: "the host's time",
//		Methods: []sdk.Method{sdk.NewMethod("now", now, "Tells the time.\n\nIn RFC 3339 form.")},
//	}}}
//
//	func main() { sdk.Serve(clock) }
//
// Its test is one line, which runs the documented examples ([Example]) and much more:
//
//	func TestPlugin(t *testing.T) { sdktest.Run(t, clock, sdktest.Options{}) }
//
// The whole declaration is the [Manifest]; `<plugin> manifest` prints it as JSON. A method gets a [Call]: its project,
// progress, logging, other facades, and the host's one writer of project files. Errors carry a kind, see [Error].
package sdk
