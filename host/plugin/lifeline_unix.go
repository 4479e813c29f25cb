//go:build unix

package plugin

import "github.com/serena-go/serena/sdk"

// lifelineVariable tells a plugin the number of its lifeline.
const lifelineVariable = sdk.LifelineVariable
