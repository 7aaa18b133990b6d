package fusefs

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// A search reads every file of a folder, one after the other, and then those of
// the next folder. Each costs a round trip to this process that takes longer
// than the reading. So once some files of a folder have been read, the small
// files of the folders that are listed next are pushed into the kernel's cache
// before they are asked for. For a program that only lists, nothing is pushed.
const (
	aheadAfter = 8                      // this many reads in one folder make a search
	aheadPause = 100 * time.Millisecond // which ends with a longer pause than this
	aheadBytes = 1 << 20                // the most bytes pushed of one folder
	aheadSmall = 64 << 10               // the largest file that is pushed
)

// search detects searches in the reads of files. Guarded by table.mu.
type search struct {
	folder *folder // folder that was read from last
	reads  int     // number of reads in it
	last   time.Time
	found  bool // whether it is a search
}

// noteRead records that a file is read from its beginning.
func (r *rawFS) noteRead(n *inode) {
	if n.parent == nil {
		return
	}
	t := now()
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	s := &r.table.search
	if t.Sub(s.last) > aheadPause {
		*s = search{}
	}
	s.last = t
	if s.folder != n.parent.folder {
		s.folder, s.reads = n.parent.folder, 0
	}
	if s.reads++; s.reads >= aheadAfter {
		s.found = true
	}
}

// readAhead pushes the files of a listing that the kernel was just given, if a
// search is under way. Searches go through a listing in either direction;
// ripgrep, the most frequent, goes backwards.
func (r *rawFS) readAhead(listed []*inode) {
	t := now()
	r.table.mu.Lock()
	searched := r.table.search.found && t.Sub(r.table.search.last) <= aheadPause
	var next []pushed
	for _, n := range listed {
		if searched && n.file != nil && n.draft == nil && !n.parent.folder.live {
			next = append(next, pushed{n, n.node})
		}
	}
	r.table.mu.Unlock()
	if len(next) > 0 {
		slices.Reverse(next)
		go r.push(next)
	}
}

type pushed struct {
	inode *inode
	node  fs.Node
}

// push pushes small files, whole, into the kernel's cache. No request waits for it,
// and errors do not matter: the kernel then asks.
func (r *rawFS) push(next []pushed) {
	buf := make([]byte, aheadSmall)
	left := aheadBytes
	for _, p := range next {
		n, err := r.pushOne(p, buf)
		if left -= n; left <= 0 || errors.Is(err, fs.ErrTimeout) {
			return
		}
	}
}

// pushOne pushes one file, unless the kernel has pages of it, and returns its
// size in bytes. If the bytes are not those that were published, they are
// dropped again: a file on disk may change at any moment, and news of it may
// come before the old bytes are there to be dropped.
func (r *rawFS) pushOne(p pushed, buf []byte) (int, error) {
	f, ok := p.node.(fs.File)
	if !ok {
		return 0, nil
	}
	file := p.inode.file
	file.mu.Lock()
	shown, fresh := file.shown, file.known && !file.read
	file.mu.Unlock()
	if !fresh || shown.Live || shown.Size <= 0 || shown.Size > int64(len(buf)) {
		return 0, nil
	}
	if shown.InPlace && now().Sub(shown.ModTime) < racyTime {
		return 0, nil
	}
	ctx := context.Background()
	file.mu.Lock()
	if fresh = !file.read; fresh {
		file.read = true // from here on news drop its pages
	}
	file.mu.Unlock()
	if !fresh {
		return 0, nil
	}
	n, err := r.tree.ReadAt(ctx, f, buf[:shown.Size], 0)
	if int64(n) != shown.Size || err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	if r.kernel().InodeNotifyStoreCache(p.inode.id, 0, buf[:n]) != fuse.OK {
		return n, nil
	}
	if shown.InPlace {
		if a, err := r.tree.Attr(ctx, p.node); err != nil || differs(shown, a) {
			r.kernel().InodeNotify(p.inode.id, 0, 0)
		}
	}
	return n, nil
}
