//go:build !windows

package config

const nativeLineEnding = LF
