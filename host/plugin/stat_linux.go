package plugin

import (
	"io/fs"
	"syscall"
)

func statFacts(info fs.FileInfo) (ctime int64, inode, device uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return st.Ctim.Nano(), st.Ino, uint64(st.Dev)
}
