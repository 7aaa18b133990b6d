// Package fs is the tree that ctxfs shows: folders and files that providers
// make, whether a kernel, a synced folder or a command then reads them.
//
// # Nodes
//
// A [Node] returns its [Attr] cheaply: from memory or with one stat of a file
// on disk, never over the network. A [Dir] is a node that looks up one name
// and lists all of them; a [File] is a node that reads at an offset. Nothing
// is opened or closed: a read is (node, offset, length), so a kernel may serve
// a file that was read once from its page cache without asking again.
//
// Reading has no side effects. No method of a node calls a tool, starts a
// server or touches the network, and none waits for one. The only node that
// acts is an [Inbox], and only when a file is created in it. A folder whose
// lookups are more than a lookup, such as a search, is [Computed].
//
// # Sizes and versions
//
// A file's size is what a read returns: exact, always. A file whose size
// costs a rendering has [SizeOnDemand] in its Attr and a Measure method
// ([Measurer]); listing its folder renders nothing.
//
// Bytes are versioned: for two Attrs of one path with equal versions, reads
// return equal bytes. What a new version means to a program that has the old
// one open depends on the node:
//
//  1. By default a new version replaces the file as a rename would: the program
//     goes on reading the old one, whole.
//  2. An InPlace file is overwritten: a file on disk that is passed through.
//  3. A Live file grows. Its version names its incarnation: as long as that
//     stays, bytes once shown stay, except in a header of fixed length
//     ([Headed]).
//
// # Publish first, then notify
//
// Every change is announced. A provider makes the new state visible in its
// nodes and then calls [Env.Changed] with the path; the tree passes the path to
// its subscribers, which only enqueue it. Live nodes may change unannounced,
// and are asked each time, but announcing them too is what lets other programs
// follow them.
//
// # The tree
//
// [Tree] wraps the root. It gives every operation a deadline, turns a panic
// into an error of that one operation, returns when the caller's context ends
// even if the node ignores it, counts operations, and distributes change
// events. Everything that shows a tree (the kernel, a synced folder, the
// commands ls and cat, the io/fs view of package fstest) goes through it.
//
// The tree is the same for all readers: the kernel caches it for all, so no
// operation knows its caller. The exception is [Inbox.Create], which is told where
// its caller stands ([Standpoint]).
//
// # Ready-made nodes
//
// [Folder] (names to nodes), [Text] (bytes in memory), [Rendered] (bytes made
// on demand), [DiskFile] and [DiskDir] (passed through), [Log] (a growing file
// on disk) and package drop (an inbox) cover nearly every provider.
//
// # Providers
//
// A [Provider] is a folder of the root and what is known about it. What else it has
// (a life, settings, documents to be found, operations) it offers by small optional
// interfaces, which are listed there; each says when it is called, by what, how
// often, and what holds after Close. An [Op] is a question with the types of
// question and answer, declared once where it is answered. The example is a whole
// provider with settings, a watch and an operation.
package fs
