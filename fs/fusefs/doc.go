// Package fusefs shows a tree to the Linux kernel through FUSE. It is the only
// importer of go-fuse.
//
// # The path without messages
//
// Reading in the tree is stateless, so the kernel is told that opening and
// closing need no call: OPEN, OPENDIR and FLUSH are answered with ENOSYS once
// and never sent again. Entries, attributes, absences and listings that do not
// change by themselves are cached without limit. A file that was read once is
// then answered from the page cache with no message at all, as on a native file
// system. The price is that there are no handles: no RELEASE arrives, and a
// listing cannot be bound to one reader, so it is bound to its offsets
// (listing.go).
//
// The package implements go-fuse's raw protocol and not its node API, whose
// bridge needs handles for folders. What the bridge would do is little: number
// the inodes and count the kernel's references (inode.go).
//
// # What the kernel may keep
//
//   - Static text: everything, for ever. Its inode number is made of parent,
//     name and version, so a new version is another inode, and one entry
//     notification replaces it in one step: no reader sees half of each.
//   - Text on demand: listed with an attribute timeout of exactly zero, which
//     makes the kernel ask before the first use, when the text is measured. Its
//     size then stays with the inode.
//   - Files that change in place (on disk, or growing): the inode stays. The
//     kernel is told the size and time last published to it (file.shown), never
//     what the node says now, because pages must be dropped before a new size
//     is seen, or readers meet zero bytes; and a size is shown only when no
//     reader can still be using an older one (grow.go).
//   - Live folders: nothing of their own, no listing, name or absence. What a
//     name leads to is kept as its node says.
//
// # News
//
// A change arrives as a path (fs.Tree.Subscribe) and is only queued. Workers
// compare what the kernel knows below that path with the tree as it is now, and
// notify the kernel of every difference (notify.go). They hold no lock while
// they notify, because a notification waits in the kernel for requests under
// way, which wait for this process.
//
// # Order
//
// [New] mounts (mount.go, system_linux.go); raw.go and listing.go answer
// requests, with the inodes of inode.go, the attributes of attr.go and
// publish.go, and the errors of errno.go; changes.go queues changes, notify.go
// announces them; grow.go, leave.go and touch.go are about files that grow,
// inbox.go about files that are written, callers_linux.go about where those stand who
// write them, ahead.go about searches.
//
// # Why not
//
//   - Ordinary opens: rg over 20,000 files takes 1.2 times the native file system
//     without messages, 6.1 times with opens and long cache times, 17 times with
//     timeouts of one second.
//   - FUSE passthrough: it needs CAP_SYS_ADMIN and an open for each file. The same
//     rg took 14.8 times native.
//   - Sizes of 0, or upper bounds, for text made on demand: tail, wc -c, git, diff,
//     Node and Python each read too much or too little.
//   - The 12 background requests that go-fuse allows by default: a dozen reads that
//     hang stop every other file.
package fusefs
