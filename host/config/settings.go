package config

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/viper"
)

const (
	defaultMaxAnswerChars = 150_000
	defaultTimeout        = 240 * time.Second
	defaultDataFolder     = "$projectDir/.serena"
	defaultMaxSessions    = 100
	defaultSessionIdle    = time.Hour
	defaultSessionKeep    = 7 * 24 * time.Hour
	defaultPluginIdle     = 30 * time.Minute

	minMemory = 256 // MiB: with less Python does not start

	// A request to a language server ends that much before the call it belongs to, so that the call can say so.
	requestMargin  = 5 * time.Second
	minToolTimeout = 10 * time.Second
)

// readScalars takes each flat setting from the flag, the environment or the file, in this order. viper sees no other keys: it
// would lower their letters and split them at dots.
func (c *Config) readScalars(doc *Document, flags map[string]string) {
	v := viper.NewWithOptions(viper.WithLogger(slog.New(slog.DiscardHandler)))
	v.SetEnvPrefix("serena")
	flat := map[string]any{}
	for _, key := range scalarKeys {
		_ = v.BindEnv(key) // fails without a key only
		if value, ok := doc.Value(key); ok && !value.IsNull() {
			flat[key] = value.raw
		}
	}
	_ = v.MergeConfigMap(flat) // fails for what viper itself would have to decode only
	for name, text := range flags {
		if key := strings.ReplaceAll(name, "-", "_"); slices.Contains(scalarKeys, key) {
			v.Set(key, text)
		}
	}
	r := &scalars{viper: v, doc: doc, flags: flags, config: c}

	c.AgentInterface = scalar(r, keyAgentInterface, InterfaceTools, func(v Value) (string, error) { return v.OneOf(InterfaceTools, InterfaceREPL) })
	c.MaxAnswerChars = scalar(r, keyMaxAnswerChars, defaultMaxAnswerChars, Value.Positive)
	c.ReplPython = scalar(r, keyReplPython, "", Value.Command)
	c.CellTimeout = scalar(r, keyCellTimeout, defaultTimeout, func(v Value) (time.Duration, error) { return v.Seconds(0) })
	c.MaxOutputChars = scalar(r, keyMaxOutputChars, c.MaxAnswerChars, Value.Positive)
	c.MaxMemory = scalar(r, keyMaxMemory, 0, memory)
	c.MaxSessions = scalar(r, keyMaxSessions, defaultMaxSessions, Value.Positive)
	c.SessionIdle = scalar(r, keySessionIdle, defaultSessionIdle, func(v Value) (time.Duration, error) {
		return v.Units(time.Minute, "a number of minutes above 0", false)
	})
	c.SessionKeep = scalar(r, keySessionKeep, defaultSessionKeep, func(v Value) (time.Duration, error) {
		return v.Units(24*time.Hour, "a number of days, 0 to keep nothing", true)
	})
	c.PluginIdle = scalar(r, keyPluginIdle, defaultPluginIdle, func(v Value) (time.Duration, error) {
		return v.Units(time.Minute, "a number of minutes, 0 to keep plugins running", true)
	})
	c.ToolTimeout = scalar(r, keyToolTimeout, defaultTimeout, toolTimeout)
	c.RequestTimeout = max(c.ToolTimeout-requestMargin, 0)
	c.LineEnding = scalar(r, keyLineEnding, nativeLineEnding, Value.LineEnding)
	c.Backend = scalar(r, keyBackend, BackendLSP, Value.Backend)
	c.AutoInstall = scalar(r, keyAutoInstall, true, Value.Bool)
	c.LogLevel = scalar(r, keyLogLevel, "info", logLevel)
	c.DataFolder = scalar(r, keyDataFolder, defaultDataFolder, dataFolder)
	if value, ok := doc.Value(keyToolTimeout); ok && value.IsNull() && !v.IsSet(keyToolTimeout) {
		c.ToolTimeout, c.RequestTimeout = 0, 0 // null is none, here alone
	}
}

