package main

import (
	"testing"

	"github.com/serena-go/serena/sdk/sdktest"
)

func TestPlugin(t *testing.T) { sdktest.Run(t, Plugin, sdktest.Options{}) }
