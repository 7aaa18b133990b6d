package fusefs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
)

// look compares what the kernel knows with the tree, at one path or inode, and
// tells the kernel of every difference. It runs in a worker that holds nothing.
func (r *raw) look(t task) {
	if t.inode != nil {
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
	node, err := r.tree.Lookup(ctx, d, name)
	var a fs.Attr
	if err == nil {
		a, err = r.tree.Attr(ctx, node)
	}
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Not known: have the kernel ask again what it thinks it knows.
		r.dropEntry(parent, name, child)
		return child, false
	}
	if child != nil && exists && inodeNumber(parent.ino, name, a) == child.ino {
		r.table.mu.Lock()
		child.node = node
		if child.folder != nil {
			child.folder.live = a.Live
		}
		r.table.mu.Unlock()
		return child, true
	}
	if child != nil || (absent && exists) {
		r.dropEntry(parent, name, child)
	}
	if has(listed, name) != exists {
		r.kernel().InodeNotify(parent.id, 0, 0) // listing and attributes
	} else {
		r.kernel().InodeNotify(parent.id, -1, 0) // attributes
	}
	return child, false
}

// dropEntry makes the kernel look a name up again.
func (r *raw) dropEntry(parent *inode, name string, child *inode) {
	r.table.mu.Lock()
	delete(parent.folder.absent, name)
	if child != nil && parent.folder.entries[name] == child {
		delete(parent.folder.entries, name)
	}
	r.table.mu.Unlock()
	r.kernel().EntryNotify(parent.id, name)
}

// lookBelow compares everything that the kernel knows at and below an inode
// that itself is still the right one.
func (r *raw) lookBelow(n *inode) {
	if n.file != nil {
		r.refresh(n)
		return
	}
	if n.folder == nil {
		r.kernel().InodeNotify(n.id, 0, 0) // a link
		return
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
	r.kernel().InodeNotify(n.id, 0, 0)
}

// refresh publishes a file that changes in place: pages that are no longer
// right are dropped, then the new size and time are shown. In the other order
// a reader could see the zero bytes with which the kernel filled the last page.
func (r *raw) refresh(n *inode) {
	f := n.file
	r.table.mu.Lock()
	node := n.node
	r.table.mu.Unlock()
	if f == nil || n.draft != nil || f.postponed() {
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
		case a.InPlace && (old.Version != a.Version || old.Size != a.Size):
			r.kernel().InodeNotify(n.id, 0, 0)
		case a.Size != old.Size:
			r.kernel().InodeNotify(n.id, min(old.Size, a.Size), 0)
		}
		if headLen > 0 && head != oldHead {
			r.kernel().InodeNotify(n.id, 0, headLen)
		}
	}
	f.mu.Lock()
	f.shown, f.known, f.head = a, true, head
	f.mu.Unlock()
	if !a.Live {
		r.kernel().InodeNotify(n.id, -1, 0)
	}
	if read && (differs(old, a) || head != oldHead) {
		r.touch.wake(n)
	}
}

func (r *raw) kernel() notifier { return r.news.kernel }
