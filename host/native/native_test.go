package native

import "testing"

func TestDeclaration(t *testing.T) {
	t.Parallel()
	if err := plugin().Validate(); err != nil {
		t.Error(err)
	}
}
