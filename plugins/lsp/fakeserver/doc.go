// Package fakeserver is a language server for tests that misbehaves as it is told. A test binary becomes one by calling Main before
// its tests: nothing must be built, and it runs under the race detector.
package fakeserver
