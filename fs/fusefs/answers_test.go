package fusefs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// touchEnds is a kernel that learns of a size only when no touch is under way.
type touchEnds struct {
	notifier
	t     *testing.T
	f     *file
	shown chan<- struct{}
}

func (k touchEnds) InodeNotifyStoreCache(id uint64, off int64, data []byte) fuse.Status {
	k.f.mu.Lock()
	defer k.f.mu.Unlock()
	if k.f.touch != nil {
		close(k.shown)
		k.t.Error("a size is shown while the answer to a touch may still bring an older one")
	}
	return k.notifier.InodeNotifyStoreCache(id, off, data)
}

// The kernel takes the size in the answer to a touch for the newest, however
// late it comes.
func TestSizeWaitsForTouch(t *testing.T) {
	g := newGrowingLog(t)
	g.expect("32", "stat -c %s log")
	settle(t, g)
	g.raw.table.mu.Lock()
	n := g.raw.table.root.folder.entries["log"]
	g.raw.table.mu.Unlock()
	shown := make(chan struct{})
	g.raw.changes.kernel = touchEnds{g.raw.changes.kernel, t, n.file, shown}

	in := &fuse.SetAttrIn{}
	in.NodeId, in.Pid = n.id, uint32(os.Getpid())
	if s := g.raw.SetAttr(nil, in, new(fuse.AttrOut)); s != fuse.OK {
		t.Fatal(s)
	}
	g.grow(1)
	n.file.mu.Lock()
	touch := n.file.touch
	n.file.mu.Unlock()
	g.tree.Changed("log")
	select {
	case touch <- struct{}{}: // the size waits for the touch
	case <-shown:
	}
	n.file.touched()
	settle(t, g)
	g.expect("42", "stat -c %s log")
}

// lateInode is a kernel that does not know of a file yet.
type lateInode struct {
	notifier
	names chan string
}

func (k lateInode) InodeNotify(uint64, int64, int64) fuse.Status { return fuse.ENOENT }

func (k lateInode) EntryNotify(_ uint64, name string) fuse.Status {
	k.names <- name
	return fuse.OK
}

// News of a file that come before the reply that names it make the kernel ask
// for the name again.
func TestNewsBeforeTheAnswer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note")
	write := func(s string) {
		fstest.Must(t, os.WriteFile(path, []byte(s), 0o600))
	}
	write("one\n")
	m := mounted(t, must(fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return true }})), fs.TreeOptions{})
	m.expect("4", "stat -c %s note")
	settle(t, m)
	names := make(chan string, 10)
	m.raw.changes.kernel = lateInode{m.raw.changes.kernel, names}
	write("two and more\n")
	m.changed("note")
	settle(t, m)
	if len(names) == 0 {
		t.Error("the kernel keeps what it was told before")
	}
}

// heard is a kernel that records the notifications of one folder.
type heard struct {
	notifier
	id uint64

	mu   sync.Mutex
	said []string
}

func (k *heard) note(id uint64, what string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id == k.id {
		k.said = append(k.said, what)
	}
}

func (k *heard) InodeNotify(id uint64, off, n int64) fuse.Status {
	k.note(id, fmt.Sprintf("forget %d", off))
	return k.notifier.InodeNotify(id, off, n)
}

func (k *heard) EntryNotify(id uint64, name string) fuse.Status {
	k.note(id, "wait")
	return k.notifier.EntryNotify(id, name)
}

// An old listing may be on its way when the folder changes: it is forgotten
// once more after its reply, for which the notification of a name waits.
func TestListingIsForgottenAfterAnswers(t *testing.T) {
	root := fs.NewFolder(epoch, map[string]fs.Node{"a": text("a")})
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("a", "ls")
	settle(t, m)
	kernel := &heard{notifier: m.raw.changes.kernel, id: fuse.FUSE_ROOT_ID}
	m.raw.changes.kernel = kernel
	root.Set(epoch, "b", text("b"))
	m.changed("b")
	settle(t, m)
	kernel.mu.Lock()
	said := kernel.said
	kernel.mu.Unlock()
	if last := strings.Join(said[max(0, len(said)-2):], ", "); said == nil || last != "wait, forget 0" {
		t.Errorf("the kernel was told: %q", said)
	}
	m.expect("a\nb", "ls")
}
