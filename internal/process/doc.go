// Package process starts, stops and clears away child processes, so that none outlives its parent.
//
// It owns the table of children this process started, the one OS thread they are forked from, and the rules of
// their end. It never decides what to run or when to restart it: callers do (the host for plugins and Python, a plugin
// for language servers and commands).
//
// # What ends whom
//
// A child is the leader of its own process group, has /dev/null for whatever stream its caller did not set, and never shares
// this process's stdin, stdout or stderr. When the leader ends, the rest of its group is killed before the leader is reaped: at
// that moment the group's number cannot belong to anybody else.
//
//	this process ends (even by SIGKILL) │ lifeline: the child reads EOF from a pipe (WatchLifeline)
//	                                    │ Linux: Options.ParentDeath signals the child itself
//	… and the child is stuck            │ Linux: Options.GroupLifeline, ArmLifeline: the kernel kills the group
//	a child that started others is      │ Linux: BecomeSubreaper makes this process inherit them,
//	killed and cannot clear up          │ SweepOrphans ends them, ReapOrphans leaves no zombie
//	this process ends in good order     │ KillDescendants, wherever they hid
//
// What no means here reaches: a descendant that left its group (setsid), when its starter and the subreaper above that are both
// killed by SIGKILL in the same instant. Nothing of ours is alive then to look for it.
//
// # Who must not start children
//
// SweepOrphans takes every direct child it does not know for an orphan. So a process that calls it starts everything
// through Start, or, where a library insists on its own os/exec, through Adopt. A plugin that starts children whose children may
// be orphaned while it lives calls BecomeSubreaper too: its orphans then stay with it and reach the host only when it dies.
//
// # Platforms
//
// Linux is complete. Other Unix systems have groups and lifelines with WatchLifeline; signals by parent death, armed lifelines,
// subreaping and /proc facts are absent. Windows has neither groups nor lifelines: Stop and KillGroup end the process alone, at
// once, and a child must watch its stdin. Functions that a platform lacks return errors.ErrUnsupported or, where documented, do nothing.
package process
