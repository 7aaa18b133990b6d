package fusefs

import (
	"encoding/binary"
	"hash/fnv"
	iofs "io/fs"
	"math"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// forever is how long the kernel may keep what does not change by itself, in
// seconds: ten years. Changes are announced. The only other timeout is zero;
// anything between would become at least one jiffy.
const forever = 10 * 365 * 24 * 3600

// fill translates an Attr into a fuse.Attr.
func (r *rawFS) fill(out *fuse.Attr, n *inode, a fs.Attr) {
	out.Ino = n.ino
	out.Size = uint64(max(a.Size, 0))
	out.Blocks = (out.Size + 511) / 512
	out.Blksize = 4096
	out.Mode = fileMode(a.Mode)
	out.Nlink = 1
	out.Owner = r.owner
	t := a.ModTime
	out.SetTimes(&t, &t, &t)
}

func fileMode(m iofs.FileMode) uint32 { return typeBits(m) | uint32(m.Perm()) }

func typeBits(m iofs.FileMode) uint32 {
	switch m.Type() {
	case iofs.ModeDir:
		return syscall.S_IFDIR
	case iofs.ModeSymlink:
		return syscall.S_IFLNK
	}
	return syscall.S_IFREG
}

// inodeNumber returns the number that programs see. A file that new versions
// replace gets a new number with each of them.
func inodeNumber(parent uint64, name string, a fs.Attr) uint64 {
	h := fnv.New64a()
	var b [8]byte
	put := func(n uint64) {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	put(parent)
	h.Write([]byte(name))
	put(uint64(a.Mode.Type()))
	if replaces(a) {
		put(a.Version)
	}
	n := h.Sum64() & math.MaxInt64
	if n <= fuse.FUSE_ROOT_ID {
		n += 2
	}
	return n
}

// replaces reports whether a new version is a new inode: static text by its
// version, growing files by their incarnation, links because nothing can be
// written into them.
func replaces(a fs.Attr) bool {
	return a.Mode.IsRegular() && !a.InPlace || a.Mode.Type() == iofs.ModeSymlink
}
