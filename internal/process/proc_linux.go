package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Alive reports whether pid names a process that has not ended. A zombie has ended.
func Alive(pid int) bool {
	s, err := readStat(pid)
	return err == nil && !s.ended()
}

// Stopped reports whether a process stands still until somebody continues it (SIGSTOP), or is held by a debugger.
func Stopped(pid int) bool {
	s, err := readStat(pid)
	return err == nil && (s.state == 'T' || s.state == 't')
}

// StartTime is when process pid started, in clock ticks since boot (1/100 s). It is meant for comparison only: pid and
// StartTime together name one process, whatever happens to the number. os.ErrNotExist when there is no such process.
func StartTime(pid int) (uint64, error) {
	s, err := readStat(pid)
	return s.start, err
}

// Descendants lists the processes below pid, zombies included, parents before their children. It is a snapshot: processes that start or end
// meanwhile may be missing.
func Descendants(pid int) ([]int, error) {
	all, err := readAllStats()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, s := range below(all, pid) {
		pids = append(pids, s.pid)
	}
	return pids, nil
}

// ProportionalSetSize is the memory of process pid in bytes, with each shared page divided by the number of its users. It needs
// the right to trace pid (one's own processes, usually).
func ProportionalSetSize(pid int) (int64, error) {
	path := fmt.Sprintf("/proc/%d/smaps_rollup", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	size, err := parsePss(string(data))
	if err != nil {
		return 0, fmt.Errorf("memory of process %d from %s: %w", pid, path, err)
	}
	return size, nil
}

func parsePss(rollup string) (bytes int64, err error) {
	for line := range strings.Lines(rollup) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("no line \"Pss:\"")
}

// stat is what this package needs of /proc/PID/stat.
type stat struct {
	pid, parent, group int
	state              byte   // of the main thread
	threads            int    // that still exist, a zombie main thread included
	start              uint64 // clock ticks since boot
}

// ended reports whether nothing but the exit status is left. A main thread is a zombie as soon as it has ended itself; while
// other threads are on their way out, the process still has its files open and cannot be reaped.
func (s stat) ended() bool { return s.state == 'X' || s.state == 'Z' && s.threads <= 1 }

func readStat(pid int) (stat, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(path)
	if errors.Is(err, syscall.ESRCH) { // it ended between open and read
		err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	s, err := parseStat(data)
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %s: %w", pid, path, err)
	}
	return s, nil
}

// parseStat reads "pid (name) state parent group …". The name is the program's choice and may hold spaces, newlines and parentheses, so
// the fields are counted from the last one.
func parseStat(data []byte) (stat, error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return stat{}, errors.New("no program name in parentheses")
	}
	const threadsField, startField = 17, 19 // fields 20 and 22 of proc(5); state, the first after the name, is field 3
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= startField {
		return stat{}, fmt.Errorf("%d fields after the name, want more than %d", len(fields), startField)
	}
	s := stat{state: fields[0][0]}
	var errs [5]error
	s.pid, errs[0] = strconv.Atoi(strings.TrimSpace(string(data[:open])))
	s.parent, errs[1] = strconv.Atoi(fields[1])
	s.group, errs[2] = strconv.Atoi(fields[2])
	s.threads, errs[3] = strconv.Atoi(fields[threadsField])
	s.start, errs[4] = strconv.ParseUint(fields[startField], 10, 64)
	return s, errors.Join(errs[:]...)
}

// readAllStats reads the process table. Processes that end meanwhile are left out.
func readAllStats() ([]stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	var all []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// below picks the descendants of root, parents first.
func below(all []stat, root int) []stat {
	byParent := map[int][]stat{}
	for _, s := range all {
		byParent[s.parent] = append(byParent[s.parent], s)
	}
	found := byParent[root]
	delete(byParent, root)
	for i := 0; i < len(found); i++ {
		found = append(found, byParent[found[i].pid]...)
		delete(byParent, found[i].pid) // a snapshot that is not of one instant may show a cycle
	}
	return found
}
