package fusefs

import (
	"context"
	"errors"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// errnos translates errors into numbers, the only place that does. The first match
// wins.
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

// maxErrno bounds the numbers that the kernel accepts: a reply with any other
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

// All operations that would change the tree fail in the same way: go-fuse's default
// is "not implemented", which the kernel takes as success for some of them.

func (r *rawFS) refuse() fuse.Status {
	r.count(opRefused)
	return fuse.EROFS
}

func (r *rawFS) Mknod(<-chan struct{}, *fuse.MknodIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Mkdir(<-chan struct{}, *fuse.MkdirIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Unlink(<-chan struct{}, *fuse.InHeader, string) fuse.Status { return r.refuse() }

func (r *rawFS) Rmdir(<-chan struct{}, *fuse.InHeader, string) fuse.Status { return r.refuse() }

func (r *rawFS) Rename(<-chan struct{}, *fuse.RenameIn, string, string) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Link(<-chan struct{}, *fuse.LinkIn, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Symlink(<-chan struct{}, *fuse.InHeader, string, string, *fuse.EntryOut) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Tmpfile(<-chan struct{}, *fuse.CreateIn, *fuse.CreateOut) fuse.Status {
	return r.refuse()
}

func (r *rawFS) Fallocate(<-chan struct{}, *fuse.FallocateIn) fuse.Status { return r.refuse() }

func (r *rawFS) CopyFileRange(<-chan struct{}, *fuse.CopyFileRangeIn) (uint32, fuse.Status) {
	return 0, r.refuse()
}

func (r *rawFS) Ioctl(<-chan struct{}, *fuse.IoctlIn, []byte, *fuse.IoctlOut, []byte) fuse.Status {
	return fuse.Status(syscall.ENOTTY)
}
