package files

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// local are the file systems whose changes all come by this machine's kernel. Of others, such as nfs, 9p and fuse, it learns only what its
// own programs do.
var local = map[int64]bool{
	unix.BTRFS_SUPER_MAGIC: true, unix.EROFS_SUPER_MAGIC_V1: true, unix.EXFAT_SUPER_MAGIC: true, unix.EXT4_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
	unix.ISOFS_SUPER_MAGIC: true, unix.MSDOS_SUPER_MAGIC: true, unix.NILFS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.RAMFS_MAGIC: true, unix.REISERFS_SUPER_MAGIC: true, unix.SQUASHFS_MAGIC: true, unix.TMPFS_MAGIC: true, unix.UDF_SUPER_MAGIC: true,
	unix.XFS_SUPER_MAGIC: true,
	0x2fc12fc1:           true, // zfs
	0x3153464a:           true, // jfs
	0x7366746e:           true, // ntfs3
	0xca451a4e:           true, // bcachefs
}

// watchable says why a project cannot be watched.
func watchable(root string) error {
	for _, dir := range append(mountsBelow(root), root) {
		var st unix.Statfs_t
		if err := unix.Statfs(dir, &st); err != nil {
			return fmt.Errorf("because the file system of %s cannot be told: %w", dir, err)
		}
		if !local[int64(st.Type)&0xffffffff] {
			return fmt.Errorf("because %s is on a file system (type %#x) that may be changed from other machines", dir, int64(st.Type)&0xffffffff)
		}
	}
	return nil
}

// mountsBelow lists the mount points inside a folder.
func mountsBelow(root string) []string {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		if dir := unescapeMount.Replace(fields[4]); strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/") {
			found = append(found, dir)
		}
	}
	return found
}

var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
