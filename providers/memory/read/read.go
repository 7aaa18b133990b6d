// Package read finds what agents remember: the files in which each of them keeps its
// memories, in its own form, as memories of one shape.
package read

import (
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// Options are the surroundings of a Reader.
type Options struct {
	Machine    agents.Machine
	Workspaces *workspaces.Set
	// Hide reports whether a path must not be touched; it may be nil.
	Hide func(path string) bool
	Now  func() time.Time
}

// Reader reads what agents remember. It is not safe for concurrent use.
type Reader struct {
	opts  Options
	cache files.Cache
}

// Found is what agents remember.
type Found struct {
	Memories []*fact.Memory
	// Notes are sentences about what cannot be shown.
	Notes []string
	// Watch are the files in which it is, and the folders, which end with a slash.
	Watch []string
}

// New returns a Reader that has read nothing yet.
func New(opts Options) *Reader {
	return &Reader{opts: opts, cache: files.Cache{Hide: opts.Hide}}
}

// Read reads what has changed.
func (r *Reader) Read() (found Found) {
	r.cache.Begin()
	r.cache.End()
	return found
}
