package fusefs

import (
	"context"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// A file created in an inbox arrives as one CREATE and any number of WRITEs.
// Nothing announces its end: where OPEN is not implemented the kernel sends
// no RELEASE either. The inbox recognises the end of the body by itself.
//
// What the kernel does send is FORGET, once the file has no name and nobody
// has it open. So the name is taken away as soon as the file is created: an
// unfinished body is then abandoned when its last writer closes it, and the
// same name written again is a new file.

// Create implements fuse.RawFileSystem.
func (r *raw) Create(cancel <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
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
	defer ctx.done()
	draft, err := r.tree.Create(ctx, inbox, name)
	if err != nil {
		return status(err)
	}
	r.table.mu.Lock()
	n := r.table.add(&inode{parent: parent, name: name, lookups: 1, file: new(file), inbox: inbox, draft: draft})
	n.ino = n.id
	r.table.mu.Unlock()
	out.EntryOut = fuse.EntryOut{NodeId: n.id, AttrValid: forever}
	r.fill(&out.Attr, n, draftAttr())
	// The kernel holds the folder's lock until it has this answer, and the
	// notification waits for that lock: it cannot come too early.
	go r.kernel().EntryNotify(parent.id, name)
	return fuse.OK
}

func draftAttr() fs.Attr { return fs.Attr{Mode: 0o600, ModTime: time.Unix(0, 0)} }

// Write implements fuse.RawFileSystem.
func (r *raw) Write(cancel <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	r.count(opWrite)
	n, _ := r.table.get(in.NodeId)
	if n == nil {
		return 0, fuse.ENOENT
	}
	if n.draft == nil {
		return 0, fuse.EROFS
	}
	written, err := r.tree.Write(context.Background(), n.inbox, n.draft, data, int64(in.Offset))
	return uint32(written), status(err)
}

// SetAttr implements fuse.RawFileSystem: refused, but for a file being written
// into an inbox, where cp and mv set modes and times, and for our own touch.
func (r *raw) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	r.count(opSetattr)
	n, _ := r.table.get(in.NodeId)
	switch {
	case n == nil:
		return fuse.ENOENT
	case n.draft != nil:
		r.fill(&out.Attr, n, draftAttr())
		return fuse.OK
	case n.file == nil || !ownThread(in.Pid):
		return fuse.EROFS
	}
	n.file.mu.Lock()
	defer n.file.mu.Unlock()
	if !n.file.known {
		return fuse.EROFS
	}
	r.fill(&out.Attr, n, n.file.shown)
	return fuse.OK
}
