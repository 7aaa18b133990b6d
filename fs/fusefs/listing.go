package fusefs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// A READDIR carries nothing but an offset, so the offset says which listing it
// continues: its number in the upper bits, the position of the next entry in
// the lower. It fits into 31 bits, for programs that were built for 32.
const (
	positionBits   = 24
	generationBits = 7
	keptListings   = 4
)

// plainListing is the number of entries above which a listing is sent without
// attributes: the kernel then looks up only what is used.
const plainListing = 1000

// listings are the newest listings of a folder that may still be continued.
type listings struct {
	generation uint64
	kept       [keptListings][]fs.Entry
	plain      bool // the newest is sent without attributes
}

// newest returns the last listing given to the kernel, or nil.
func (l *listings) newest() []fs.Entry { return l.kept[l.generation%keptListings] }

func (l *listings) start(entries []fs.Entry) (generation uint64) {
	if newest := l.newest(); newest != nil && slices.Equal(newest, entries) {
		return l.generation
	}
	l.generation = (l.generation + 1) % (1 << generationBits)
	l.kept[l.generation%keptListings] = entries
	return l.generation
}

// at returns the listing that an offset continues. One that is too old is
// continued in the newest, at the same place.
func (l *listings) at(offset uint64) (entries []fs.Entry, generation, position uint64) {
	generation, position = offset>>positionBits, offset&(1<<positionBits-1)
	age := (l.generation - generation) % (1 << generationBits)
	if age >= keptListings {
		generation = l.generation
	}
	return l.kept[generation%keptListings], generation, position
}

// find returns the entry of a name in a sorted listing.
func find(entries []fs.Entry, name string) (e fs.Entry, found bool) {
	i, found := slices.BinarySearchFunc(entries, name, func(e fs.Entry, name string) int {
		return strings.Compare(e.Name, name)
	})
	if found {
		e = entries[i]
	}
	return e, found
}

// ReadDir implements fuse.RawFileSystem.
func (r *rawFS) ReadDir(cancel <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	r.count(opReaddir)
	return r.readDir(cancel, in, out, false)
}

// ReadDirPlus implements fuse.RawFileSystem.
func (r *rawFS) ReadDirPlus(cancel <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	r.count(opReaddirplus)
	return r.readDir(cancel, in, out, true)
}

func (r *rawFS) readDir(cancel <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList, plus bool) fuse.Status {
	n, d, failed := r.table.dir(in.NodeId)
	if failed != fuse.OK {
		return failed
	}
	ctx := newRequest(cancel)
	epoch := r.table.epoch.Load()
	var (
		entries              []fs.Entry
		generation, position uint64
		attributes           bool
	)
	if in.Offset == 0 {
		fresh, err := r.tree.List(ctx, d)
		if err != nil {
			return status(err)
		}
		if fresh == nil {
			fresh = []fs.Entry{}
		}
		r.table.mu.Lock()
		generation = n.folder.listings.start(fresh)
		n.folder.listings.plain = len(fresh) > plainListing
		entries = n.folder.listings.newest()
		r.table.mu.Unlock()
	} else {
		r.table.mu.Lock()
		entries, generation, position = n.folder.listings.at(in.Offset)
		r.table.mu.Unlock()
	}
	if plus {
		r.table.mu.Lock()
		attributes = !n.folder.listings.plain
		r.table.mu.Unlock()
	}
	end := uint64(len(entries)) + 2
	if position >= end && r.table.isLive(n) {
		// The reader has the whole listing, and so does the kernel's cache,
		// which would answer programs that list without asking for the folder's
		// time (musl, Go). Unlike that of a name, this notification waits for
		// no request.
		r.kernel().InodeNotify(n.id, 0, 0)
	}
	var (
		names []string
		outs  []*fuse.EntryOut
	)
	for ; position < end; position++ {
		e := fuse.DirEntry{Off: generation<<positionBits | (position + 1)}
		switch position {
		case 0:
			e.Name, e.Mode, e.Ino = ".", fuse.S_IFDIR, n.ino
		case 1:
			e.Name, e.Mode, e.Ino = "..", fuse.S_IFDIR, n.ino
			if n.parent != nil {
				e.Ino = n.parent.ino
			}
		default:
			e.Name = entries[position-2].Name
			e.Mode = typeBits(entries[position-2].Type)
		}
		if !plus {
			if !out.AddDirEntry(e) {
				break
			}
			continue
		}
		entry := out.AddDirLookupEntry(e)
		if entry == nil {
			break
		}
		if position >= 2 && attributes {
			names, outs = append(names, e.Name), append(outs, entry)
		}
	}
	r.addAttributes(ctx, in.Pid, n, d, names, outs)
	r.recheck(epoch, n)
	return fuse.OK
}

// addAttributes adds attributes to the entries of a listing. An entry whose
// attributes cannot be read gets none: the kernel looks it up if it is used. After
// one that hangs the listing goes on without asking others.
func (r *rawFS) addAttributes(ctx context.Context, thread uint32, parent *inode, d fs.Dir, names []string, outs []*fuse.EntryOut) {
	if len(names) == 0 {
		return
	}
	var listed []*inode
	for i, f := range r.tree.Find(ctx, d, names...) {
		if err := check(f); err != nil {
			if errors.Is(err, fs.ErrTimeout) || errors.Is(err, fs.ErrInterrupted) {
				r.table.mu.Lock()
				parent.folder.listings.plain = true
				r.table.mu.Unlock()
			}
			continue
		}
		n, stale := r.enter(thread, outs[i], parent, names[i], f.Node, f.Attr)
		if stale {
			r.changes.stale(n)
		}
		listed = append(listed, n)
	}
	r.readAhead(listed)
}
