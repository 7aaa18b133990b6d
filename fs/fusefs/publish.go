package fusefs

import (
	"time"

	"ctxfs/fs"
)

// publishAttr returns the attributes that the kernel gets for a node whose Attr is
// a, and for how many seconds they are valid. Stale reports that the node has
// changed since it was last published, which must be done first (catchUp).
func (n *inode) publishAttr(thread uint32, node fs.Node, a fs.Attr) (shown fs.Attr, valid uint64, stale bool) {
	valid = forever
	if a.Live {
		valid = 0
	}
	f := n.file
	if f == nil {
		return a, valid, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.awaitStored()
	if !a.Live && !a.InPlace {
		shown, valid = f.publishText(a)
		return shown, valid, false
	}
	if !f.known || !f.read && a.InPlace {
		// The kernel holds no page that could be wrong.
		f.publish(node, a)
	}
	if grows(a) {
		f.noteThread(thread)
	}
	return f.shown, valid, differs(f.shown, a)
}

// waitForNews is how long a request waits for the change that it found to be
// published.
const waitForNews = 100 * time.Millisecond

// catchUp publishes a file that has changed without a notification, or ahead of it,
// and returns what is then shown. The worker that publishes may have to wait for
// reads; the request waits for it, for a limited time.
func (r *rawFS) catchUp(n *inode) fs.Attr {
	select {
	case <-r.changes.stale(n):
	case <-time.After(waitForNews):
	}
	n.file.mu.Lock()
	defer n.file.mu.Unlock()
	n.file.awaitStored()
	return n.file.shown
}

// publishText remembers a size that cost a rendering: if the kernel were told
// "unknown" again while it holds the inode, it would truncate what is mapped.
func (f *file) publishText(a fs.Attr) (fs.Attr, uint64) {
	if a.Size == fs.SizeOnDemand && f.known {
		a.Size = f.shown.Size
	}
	if a.Size == fs.SizeOnDemand {
		return a, 0
	}
	f.shown, f.known = a, true
	return a, forever
}

func (f *file) publish(node fs.Node, a fs.Attr) {
	f.shown, f.known = a, true
	if h, ok := node.(fs.Headed); ok {
		_, f.head = h.Head()
	}
}

func differs(a, b fs.Attr) bool {
	return a.Size != b.Size || a.Version != b.Version || a.Mode != b.Mode || !a.ModTime.Equal(b.ModTime)
}

func (f *file) beginRead(thread uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if grows(f.shown) {
		f.noteThread(thread)
	}
	f.read = true
	f.dirty = true
	f.reads++
}

// waitForReads is how long the news of a file waits for its reads to end. After
// that it is published anyway, by a worker that may have to wait in the kernel.
const waitForReads = 100 * time.Millisecond

// endRead publishes news that waited for the reads of the file to end.
func (r *rawFS) endRead(n *inode) {
	f := n.file
	f.mu.Lock()
	ready := !f.wanted.IsZero() && (f.reads == 1 || now().Sub(f.wanted) > waitForReads)
	f.reads--
	if ready {
		f.force = true
	}
	drop := f.reads == 0 && grows(f.shown) && f.dropSoon()
	f.mu.Unlock()
	if ready {
		r.changes.stale(n)
	}
	if drop {
		time.AfterFunc(dropTime, func() { r.changes.stale(n) })
	}
}

// postponed reports whether news of the file must wait: dropping a page waits
// in the kernel for a read of it that is under way, and would hold up a worker
// for as long as a provider hangs.
func (f *file) postponed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reads > 0 && !f.force {
		if f.wanted.IsZero() {
			f.wanted = now()
		}
		return true
	}
	f.wanted, f.force = time.Time{}, false
	return false
}
