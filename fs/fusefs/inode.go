package fusefs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// inode is what the kernel knows of one node: it lives from the first entry
// that names it to the last FORGET.
type inode struct {
	id     uint64 // the kernel's handle, never used twice
	ino    uint64 // the number that programs see
	parent *inode // nil for the root
	name   string

	// Guarded by table.mu.
	node    fs.Node
	lookups uint64 // the kernel's references

	folder *folder // of folders
	file   *file   // of regular files
	draft  *draft  // of a file being written into an inbox
}

// folder is what the kernel knows below a folder. Guarded by table.mu.
type folder struct {
	live     bool
	entries  map[string]*inode   // the inode last given for each name
	absent   map[string]struct{} // names that the kernel holds to be absent
	stale    map[string]struct{} // names to be notified next; nil when nobody is at it
	listings listings
}

// maxAbsent bounds the absences that are remembered, and cached, per folder.
const maxAbsent = 4096

// file is what was last published to the kernel of a regular file.
type file struct {
	mu     sync.Mutex
	shown  fs.Attr
	known  bool          // shown holds something
	head   uint64        // version of the header, of a headed file
	read   bool          // the kernel may hold pages
	reads  int           // READs under way
	wanted time.Time     // since when news waits for reads to end
	force  bool          // and waits no longer
	touch  chan struct{} // closed when our own touch of the file is over; nil while there is none

	// Of a growing file:
	dirty    bool                 // the kernel may hold its last page
	dropping bool                 // which is to be dropped
	dropped  time.Time            // when it was last
	answered map[uint32]time.Time // when threads were last answered
	storing  chan struct{}        // closed when the size that is being shown is known to the kernel; nil otherwise
}

// table holds all inodes. Its lock is held for moments only, never while a
// node or the kernel is asked anything.
type table struct {
	mu     sync.Mutex
	byID   map[uint64]*inode
	next   uint64
	root   *inode
	epoch  atomic.Uint64 // moves with every change of the tree
	search search
}

func newTable(root fs.Dir) *table {
	r := &inode{id: fuse.FUSE_ROOT_ID, ino: fuse.FUSE_ROOT_ID, node: root, lookups: 1, folder: newFolder()}
	return &table{byID: map[uint64]*inode{r.id: r}, next: fuse.FUSE_ROOT_ID + 1, root: r}
}

func newFolder() *folder {
	return &folder{entries: make(map[string]*inode), absent: make(map[string]struct{})}
}

// get returns the inode and its node, or nil.
func (t *table) get(id uint64) (*inode, fs.Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.byID[id]
	if n == nil {
		return nil, nil
	}
	return n, n.node
}

// enter counts one more reference of the kernel to the node that parent has
// under name, making an inode if there is none of that number. Sure tells
// whether the kernel may rely on the name: in a live folder it must ask.
func (t *table) enter(parent *inode, name string, node fs.Node, a fs.Attr) (n *inode, sure bool) {
	ino := inodeNumber(parent.ino, name, a)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(parent.folder.absent, name)
	n = parent.folder.entries[name]
	if n == nil || n.ino != ino {
		n = t.add(&inode{ino: ino, parent: parent, name: name})
		switch {
		case a.IsDir():
			n.folder = newFolder()
		case a.Mode.IsRegular():
			n.file = new(file)
		}
		parent.folder.entries[name] = n
	}
	n.node = node
	n.lookups++
	if n.folder != nil {
		n.folder.live = a.Live
	}
	return n, !parent.folder.live
}

// add gives a new inode its number. The caller holds mu.
func (t *table) add(n *inode) *inode {
	n.id = t.next
	t.next++
	t.byID[n.id] = n
	return n
}

// forget takes back references and returns the inode if that was the last.
func (t *table) forget(id, lookups uint64) *inode {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.byID[id]
	if n == nil || n == t.root {
		return nil
	}
	if n.lookups -= min(lookups, n.lookups); n.lookups > 0 {
		return nil
	}
	delete(t.byID, id)
	if n.parent != nil && n.parent.folder.entries[n.name] == n {
		delete(n.parent.folder.entries, n.name)
	}
	return n
}

// isLive tells whether a folder changes without notice.
func (t *table) isLive(n *inode) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return n.folder.live
}

func (t *table) setLive(n *inode, live bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.folder.live = live
}

// drafts returns what is being written into inboxes.
func (t *table) drafts() (drafts []*inode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.byID {
		if n.draft != nil {
			drafts = append(drafts, n)
		}
	}
	return drafts
}

// path is where the node was found, from the root.
func (n *inode) path() string {
	if n.parent == nil {
		return ""
	}
	if p := n.parent.path(); p != "" {
		return p + "/" + n.name
	}
	return n.name
}
