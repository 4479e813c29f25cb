//go:build !linux

package files

import "errors"

var errNoWatching = errors.New("because this system is not supported")

type notifier struct{}

type event struct {
	watch                      int32
	name                       string
	folder, moved, ended, lost bool
}

func watchable(string) error                          { return errNoWatching }
func newNotifier() (*notifier, error)                 { return nil, errNoWatching }
func maxWatches() int                                 { return 0 }
func (n *notifier) close()                            {}
func (n *notifier) add(string, string) (int32, error) { return 0, errNoWatching }
func (n *notifier) remove(int32)                      {}
func (n *notifier) drain(func(event)) error           { return errNoWatching }
