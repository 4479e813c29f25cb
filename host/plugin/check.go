package plugin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/sdk"
)

// checkLimit bounds the start of a plugin that is checked.
const checkLimit = 10 * time.Second

// Check tries an executable, or a folder with an executable "plugin", as a host would: it compares the sum that the configuration has for it, asks for
// the manifest, starts it, makes the first call, and stops it. The error says which of that failed, why, and what to do. What a plugin
// declares that is where a host finds it is remembered.
func Check(ctx context.Context, cfg *config.Config, path string, log hclog.Logger) (sdk.Manifest, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return sdk.Manifest{}, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "plugin"+executableSuffix)
	}
	if why := whyNoExecutable(path); why != "" {
		return sdk.Manifest{}, sdk.Errorf(sdk.KindFileNotFound, "%s %s", path, why)
	}
	f := Found{File: filepath.Base(path), Path: path}
	all, _ := Survey(cfg) // faults of folders are no fault of this one
	n := slices.IndexFunc(all, func(o Found) bool { return o.Path == path })
	if n >= 0 {
		f = Found{File: all[n].File, Path: path, SHA256: all[n].SHA256, Explicit: all[n].Explicit}
	} else { // it is not installed: a sum is that of another file
		elsewhere := *cfg
		elsewhere.Plugins = nil
		cfg = &elsewhere
	}
	for !f.Known {
		e, err := f.ask(ctx, cfg)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && n >= 0 {
			err = remember(cfg, e)
		}
		if err != nil {
			return sdk.Manifest{}, err
		}
		f = f.with(cfg, e) // twice at most: the first answer may tell whose sum it must have
	}
	if f.Fault != nil {
		return sdk.Manifest{}, f.Fault
	}
	return f.Spec.Manifest, try(ctx, f.Spec, cfg.Home, log)
}

// try starts a plugin and stops it.
func try(ctx context.Context, spec Spec, home string, log hclog.Logger) error {
	sockets, err := newSocketFolder()
	if err != nil {
		return err
	}
	defer func() { _ = sockets.remove() }() // the next one removes what stays
	start, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	w, err := launch(start, spec, &Options{Home: home, Host: nobody{}, Log: log, StartTimeout: checkLimit}, sockets.path)
	if err != nil {
		return err
	}
	go w.own(func(string, bool) {}) // ends with the process, which stop waits for
	w.stop(context.WithoutCancel(ctx))
	if _, killed := w.runner.running(); killed {
		return sdk.Errorf(sdk.KindTimeout, "plugin %s works, but did not end within %s when it was asked to, and was killed: its Stop must release what it holds, and return", spec.Name, politeness)
	}
	return nil
}
