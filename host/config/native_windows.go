package config

const nativeLineEnding = CRLF