// scalars finds the source of a setting.
type scalars struct {
	viper  *viper.Viper
	doc    *Document
	flags  map[string]string
	config *Config
}

func (r *scalars) find(key string) (Value, bool) {
	raw := r.viper.Get(key)
	if raw == nil {
		return Value{}, false
	}
	for _, name := range []string{strings.ReplaceAll(key, "_", "-"), key} {
		if _, ok := r.flags[name]; ok {
			return Value{Key: key, Where: "--" + name, raw: raw, text: true}, true
		}
	}
	variable := "SERENA_" + strings.ToUpper(key)
	if os.Getenv(variable) != "" { // viper takes an empty one for none, too
		return Value{Key: key, Where: "$" + variable, raw: raw, text: true}, true
	}
	return r.doc.Value(key)
}

func scalar[T any](r *scalars, key string, missing T, read func(Value) (T, error)) T {
	value, ok := r.find(key)
	if !ok {
		return missing
	}
	got, err := read(value)
	if err != nil {
		shown := fmt.Sprintf("%v is used", missing)
		if fmt.Sprint(missing) == "" {
			shown = "it is ignored"
		}
		r.config.note(fmt.Sprintf("%v; %s", err, shown))
		return missing
	}
	return got
}

// memory reads a number of MiB as bytes.
func memory(v Value) (int64, error) {
	f, err := v.Number()
	if err != nil || f != 0 && f < minMemory || f > math.MaxInt32 {
		return 0, v.Wrong(fmt.Sprintf("a number of MiB, at least %d, or 0 for no limit", minMemory))
	}
	return int64(f * (1 << 20)), nil
}

// toolTimeout accepts what is negative as none, and refuses what leaves no time for a language server.
func toolTimeout(v Value) (time.Duration, error) {
	if f, err := v.Number(); err == nil && f < 0 {
		return 0, nil
	}
	return v.Seconds(minToolTimeout)
}

// LineEnding returns LF or CRLF.
func (v Value) LineEnding() (string, error) {
	ending, err := v.OneOf(LF, CRLF, "native")
	if ending == "native" {
		ending = nativeLineEnding
	}
	return ending, err
}

// Backend returns BackendLSP or BackendJetBrains.
func (v Value) Backend() (string, error) {
	name, err := v.OneOf("LSP", "JetBrains")
	return strings.ToLower(name), err
}

// logLevel reads a name, or a number as Python's logging has them.
func logLevel(v Value) (string, error) {
	const expected = "debug, info, warning, error, or 10, 20, 30, 40"
	if n, err := v.Number(); err == nil {
		switch {
		case n < 0 || n > 50:
			return "", v.Wrong(expected)
		case n <= 10:
			return "debug", nil
		case n <= 20:
			return "info", nil
		case n <= 30:
			return "warn", nil
		}
		return "error", nil
	}
	switch name, err := v.OneOf("debug", "info", "warning", "warn", "error", "critical"); {
	case err != nil:
		return "", v.Wrong(expected)
	case name == "warning":
		return "warn", nil
	case name == "critical":
		return "error", nil
	default:
		return name, nil
	}
}

// dataFolder checks that the placeholders are those that a project can fill.
func dataFolder(v Value) (string, error) {
	s, err := v.Text()
	if err != nil {
		return "", err
	}
	if rest := ExpandDataFolder(s, "", ""); s == "" || strings.Contains(rest, "$") {
		return "", v.Wrong("a path in which $projectDir and $projectFolderName are the only placeholders")
	}
	return s, nil
}

// ExpandDataFolder fills the placeholders of project_serena_folder_location.
func ExpandDataFolder(pattern, projectDir, folderName string) string {
	return strings.NewReplacer("$projectDir", projectDir, "$projectFolderName", folderName).Replace(pattern)
}

// Command returns a program's name or path; a leading "~" is filled in.
func (v Value) Command() (string, error) {
	s, err := v.Text()
	if err != nil || !strings.HasPrefix(s, "~") {
		return s, err
	}
	return Absolute(s)
}
