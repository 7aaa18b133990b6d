package fusefs

import (
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// Everything that would change the tree is refused in the same words: an
// operation left to go-fuse's default would be "not implemented", which for
// some the kernel takes as success.

func (r *raw) refuse() fuse.Status {
	r.count(opRefused)
	return fuse.EROFS
}

func (r *raw) Mknod(<-chan struct{}, *fuse.MknodIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *raw) Mkdir(<-chan struct{}, *fuse.MkdirIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *raw) Unlink(<-chan struct{}, *fuse.InHeader, string) fuse.Status { return r.refuse() }

func (r *raw) Rmdir(<-chan struct{}, *fuse.InHeader, string) fuse.Status { return r.refuse() }

func (r *raw) Rename(<-chan struct{}, *fuse.RenameIn, string, string) fuse.Status {
	return r.refuse()
}

func (r *raw) Link(<-chan struct{}, *fuse.LinkIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *raw) Symlink(<-chan struct{}, *fuse.InHeader, string, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *raw) Tmpfile(<-chan struct{}, *fuse.CreateIn, *fuse.CreateOut) fuse.Status {
	return r.refuse()
}

func (r *raw) Fallocate(<-chan struct{}, *fuse.FallocateIn) fuse.Status { return r.refuse() }

func (r *raw) CopyFileRange(<-chan struct{}, *fuse.CopyFileRangeIn) (uint32, fuse.Status) {
	return 0, r.refuse()
}

func (r *raw) Ioctl(<-chan struct{}, *fuse.IoctlIn, []byte, *fuse.IoctlOut, []byte) fuse.Status {
	return fuse.Status(syscall.ENOTTY)
}
