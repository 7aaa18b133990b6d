package fusefs

import (
	"context"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// How a growing file is published. The kernel fills the last page of a file
// with zero bytes behind the end. Whoever reads takes the page first and the
// size some instructions later, so a size may only be shown when nobody has
// that page any more (awaitLeft). Therefore the last page is dropped soon after
// each time that it was read, and in quiet times it is long gone when the file
// grows: the size is shown at once. While somebody reads all the time, growth
// waits for leaveTime.
//
// The size itself goes to the kernel with the last byte of the file, as
// something to keep in its cache. Sizes that come with attributes make it cut
// its pages to them some instructions later, which may be too late; this way
// does not, and the attributes that follow tell it nothing new. Attributes that
// were asked for before are of no account to it from then on, but for those that
// answer a touch (touch.go).

// dropTime is how long after a read the last page is dropped. It leaves time for
// the reader, who would have to read the page again.
const dropTime = 2 * time.Millisecond

// grows tells whether a file is one that others append to, and somebody may be
// doing it now.
func grows(a fs.Attr) bool { return a.Live && !a.InPlace }

// pageSize is at most the size of the kernel's pages.
const pageSize = 4096

// dropSoon tells whether a page is to be dropped of which nobody knows yet. The
// caller holds mu.
func (f *file) dropSoon() bool {
	soon := f.dirty && !f.dropping
	f.dropping = f.dropping || soon
	return soon
}

// dropTail drops the last page and what is behind it, if the kernel may have
// it.
func (r *raw) dropTail(n *inode) {
	f := n.file
	f.mu.Lock()
	dirty, size := f.dirty, f.shown.Size
	f.dirty, f.dropping = false, false
	f.mu.Unlock()
	if !dirty {
		return
	}
	r.kernel().InodeNotify(n.id, size, 0)
	f.hasDropped()
}

func (f *file) hasDropped() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped = now()
}

// show shows what a file that changes in place has become. One worker at a time does.
func (r *raw) show(n *inode, node fs.Node, a fs.Attr, head uint64) {
	f := n.file
	f.mu.Lock()
	f.awaitTouched()
	text, grown := node.(fs.File)
	grown = grown && f.known && !a.InPlace && a.Size > f.shown.Size
	f.shown, f.known, f.head = a, true, head
	if grown {
		f.storing = make(chan struct{})
	}
	f.mu.Unlock()
	if !grown {
		return
	}
	stored := r.storeSize(n, text, a.Size)
	f.mu.Lock()
	if stored {
		// The first byte of a page makes a whole one of it.
		f.dirty = f.dirty || (a.Size-1)%pageSize == 0
	}
	close(f.storing)
	f.storing = nil
	f.mu.Unlock()
}

// storeSize gives the kernel the last byte of a file, and with it its size.
func (r *raw) storeSize(n *inode, node fs.File, size int64) (stored bool) {
	var last [1]byte
	if got, _ := r.tree.ReadAt(context.Background(), node, last[:], size-1); got < 1 {
		return false
	}
	return r.kernel().InodeNotifyStoreCache(n.id, size-1, last[:]) == fuse.OK
}

// awaitStored waits, though not for ever, until the kernel knows the size that
// is shown. The caller holds mu, which is let go meanwhile.
func (f *file) awaitStored() {
	if f.storing != nil {
		f.await(f.storing, waitForNews)
	}
}

func (f *file) await(done <-chan struct{}, most time.Duration) {
	f.mu.Unlock()
	defer f.mu.Lock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
