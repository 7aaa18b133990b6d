package control

import (
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestHolderIn: the table of locks names other devices than stat does, as on
// Btrfs.
func TestHolderIn(t *testing.T) {
	const table = `1: POSIX  ADVISORY  WRITE 41 08:01:130 0 EOF
2: FLOCK  ADVISORY  WRITE 42 00:1f:130 0 EOF
2: -> FLOCK  ADVISORY  WRITE 43 00:1f:130 0 EOF
3: FLOCK  ADVISORY  WRITE 44 08:01:131 0 EOF
`
	for _, c := range []struct {
		device, inode  uint64
		recorded, want int
	}{
		{0x1f, 130, 0, 42}, {0x801, 131, 0, 44}, {0x801, 130, 0, 0},
		{0x2a, 130, 42, 42}, {0x2a, 130, 44, 0}, {0x2a, 1, 42, 0}, {0x2a, 13, 42, 0},
	} {
		files := []syscall.Stat_t{{Dev: 7, Ino: 7}, {Dev: c.device, Ino: c.inode}}
		fstest.Equal(t, holderIn(table, files, c.recorded), c.want, c)
	}
}
