package sdk

import "github.com/serena-go/serena/internal/wire"

// MaxValueBytes is the most bytes that a result's JSON may have; a longer result is an error. A method whose result may
// grow that long keeps what fits, and says so. The text that a result is rendered to travels in the same message, whose
// bound is one MiB more.
const MaxValueBytes = wire.MaxValueBytes
