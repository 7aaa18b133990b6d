package fusefs

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// A file created in an inbox arrives as one CREATE and any number of WRITEs.
// Nothing announces its end: where OPEN is not implemented the kernel sends no
// RELEASE either. The inbox recognizes the end of the body.
//
// The kernel does send FORGET once the file has no name and is not open. So the
// name is removed as soon as the file is created: an unfinished body is then
// abandoned when its last writer closes it, and the same name written again is a
// new file.

// draft is a file being written into an inbox.
type draft struct {
	inbox fs.Inbox
	fs.Draft
	size atomic.Int64 // bytes written: programs that append ask for it
}

func (d *draft) attr() fs.Attr {
	return fs.Attr{Mode: 0o600, Size: d.size.Load(), ModTime: time.Unix(0, 0)}
}

func (d *draft) grow(size int64) {
	for old := d.size.Load(); old < size && !d.size.CompareAndSwap(old, size); {
		old = d.size.Load()
	}
}

// Create implements fuse.RawFileSystem.
func (r *rawFS) Create(cancel <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	r.count(opCreate)
	parent, node := r.table.get(in.NodeId)
	if parent == nil {
		return fuse.ENOENT
	}
	inbox, ok := node.(fs.Inbox)
	if !ok {
		return fuse.EROFS
	}
	ctx := newRequest(cancel)
	created, err := r.tree.Create(ctx, inbox, name, r.callers.standpoint(in.Pid))
	if err != nil {
		return status(err)
	}
	d := &draft{inbox: inbox, Draft: created}
	r.table.mu.Lock()
	n := r.table.add(&inode{parent: parent, name: name, lookups: 1, file: new(file), draft: d})
	n.ino = n.id
	r.table.mu.Unlock()
	out.EntryOut = fuse.EntryOut{NodeId: n.id, AttrValid: forever}
	r.fill(&out.Attr, n, d.attr())
	// The kernel holds the folder's lock until it has this reply, and the
	// notification waits for that lock: it cannot come too early.
	go r.notifyEntry(parent, name)
	return fuse.OK
}

func (r *rawFS) abandon(n *inode) { r.tree.Abandon(n.draft.inbox, n.draft.Draft) }

// abandonAll ends all drafts when the mount ends: after that no FORGET comes.
func (r *rawFS) abandonAll() {
	for _, n := range r.table.drafts() {
		r.abandon(n)
	}
}

// Write implements fuse.RawFileSystem.
func (r *rawFS) Write(cancel <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	r.count(opWrite)
	n, _ := r.table.get(in.NodeId)
	if n == nil {
		return 0, fuse.ENOENT
	}
	if n.draft == nil {
		return 0, fuse.EROFS
	}
	written, err := r.tree.Write(context.Background(), n.draft.inbox, n.draft.Draft, data, int64(in.Offset))
	if written > 0 {
		n.draft.grow(int64(in.Offset) + int64(written))
	}
	return uint32(written), status(err)
}

// SetAttr implements fuse.RawFileSystem: refused, except for a file being
// written into an inbox, where cp and mv set modes and times, and for this
// process's own touch.
func (r *rawFS) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	r.count(opSetattr)
	n, _ := r.table.get(in.NodeId)
	switch {
	case n == nil:
		return fuse.ENOENT
	case n.draft != nil:
		if size, ok := in.GetSize(); ok {
			n.draft.size.Store(int64(size))
		}
		r.fill(&out.Attr, n, n.draft.attr())
		return fuse.OK
	case n.file == nil || !ownThread(in.Pid):
		return fuse.EROFS
	}
	n.file.mu.Lock()
	defer n.file.mu.Unlock()
	if !n.file.known {
		return fuse.EROFS
	}
	n.file.awaitStored()
	if n.file.touch == nil {
		n.file.touch = make(chan struct{})
	}
	r.fill(&out.Attr, n, n.file.shown)
	if !n.file.shown.Live {
		out.AttrValid = forever
	}
	return fuse.OK
}
