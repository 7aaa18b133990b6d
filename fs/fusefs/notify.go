package fusefs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// update compares what the kernel knows with the tree, at one path or inode,
// and notifies the kernel of every difference. It runs in a worker that holds
// no lock.
func (r *rawFS) update(t task) {
	switch {
	case t.inode != nil && t.inode.folder != nil:
		r.notifyAnswered(t.inode)
		return
	case t.inode != nil:
		r.refresh(t.inode)
		return
	}
	n := r.table.root
	if t.path == "" {
		r.updateBelow(n)
		return
	}
	names := strings.Split(t.path, "/")
	for i, name := range names {
		child, same := r.updateEntry(n, name)
		if !same || child == nil {
			return
		}
		if i == len(names)-1 {
			r.updateBelow(child)
			return
		}
		if child.folder == nil {
			return
		}
		n = child
	}
}

// updateEntry compares one name of a folder. It returns the kernel's inode, or nil,
// and whether the inode still stands for the node.
func (r *rawFS) updateEntry(parent *inode, name string) (child *inode, unchanged bool) {
	r.table.mu.Lock()
	child = parent.folder.entries[name]
	_, absent := parent.folder.absent[name]
	listed := parent.folder.listings.newest()
	d, _ := parent.node.(fs.Dir)
	r.table.mu.Unlock()
	if d == nil {
		return nil, false
	}
	ctx := context.Background()
	node, a, err := r.find(ctx, d, name)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Unknown: make the kernel ask again about what it may have cached.
		r.forgetEntry(parent, name)
		return child, false
	}
	if child != nil && exists && inodeNumber(parent.ino, name, a) == child.ino {
		r.table.mu.Lock()
		child.node = node
		var sure []string // names that the kernel need not ask for
		if f := child.folder; f != nil {
			if a.Live && !f.live {
				sure = slices.Collect(maps.Keys(f.entries))
				sure = slices.AppendSeq(sure, maps.Keys(f.absent))
			}
			f.live = a.Live
		}
		r.table.mu.Unlock()
		for _, name := range sure {
			r.forgetEntry(child, name)
		}
		return child, true
	}
	if child != nil || (absent && exists) {
		r.forgetEntry(parent, name)
	}
	if e, found := find(listed, name); found != exists || found && e.Type != a.Mode.Type() {
		r.notifyListing(parent)
	} else {
		r.kernel().InodeNotify(parent.id, -1, 0) // attributes
	}
	return child, false
}

// forgetEntry makes the kernel look a name up again.
func (r *rawFS) forgetEntry(parent *inode, name string) {
	r.table.mu.Lock()
	delete(parent.folder.absent, name)
	delete(parent.folder.entries, name)
	r.table.mu.Unlock()
	r.notifyEntry(parent, name)
}

// notifyEntry makes the kernel forget what it knows of a name. In the kernel
// that waits as long as a lookup or listing in the folder is under way. So that
// one folder that hangs holds up one worker and not all of them, the worker
// that is already notifying in a folder also takes over the names that others
// add.
func (r *rawFS) notifyEntry(parent *inode, name string) {
	f, mu := parent.folder, &r.table.mu
	mu.Lock()
	defer mu.Unlock()
	if f.stale != nil {
		f.stale[name] = struct{}{}
		return
	}
	f.stale = map[string]struct{}{name: {}}
	for len(f.stale) > 0 {
		names := f.stale
		f.stale = make(map[string]struct{})
		mu.Unlock()
		for name := range names {
			r.kernel().EntryNotify(parent.id, name)
		}
		mu.Lock()
	}
	f.stale = nil
}

// updateBelow compares everything that the kernel knows at and below an inode
// that still stands for its node.
func (r *rawFS) updateBelow(n *inode) {
	if n.file != nil {
		r.changes.stale(n) // one worker at a time publishes a file
		return
	}
	if n.folder == nil {
		return // a link: with another target it is another inode
	}
	r.table.mu.Lock()
	listed := n.folder.listings.newest()
	known := slices.Collect(maps.Keys(n.folder.entries))
	known = slices.AppendSeq(known, maps.Keys(n.folder.absent))
	d, _ := n.node.(fs.Dir)
	r.table.mu.Unlock()

	for _, name := range known {
		if child, unchanged := r.updateEntry(n, name); unchanged {
			r.updateBelow(child)
		}
	}
	if listed != nil && d != nil {
		if now, err := r.tree.List(context.Background(), d); err == nil && slices.Equal(now, listed) {
			r.kernel().InodeNotify(n.id, -1, 0)
			return
		}
	}
	r.notifyListing(n)
}

// notifyListing makes the kernel forget a folder's listing and attributes: at
// once, and again after the replies under way (notifyAnswered).
func (r *rawFS) notifyListing(n *inode) {
	r.kernel().InodeNotify(n.id, 0, 0)
	r.changes.stale(n)
}

// notifyAnswered makes the kernel forget a folder's listing when all listings
// and lookups under way in the folder have been answered: an older listing may
// be among them. A notification of a name waits for those, here of a name that
// does not exist.
func (r *rawFS) notifyAnswered(n *inode) {
	r.notifyEntry(n, ".")
	r.kernel().InodeNotify(n.id, 0, 0)
}

// racyTime is how long after a change of a file on disk the next change may go
// without a new version: the clock of file times is coarse, and watches report
// late.
const racyTime = 2 * time.Second

// refresh publishes a file that changes in place: it drops the outdated pages, then
// shows the new size and time. In the other order a reader could see the zero bytes
// that fill the rest of the last page.
func (r *rawFS) refresh(n *inode) {
	f := n.file
	r.table.mu.Lock()
	node := n.node
	r.table.mu.Unlock()
	if f == nil || n.draft != nil {
		return
	}
	if f.postponed() {
		return
	}
	a, err := r.tree.Attr(context.Background(), node)
	if err != nil || (!a.Live && !a.InPlace) {
		return
	}
	if inodeNumber(n.parent.ino, n.name, a) != n.ino {
		r.updateEntry(n.parent, n.name) // another incarnation
		return
	}
	var headLen int64
	var head uint64
	if h, ok := node.(fs.Headed); ok {
		headLen, head = h.Head()
	}

	f.mu.Lock()
	old, oldHead, read := f.shown, f.head, f.read
	f.mu.Unlock()
	if read {
		switch {
		case !a.InPlace:
			r.dropTail(n)
		case old.Version != a.Version || old.Size != a.Size || now().Sub(a.ModTime) < racyTime:
			r.kernel().InodeNotify(n.id, 0, 0)
			f.hasDropped()
		}
		if headLen > 0 && head != oldHead {
			r.kernel().InodeNotify(n.id, 0, headLen)
		}
		if a.Size > old.Size {
			f.awaitLeft()
		}
	}
	r.show(n, node, a, head)
	if !a.Live || !old.Live {
		r.notifyAttr(n)
	}
	if read && (differs(old, a) || head != oldHead) {
		r.touch.wake(n)
	}
}

// notifyAttr makes the kernel ask for a file's attributes again. It may not
// have the inode yet, because the reply that names it is still on its way with
// the old attributes. A notification of the name waits for that reply.
func (r *rawFS) notifyAttr(n *inode) {
	if r.kernel().InodeNotify(n.id, -1, 0) == fuse.ENOENT {
		r.notifyEntry(n.parent, n.name)
	}
}

func (r *rawFS) kernel() notifier { return r.changes.kernel }
