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

// look compares what the kernel knows with the tree, at one path or inode, and
// tells the kernel of every difference. It runs in a worker that holds nothing.
func (r *raw) look(t task) {
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
		r.lookBelow(n)
		return
	}
	names := strings.Split(t.path, "/")
	for i, name := range names {
		child, same := r.lookAt(n, name)
		if !same || child == nil {
			return
		}
		if i == len(names)-1 {
			r.lookBelow(child)
			return
		}
		if child.folder == nil {
			return
		}
		n = child
	}
}

// lookAt compares one name of a folder. It returns the kernel's inode, nil if
// it has none, and whether it stands for what is there now.
func (r *raw) lookAt(parent *inode, name string) (child *inode, unchanged bool) {
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
		// Not known: have the kernel ask again what it thinks it knows.
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
func (r *raw) forgetEntry(parent *inode, name string) {
	r.table.mu.Lock()
	delete(parent.folder.absent, name)
	delete(parent.folder.entries, name)
	r.table.mu.Unlock()
	r.notifyEntry(parent, name)
}

// notifyEntry has the kernel forget what it knows of a name. The kernel lets
// that wait as long as something is being looked up or listed in the folder. So
// that one folder that hangs holds up one worker and not all of them, whoever is
// at it also does what others leave to it.
func (r *raw) notifyEntry(parent *inode, name string) {
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

// lookBelow compares everything that the kernel knows at and below an inode
// that itself is still the right one.
func (r *raw) lookBelow(n *inode) {
	if n.file != nil {
		r.news.stale(n) // one worker at a time publishes a file
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
		if child, unchanged := r.lookAt(n, name); unchanged {
			r.lookBelow(child)
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

// notifyListing has the kernel forget a folder's listing and attributes: at
// once, and again after what is on its way (notifyAnswered).
func (r *raw) notifyListing(n *inode) {
	r.kernel().InodeNotify(n.id, 0, 0)
	r.news.stale(n)
}

// notifyAnswered has the kernel forget a folder's listing when what is being
// listed or looked up in the folder has been answered: a listing of before may
// still be on its way. A notification of a name waits for that, here of one that
// nothing has.
func (r *raw) notifyAnswered(n *inode) {
	r.notifyEntry(n, ".")
	r.kernel().InodeNotify(n.id, 0, 0)
}

// racyTime is how long after a change of a file on disk another one may not have
// moved its version: the clock that disks note times by is coarse, and watches
// report late.
const racyTime = 2 * time.Second

// refresh publishes a file that changes in place: pages that are no longer
// right are dropped, then the new size and time are shown. In the other order
// a reader could see the zero bytes with which the kernel filled the last page.
func (r *raw) refresh(n *inode) {
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
		r.lookAt(n.parent, n.name) // another incarnation
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

// notifyAttr has the kernel ask for a file's attributes again. It may not have
// the inode yet, because the answer that names it is still on its way with the
// attributes of before. A notification of the name waits for that answer.
func (r *raw) notifyAttr(n *inode) {
	if r.kernel().InodeNotify(n.id, -1, 0) == fuse.ENOENT {
		r.notifyEntry(n.parent, n.name)
	}
}

func (r *raw) kernel() notifier { return r.news.kernel }
