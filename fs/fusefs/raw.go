package fusefs

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// rawFS answers the kernel's requests.
type rawFS struct {
	fuse.RawFileSystem // for what is not implemented: ENOSYS

	tree    *fs.Tree
	table   *table
	changes *changeQueue
	touch   *toucher
	owner   fuse.Owner
	callers *callers

	// Whether the kernel accepts ENOSYS as the reply to OPEN and to OPENDIR; an
	// older one would pass it on to programs.
	noOpen, noOpendir bool

	counts [opCount]atomic.Uint64
}

// Init implements fuse.RawFileSystem.
func (r *rawFS) Init(s *fuse.Server) {
	kernel := s.KernelSettings()
	r.noOpen = kernel.SupportsVersion(7, 23)
	r.noOpendir = kernel.SupportsVersion(7, 29)
	r.changes.kernel = s
}

func (r *rawFS) String() string { return "ctxfs" }

// Lookup implements fuse.RawFileSystem.
func (r *rawFS) Lookup(cancel <-chan struct{}, header *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	r.count(opLookup)
	parent, d, failed := r.table.dir(header.NodeId)
	if failed != fuse.OK {
		return failed
	}
	ctx := newRequest(cancel)
	epoch := r.table.epoch.Load()
	child, a, err := r.find(ctx, d, name)
	switch {
	case err == nil:
		if n, stale := r.enter(header.Pid, out, parent, name, child, a); stale {
			r.fill(&out.Attr, n, r.catchUp(n))
		}
	case errors.Is(err, fs.ErrNotExist):
		if !r.rememberAbsent(ctx, parent, d, name) {
			return fuse.ENOENT
		}
		*out = fuse.EntryOut{EntryValid: forever}
	default:
		return status(err)
	}
	r.recheck(epoch, parent, name)
	return fuse.OK
}

// find looks a name up and returns its attributes.
func (r *rawFS) find(ctx context.Context, d fs.Dir, name string) (fs.Node, fs.Attr, error) {
	f := r.tree.Find(ctx, d, name)[0]
	return f.Node, f.Attr, check(f)
}

// check returns an error if a node does not have the type that its Attr names:
// everything that follows relies on that.
func check(f fs.Found) error {
	if f.Err != nil {
		return f.Err
	}
	t := f.Attr.Mode.Type()
	switch f.Node.(type) {
	case fs.Dir:
		if t == iofs.ModeDir {
			return nil
		}
	case fs.File:
		if t == 0 {
			return nil
		}
	case fs.Link:
		if t == iofs.ModeSymlink {
			return nil
		}
	}
	return fmt.Errorf("%w: %T reports the type %v", fs.ErrBroken, f.Node, t)
}

// rememberAbsent records that the kernel caches a name as absent, and reports
// whether it may.
func (r *rawFS) rememberAbsent(ctx context.Context, parent *inode, d fs.Dir, name string) bool {
	a, err := r.tree.Attr(ctx, d)
	if err != nil || a.Live {
		return false
	}
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if len(parent.folder.absent) >= maxAbsent {
		return false
	}
	parent.folder.absent[name] = struct{}{}
	return true
}

// recheck queues a place where the tree may have changed while a reply was on its
// way to the kernel: the notification may have come before there was anything to
// correct.
func (r *rawFS) recheck(epoch uint64, n *inode, names ...string) {
	if r.table.epoch.Load() == epoch {
		return
	}
	path := n.path()
	for _, name := range names {
		if path != "" {
			path += "/"
		}
		path += name
	}
	r.changes.changed(path)
}

// enter gives the kernel an entry and counts the reference. Stale is that of
// publishAttr.
func (r *rawFS) enter(thread uint32, out *fuse.EntryOut, parent *inode, name string, node fs.Node, a fs.Attr) (n *inode, stale bool) {
	n, sure := r.table.enter(parent, name, node, a)
	*out = fuse.EntryOut{NodeId: n.id}
	if sure {
		out.EntryValid = forever
	}
	a, out.AttrValid, stale = n.publishAttr(thread, node, a)
	r.fill(&out.Attr, n, a)
	return n, stale
}

// GetAttr implements fuse.RawFileSystem. It renders text on demand, and waits
// for outcomes.
func (r *rawFS) GetAttr(cancel <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	r.count(opGetattr)
	n, node := r.table.get(in.NodeId)
	if n == nil {
		return fuse.ENOENT
	}
	if n.draft != nil {
		r.fill(&out.Attr, n, n.draft.attr())
		return fuse.OK
	}
	ctx := newRequest(cancel)
	epoch := r.table.epoch.Load()
	a, err := r.tree.Stat(ctx, node)
	if err != nil {
		return status(err)
	}
	if n.folder != nil {
		r.table.setLive(n, a.Live)
	}
	a, valid, stale := n.publishAttr(in.Pid, node, a)
	if stale {
		a = r.catchUp(n)
	}
	out.AttrValid = valid
	r.fill(&out.Attr, n, a)
	r.recheck(epoch, n)
	return fuse.OK
}

