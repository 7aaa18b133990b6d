package fusefs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// inode is what the kernel knows about one node: it lives from the first entry that
// names it to the last FORGET.
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
	absent   map[string]struct{} // names that the kernel caches as absent
	stale    map[string]struct{} // names to be notified next; nil when no worker is notifying
	listings listings
}

// maxAbsent bounds the absences that are remembered, and cached, per folder.
const maxAbsent = 4096

// file is what was last published to the kernel of a regular file.
type file struct {
	mu     sync.Mutex
	shown  fs.Attr
	known  bool          // shown is valid
	head   uint64        // version of the header, of a headed file
	read   bool          // the kernel may hold pages
	reads  int           // READs under way
	wanted time.Time     // since when news waits for reads to end
	force  bool          // news waits no longer
	touch  chan struct{} // closed when our own touch of the file is over; or nil

	// Of a growing file:
	dirty    bool                 // the kernel may hold its last page
	dropping bool                 // the page is about to be dropped
	dropped  time.Time            // when it was last dropped
	answered map[uint32]time.Time // when threads were last answered
	storing  chan struct{}        // closed when the kernel knows the size that is being shown; nil otherwise
}

// table holds all inodes. Its lock is held only briefly, never during a call of
// a node or of the kernel.
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

// dir returns the inode of a folder and its node, or the error for a node that is
// not a folder.
func (t *table) dir(id uint64) (*inode, fs.Dir, fuse.Status) {
	n, node := t.get(id)
	if n == nil {
		return nil, nil, fuse.ENOENT
	}
	d, ok := node.(fs.Dir)
	if !ok {
		return nil, nil, fuse.ENOTDIR
	}
	return n, d, fuse.OK
}

// enter counts one more reference of the kernel to the node that parent has under
// name, and creates an inode with that number if necessary. Sure reports whether
// the kernel may rely on the name: in a live folder it must ask.
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

// forget drops references and returns the inode if that was the last.
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

// isLive reports whether a folder changes without notice.
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

// drafts returns all files being written into inboxes.
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

// path returns where the node was found, from the root.
func (n *inode) path() string {
	if n.parent == nil {
		return ""
	}
	if p := n.parent.path(); p != "" {
		return p + "/" + n.name
	}
	return n.name
}
