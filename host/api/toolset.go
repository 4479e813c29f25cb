package api

// ToolDefinition says what a level of the configuration does to the set of classic tools: it fixes the set (Fixed), or adds
// to it (Included) and then takes from it (Excluded).
type ToolDefinition struct {
	Origin   string // for messages: "the global configuration", "project x"
	Excluded []string
	Included []string
	Fixed    []string
}
