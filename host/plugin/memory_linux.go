package plugin

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is how much memory a process has for itself, in bytes: its proportional set size. Only this user's processes can be asked.
func Memory(pid int) (int64, error) {
	file := fmt.Sprintf("/proc/%d/smaps_rollup", pid)
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "Pss:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("%s tells no Pss", file)
}
