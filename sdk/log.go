package sdk

import (
	"context"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// logHandler writes slog records as hclog's JSON lines, which the host reads from the plugin's stderr.
type logHandler struct {
	to    hclog.Logger
	group string
}

func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool {
	return level(l) >= h.to.GetLevel()
}

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	args := make([]any, 0, 2*r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		args = append(args, h.group+a.Key, a.Value.Resolve().Any())
		return true
	})
	h.to.Log(level(r.Level), r.Message, args...)
	return nil
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	args := make([]any, 0, 2*len(attrs))
	for _, a := range attrs {
		args = append(args, h.group+a.Key, a.Value.Resolve().Any())
	}
	return &logHandler{to: h.to.With(args...), group: h.group}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{to: h.to, group: h.group + name + "."}
}

func level(l slog.Level) hclog.Level {
	switch {
	case l < slog.LevelInfo:
		return hclog.Debug
	case l < slog.LevelWarn:
		return hclog.Info
	case l < slog.LevelError:
		return hclog.Warn
	}
	return hclog.Error
}
