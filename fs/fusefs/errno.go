package fusefs

import (
	"context"
	"errors"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// errnos is the one place where errors become numbers. The first match counts.
var errnos = []struct {
	err   error
	errno syscall.Errno
}{
	{fs.ErrNotExist, syscall.ENOENT},
	{fs.ErrReadOnly, syscall.EROFS},
	{fs.ErrPermission, syscall.EACCES},
	{fs.ErrExist, syscall.EEXIST},
	{fs.ErrInvalid, syscall.EINVAL},
	{fs.ErrNotDir, syscall.ENOTDIR},
	{fs.ErrIsDir, syscall.EISDIR},
	{fs.ErrTooLarge, syscall.EFBIG},
	{fs.ErrTimeout, syscall.ETIMEDOUT},
	{fs.ErrInterrupted, syscall.EINTR},
	{fs.ErrBroken, syscall.EIO},
	{context.DeadlineExceeded, syscall.ETIMEDOUT},
	{context.Canceled, syscall.EINTR},
}

// maxErrno bounds the numbers that the kernel takes: a reply with another one
// would be lost. ENOSYS would end the operation for the whole mount.
const maxErrno = 512

func status(err error) fuse.Status {
	if err == nil {
		return fuse.OK
	}
	for _, e := range errnos {
		if errors.Is(err, e.err) {
			return fuse.Status(e.errno)
		}
	}
	errno := syscall.Errno(0)
	if errors.As(err, &errno) && 0 < errno && errno < maxErrno && errno != syscall.ENOSYS {
		return fuse.Status(errno)
	}
	return fuse.EIO
}

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
