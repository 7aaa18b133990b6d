package fs

import (
	"context"
	"time"
)

// Witness is a Provider that knows who has worked on files on disk.
type Witness interface {
	// Deeds returns what was done at and below a folder, an absolute path without
	// symbolic links, that has not ended before since: of each file only the last that
	// is known, in any order, and no more than a reader would want. It is called after
	// the provider has changed, at most every few seconds, and answers from memory.
	Deeds(dir string, since time.Time) []Deed
}

// Deed is something by which files on disk may have changed.
type Deed struct {
	// By is the path of what tells of it, relative to the provider's root: a session's
	// folder, a terminal's log.
	By string
	// Session is the id of the session that did it; "" if none did.
	Session string
	// File is the absolute path of the file that was written, or only read; "" for a
	// program, which may have changed any file below Dir.
	File string
	Read bool
	// Dir is where a program was started, Command its command line, made safe.
	Dir, Command string
	// Start is when a program was started, End when it ended, zero if it still runs.
	// Of a file only End is set, to when it was written or read; zero if that is not
	// known.
	Start, End time.Time
}

// Onlooker is a Provider that knows what sessions of agents last saw of files on disk.
type Onlooker interface {
	// Seen returns what the session with an id, or the only one whose id begins so, last
	// saw of the files at and below a folder, an absolute path, in any order. It may read all of the session's log,
	// and ends soon after ctx. The error is [ErrNotExist] if there is no such session.
	Seen(ctx context.Context, session, dir string) ([]Sight, error)
}

// Sight is what a session last saw of a file. What it wrote itself, it has seen.
type Sight struct {
	// File is the path of the file, absolute where the session's folder is known.
	File string `json:"file"`
	// Time is when the session last saw it; zero if its agent stores no times.
	Time time.Time `json:"time,omitzero"`
	// Parts are the pieces of its text that the session has seen, in the order of
	// their lines as far as that is known; empty if the text is not known.
	Parts []SightPart `json:"parts,omitempty"`
	// Whole reports whether there is one part, the whole file.
	Whole bool `json:"whole,omitempty"`
	// Gone reports whether the session has deleted the file itself.
	Gone bool `json:"gone,omitempty"`
}

// SightPart is a piece of a file: whole lines, with "\n" as their ends.
type SightPart struct {
	// Line is the number of the first line, from 1; 0 if it is not known.
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}
