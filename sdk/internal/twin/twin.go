// Package twin has a type of the same name as one of the sdk's tests.
package twin

// Gadget is another one.
type Gadget struct {
	Size int `json:"size"`
}
