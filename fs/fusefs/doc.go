// Package fusefs shows a tree to the Linux kernel through FUSE. It is the only
// importer of go-fuse.
//
// # The path without messages
//
// Reading in the tree is stateless, so the kernel is told that opening and
// closing need no call: OPEN, OPENDIR and FLUSH are answered with ENOSYS once
// and never come again. Entries, attributes, absences and listings that do not
// change by themselves are cached without limit. A file that was read once is
// then answered from the page cache with no message at all, as on a native
// file system. The price is that there are no handles: no RELEASE arrives, and
// a listing cannot be bound to one reader, so it is bound to its offsets
// (listing.go).
//
// The package implements go-fuse's raw protocol and not its node API, whose
// bridge cannot do without handles for folders. What the bridge would do is
// little: number the inodes and count the kernel's references (inode.go).
//
// # What the kernel may keep
//
//   - Static text: everything, for ever. Its inode number is made of parent,
//     name and version, so a new version is another inode, and one entry
//     notification replaces it in one step: no reader sees half of each.
//   - Text on demand: listed with an attribute timeout of exactly zero, which
//     makes the kernel ask before the first use, when it is measured. Its size
//     then stays with the inode.
//   - Files that change in place (on disk, or growing): the inode stays. What
//     the kernel is told of size and time is what was last published to it
//     (inode.shown), never what the node says now, because pages must be
//     dropped before a new size is seen, or readers meet zero bytes; and a size
//     is shown only while nobody is still taking in an older one (grow.go).
//   - Live folders: nothing of their own, no listing, name or absence. What a
//     name leads to is kept as its node says.
//
// # News
//
// A change arrives as a path (fs.Tree.Subscribe) and is only queued. Workers
// compare what the kernel knows below that path with the tree as it is now,
// and notify the kernel of every difference (notify.go). They hold no lock
// while they notify, because a notification waits in the kernel for requests
// under way, which wait for us.
package fusefs
