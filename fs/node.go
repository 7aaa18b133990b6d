package fs

import (
	"context"
	iofs "io/fs"
	"time"
)

// SizeOnDemand is the size of a file that has not been rendered: ask
// [Tree.Stat], which measures it.
const SizeOnDemand int64 = -1

// Attr describes a node at one moment.
type Attr struct {
	// Mode holds the type and the permissions. Of the types only regular
	// files (0), iofs.ModeDir and iofs.ModeSymlink occur.
	Mode iofs.FileMode
	// Size is in bytes: exactly what reading the file to its end returns, or
	// SizeOnDemand. It is 0 for folders.
	Size int64
	// ModTime is when the facts shown last changed, not when they were
	// rendered; it survives a restart. It moves whenever Version does.
	ModTime time.Time
	// Version promises bytes: equal versions of one file have equal bytes. For a
	// file that is always or sometimes Live, it identifies the incarnation, within
	// which the file only grows. For folders it promises nothing.
	Version uint64
	// Live means that the node changes without notice, so that its size and time
	// must not be cached. A live folder's ModTime moves with every change. A file
	// may be live for a time: Env.Changed is called when that begins and ends;
	// while it is not live, it does not change.
	Live bool
	// InPlace means that a new version overwrites this file for programs that
	// have it open, instead of replacing it. A growing file is not InPlace: its
	// next incarnation replaces it.
	InPlace bool
}

// IsDir reports whether the node is a folder.
func (a Attr) IsDir() bool { return a.Mode.IsDir() }

// Node is anything that has a place in the tree: a [Dir], a [File] or a
// [Link]. Implementations are safe for concurrent use.
type Node interface {
	// Attr is cheap: from memory or one stat of a local file. Its errors are
	// those of the node's source; ErrNotExist means that the node no longer
	// exists.
	Attr(ctx context.Context) (Attr, error)
}

// Entry is one entry of a folder's listing.
type Entry struct {
	Name string
	// Type has the type bits only: 0, iofs.ModeDir or iofs.ModeSymlink.
	Type iofs.FileMode
}

// Dir is a folder.
type Dir interface {
	Node
	// Lookup returns the node of that name, or ErrNotExist. Unless the folder is
	// [Computed], it renders nothing, waits for nothing and need not look at ctx.
	Lookup(ctx context.Context, name string) (Node, error)
	// List returns all names, sorted bytewise, at the same cost as Lookup. The
	// slice is shared and never written to again; between two changes it may be the
	// same slice. Lookup finds every name in it; a lookup-only folder lists nothing
	// but a file that explains it.
	List(ctx context.Context) ([]Entry, error)
}

// Computed is a Dir whose Lookup and List compute their answers, or wait for this
// process to have computed them: a search for the words in a name, a listing that
// needs what is still being read from disk. They do so locally, without the network
// and without starting a program, within the tree's deadline (or that of a
// [Patient] node), and end soon after ctx. A name that begins with a dot, which
// tools look up in every folder on their own, is still answered at once.
type Computed interface {
	Dir
	// Computed does nothing: to have it is the statement.
	Computed()
}

// File is a regular file.
type File interface {
	Node
	// ReadAt reads len(p) bytes at offset off, as io.ReaderAt does: fewer only
	// together with an error, which at the end of the file is io.EOF.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
}

// Link is a symbolic link. Folders on disk have them, and what belongs to something that is
// shown elsewhere in full: search tools do not follow links. All else are real nodes.
type Link interface {
	Node
	Target(ctx context.Context) (string, error)
}

// Measurer is a File whose Attr may say SizeOnDemand.
type Measurer interface {
	File
	// Measure returns the Attr with the exact size, rendering the file if
	// necessary. Once measured, a version's size does not change.
	Measure(ctx context.Context) (Attr, error)
}

// Headed is a Live file that begins with a header of fixed length, which is
// rewritten in place.
type Headed interface {
	File
	// Head returns the length of the header in bytes, and a number that changes
	// whenever the header is rewritten.
	Head() (length int64, version uint64)
}

// Patient is a node whose operations may take longer than the tree's usual
// deadline, because they wait for an outcome or render a whole session.
type Patient interface {
	Node
	// Patience returns the deadline of the node's operations.
	Patience() time.Duration
}

// Inbox is a folder in which new files may be created. The body of one is a JSON
// object, which is passed on once, as soon as it is complete; or, in an inbox for texts,
// any text, which is passed on once, when it is abandoned or nothing was written to it
// for a second.
type Inbox interface {
	Dir
	// Create creates a file for a program that stands at from; how much of that is
	// known depends on how the tree is shown. Its error is ErrInvalid if the name is
	// not accepted, and ErrExist if a file of this name is being written or worked on.
	// A program that is confined is refused, unless the operation may be one that only
	// reads.
	Create(ctx context.Context, name string, from Standpoint) (Draft, error)
}

// Draft is a file being written into an [Inbox].
type Draft interface {
	// Write takes a piece of the body. The error for the piece that completes an
	// object is the inbox's verdict on it; that on a text is only in its outcome.
	//
	//  1. ErrInvalid: this is not one JSON object, or not what the inbox takes.
	//  2. ErrTooLarge: it is longer than allowed.
	//  3. any other error of the inbox, such as ErrPermission.
	Write(ctx context.Context, p []byte, off int64) (int, error)
	// Abandon reports that nothing more will be written: a text is complete then.
	// After a complete object it does nothing.
	Abandon()
}

// prompt is implemented by the nodes of this package that answer from memory or
// from a disk of this machine: the tree calls them without a goroutine to guard
// against their waiting.
type prompt interface{ prompt() bool }

func isPrompt(n Node) bool {
	p, ok := n.(prompt)
	return ok && p.prompt()
}

// typeOf returns a node's type bits without calling the node.
func typeOf(n Node) iofs.FileMode {
	switch n.(type) {
	case Dir:
		return iofs.ModeDir
	case Link:
		return iofs.ModeSymlink
	}
	return 0
}
