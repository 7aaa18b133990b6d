// Package fs is the tree that ctxfs shows: folders and files that providers
// make, before anybody decides whether a kernel, a synced folder or a command
// looks at them.
//
// # Nodes
//
// A [Node] tells its [Attr], cheaply: from memory or with one stat of a file
// on disk, never over the network. A [Dir] is a node that looks up one name
// and lists all of them; a [File] is a node that reads at an offset. Nothing
// is opened and nothing is closed: a read is (node, offset, length), so a
// kernel may answer a file that was read once from its page cache without
// asking anybody.
//
// Reading has no side effects. No method of a node calls a tool, starts a
// server or touches the network, and none waits for one. The only node that
// acts is an [Inbox], and only when a file is created in it.
//
// # Sizes and versions
//
// A file's size is what a read returns: exact, always. A file whose size
// costs a rendering says [SizeOnDemand] in its Attr and has a Measure method
// ([Measurer]); listing its folder renders nothing.
//
// Bytes are versioned: for two Attrs of one path with equal versions, reads
// return equal bytes. What a new version means to somebody who has the old one
// open differs, and the node says so:
//
//   - by default a new version replaces the file as a rename would: who has
//     the old one open goes on reading the old one, whole;
//   - an InPlace file is overwritten: a file on disk that is passed through;
//   - a Live file grows. Its version names its incarnation: as long as that
//     stays, bytes once shown stay, but for a head of fixed length ([Headed]).
//
// # Publish first, then notify
//
// Nothing changes without being told. A provider makes the new state visible
// in its nodes and then calls [Env.Changed] with the path; the tree hands
// the path to its subscribers, who only enqueue it. Live nodes may change
// unannounced, and are asked each time, but announcing them too is what lets
// others follow them.
//
// # The tree
//
// [Tree] wraps the root. It gives every operation a deadline, turns a panic
// into an error of that one operation, lets a caller leave whose context ends
// though the node does not listen, counts operations, and distributes change
// events. Everything that shows a tree (the kernel, a synced folder, the
// commands ls and cat, the io/fs view) goes through it.
//
// # Ready-made nodes
//
// [Folder] (names to nodes), [Text] (bytes in memory), [Rendered] (bytes made
// on demand), [DiskFile] and [DiskDir] (passed through), [Log] (a growing file
// on disk) and [Drop] (an inbox) cover nearly every provider.
package fs