// Read implements fuse.RawFileSystem.
func (r *rawFS) Read(cancel <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	r.count(opRead)
	n, node := r.table.get(in.NodeId)
	if n == nil {
		return nil, fuse.ENOENT
	}
	f, ok := node.(fs.File)
	if !ok {
		return nil, fuse.EINVAL // a file being written
	}
	n.file.beginRead(in.Pid)
	defer r.endRead(n)
	if in.Offset == 0 {
		r.noteRead(n)
	}
	ctx := newRequest(cancel)
	size := min(len(buf), int(in.Size))
	got, err := r.tree.ReadAt(ctx, f, buf[:size], int64(in.Offset))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, status(err)
	}
	if got == 0 && in.Offset > 0 {
		// The kernel asks for nothing beyond the size it knows: the file has
		// become shorter. Of several empty replies it would take the last for
		// the new size, and fill what is before with zero bytes.
		return nil, fuse.Status(syscall.ESTALE)
	}
	return fuse.ReadResultData(buf[:got]), fuse.OK
}

// Readlink implements fuse.RawFileSystem.
func (r *rawFS) Readlink(cancel <-chan struct{}, header *fuse.InHeader) ([]byte, fuse.Status) {
	r.count(opReadlink)
	n, node := r.table.get(header.NodeId)
	if n == nil {
		return nil, fuse.ENOENT
	}
	l, ok := node.(fs.Link)
	if !ok {
		return nil, fuse.EINVAL
	}
	ctx := newRequest(cancel)
	target, err := r.tree.Target(ctx, l)
	return []byte(target), status(err)
}

// Access implements fuse.RawFileSystem. The kernel's own permission check would
// answer "permission denied"; without it an ordinary user gets the same error
// as root: the file system is read-only.
func (r *rawFS) Access(cancel <-chan struct{}, in *fuse.AccessIn) fuse.Status {
	r.count(opAccess)
	n, node := r.table.get(in.NodeId)
	if n == nil {
		return fuse.ENOENT
	}
	if n.draft != nil {
		return fuse.OK
	}
	_, inbox := node.(fs.Inbox)
	if in.Mask&fuse.W_OK != 0 && !inbox {
		return fuse.EROFS
	}
	if in.Mask&fuse.X_OK != 0 && n.file != nil {
		ctx := newRequest(cancel)
		if a, err := r.tree.Attr(ctx, node); err == nil && a.Mode&0o111 == 0 {
			return fuse.EACCES
		}
	}
	return fuse.OK
}

// Open implements fuse.RawFileSystem: it is called once, if the kernel supports
// that.
func (r *rawFS) Open(_ <-chan struct{}, _ *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	r.count(opOpen)
	if r.noOpen {
		return fuse.ENOSYS
	}
	out.OpenFlags = fuse.FOPEN_KEEP_CACHE
	return fuse.OK
}

// OpenDir implements fuse.RawFileSystem: it is called once, if the kernel
// supports that.
func (r *rawFS) OpenDir(_ <-chan struct{}, _ *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	r.count(opOpendir)
	if r.noOpendir {
		return fuse.ENOSYS
	}
	out.OpenFlags = fuse.FOPEN_KEEP_CACHE | fuse.FOPEN_CACHE_DIR
	return fuse.OK
}

// Flush implements fuse.RawFileSystem: ENOSYS, so that it is called once.
func (r *rawFS) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status {
	r.count(opFlush)
	return fuse.ENOSYS
}

// StatFs implements fuse.RawFileSystem.
func (r *rawFS) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	r.count(opStatfs)
	*out = fuse.StatfsOut{Bsize: 4096, Frsize: 4096, NameLen: 255}
	return fuse.OK
}

// Forget implements fuse.RawFileSystem.
func (r *rawFS) Forget(id, lookups uint64) {
	r.count(opForget)
	if n := r.table.forget(id, lookups); n != nil && n.draft != nil {
		go r.abandon(n)
	}
}

// now returns the wall clock; only the throttling of touches depends on it.
func now() time.Time { return time.Now() }

// request is the context of one kernel request. It allocates nothing, because most
// requests are answered from memory: the kernel's interrupt channel is its Done.
// The tree copes with spurious interrupts.
type request struct{ cancel <-chan struct{} }

func newRequest(cancel <-chan struct{}) request { return request{cancel} }

func (r request) Deadline() (time.Time, bool) { return time.Time{}, false }
func (r request) Done() <-chan struct{}       { return r.cancel }
func (r request) Value(any) any               { return nil }

func (r request) Err() error {
	select {
	case <-r.cancel:
		return context.Canceled
	default:
		return nil
	}
}
