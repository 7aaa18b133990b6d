package fusefs

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// touchInterval is the shortest time between two touches of one file.
const touchInterval = 50 * time.Millisecond

// toucher wakes programs that follow a live file by inotify. Nothing that a
// FUSE server does makes an inotify event, only what comes through the mount:
// so the file is touched there, which changes nothing (SetAttr) but is seen as
// a modification. No program waits for it, but the next size does: the kernel
// takes the size in the reply for the newest, however late it comes, and cuts
// the file to it.
type toucher struct {
	root string

	mu      sync.Mutex
	waiting map[*inode]bool // false: a touch is under way; true: and another is wanted
	stopped bool
}

func newToucher(root string) *toucher { return &toucher{root: root, waiting: make(map[*inode]bool)} }

func (t *toucher) wake(n *inode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	if _, ok := t.waiting[n]; ok {
		t.waiting[n] = true
		return
	}
	t.waiting[n] = false
	go t.touch(n)
}

func (t *toucher) touch(n *inode) {
	// An error means that the file or the mount is gone.
	_ = setNow(filepath.Join(t.root, n.path()))
	n.file.touched()
	time.AfterFunc(touchInterval, func() {
		t.mu.Lock()
		wanted := t.waiting[n] && !t.stopped
		if wanted {
			t.waiting[n] = false
		} else {
			delete(t.waiting, n)
		}
		t.mu.Unlock()
		if wanted {
			t.touch(n)
		}
	})
}

func (f *file) touched() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.touch != nil {
		close(f.touch)
		f.touch = nil
	}
}

// awaitTouched waits, for a limited time, until no touch of the file is under
// way. The caller holds mu, which is released meanwhile.
func (f *file) awaitTouched() {
	for begun := now(); f.touch != nil && now().Sub(begun) < longestWay; {
		f.await(f.touch, longestWay)
	}
}

// stop has no file touched any more, or again.
func (t *toucher) stop(is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = is
}

// ownThread reports whether a request came from this process: the kernel sends
// the number of the thread.
func ownThread(pid uint32) bool {
	_, err := os.Stat("/proc/self/task/" + strconv.FormatUint(uint64(pid), 10))
	return err == nil
}
