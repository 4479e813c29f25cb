// Package config reads the global configuration, <home>/serena_config.yml, the SERENA_… environment and the command line's
// flags into one [Config] that does not change afterwards.
//
// It writes nothing: a home or a file that is missing stays missing. Keys that nobody knows, and values that make no sense,
// are told in [Config.Notes] and are never fatal. [Document] and [Value] serve the projects' own files too, so that both
// kinds of file mean the same by the same words.
package config
