//go:build unix && !linux

package process

import "syscall"

func setParentDeath(*syscall.SysProcAttr, syscall.Signal) {}
