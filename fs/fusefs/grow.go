package fusefs

import (
	"context"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// How a growing file is published. The kernel fills the last page of a file
// with zero bytes after the end. A reader takes the page first and the size
// some instructions later, so a new size may only be shown when no reader has
// that page any more (awaitLeft). Therefore the last page is dropped soon after
// each read of it, and in quiet times it is long gone when the file grows: the
// size is shown at once. While programs read all the time, growth waits for
// leaveTime.
//
// The size itself goes to the kernel with the last byte of the file, as
// something to keep in its cache. A size that comes with attributes makes the
// kernel cut its pages to it some instructions later, which may be too late;
// this way does not, and the attributes that follow are nothing new. From then
// on the kernel ignores attributes that were asked for before, except those
// that answer a touch (touch.go).

// dropTime is how long after a read the last page is dropped. It leaves time
// for the reader, who would otherwise have to read the page again.
const dropTime = 2 * time.Millisecond

// grows reports whether others append to a file, and may be doing so now.
func grows(a fs.Attr) bool { return a.Live && !a.InPlace }

// pageSize is at most the size of the kernel's pages.
const pageSize = 4096

// dropSoon reports whether the caller must schedule dropping a page: one that may
// be held and is not about to be dropped. The caller holds mu.
func (f *file) dropSoon() bool {
	soon := f.dirty && !f.dropping
	f.dropping = f.dropping || soon
	return soon
}

// dropTail drops the last page and all after it, if the kernel may have it.
func (r *rawFS) dropTail(n *inode) {
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

// show publishes the new state of a file that changes in place. One worker at a
// time calls it.
func (r *rawFS) show(n *inode, node fs.Node, a fs.Attr, head uint64) {
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
		// The first byte of a page makes a whole page.
		f.dirty = f.dirty || (a.Size-1)%pageSize == 0
	}
	close(f.storing)
	f.storing = nil
	f.mu.Unlock()
}

// storeSize gives the kernel the last byte of a file, and with it its size.
func (r *rawFS) storeSize(n *inode, node fs.File, size int64) (stored bool) {
	var last [1]byte
	if got, _ := r.tree.ReadAt(context.Background(), node, last[:], size-1); got < 1 {
		return false
	}
	return r.kernel().InodeNotifyStoreCache(n.id, size-1, last[:]) == fuse.OK
}

// awaitStored waits, for a limited time, until the kernel knows the size that
// is shown. The caller holds mu, which is released meanwhile.
func (f *file) awaitStored() {
	if f.storing != nil {
		f.await(f.storing, waitForNews)
	}
}

func (f *file) await(done <-chan struct{}, most time.Duration) {
	f.mu.Unlock()
	defer f.mu.Lock()
	select {
	case <-done:
	case <-time.After(most):
	}
}
