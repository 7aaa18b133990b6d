package fusefs

import (
	"os"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// touchEnds is a kernel that hears of a size only when no touch is under way.
type touchEnds struct {
	notifier
	t *testing.T
	f *file
}

func (k touchEnds) InodeNotifyStoreCache(id uint64, off int64, data []byte) fuse.Status {
	k.f.mu.Lock()
	defer k.f.mu.Unlock()
	if k.f.touch != nil {
		k.t.Error("a size is shown while the answer to a touch may still bring an older one")
	}
	return k.notifier.InodeNotifyStoreCache(id, off, data)
}

// The kernel takes the size in the answer to a touch for the newest, however
// late it comes.
func TestSizeWaitsForTouch(t *testing.T) {
	g := newGrowingLog(t)
	g.expect("32", "stat -c %s log")
	g.Settle()
	g.raw.table.mu.Lock()
	n := g.raw.table.root.folder.entries["log"]
	g.raw.table.mu.Unlock()
	g.raw.news.kernel = touchEnds{g.raw.news.kernel, t, n.file}

	in := &fuse.SetAttrIn{}
	in.NodeId, in.Pid = n.id, uint32(os.Getpid())
	if s := g.raw.SetAttr(nil, in, new(fuse.AttrOut)); s != fuse.OK {
		t.Fatal(s)
	}
	g.grow(1)
	time.AfterFunc(10*time.Millisecond, n.file.touched)
	g.changed("log")
	g.expect("42", "stat -c %s log")
}
