package facts

import (
	"context"
	"time"
)

// VisitSource is a provider that knows in which folders on disk agents and people
// have worked.
type VisitSource interface {
	// Visits returns the folders with work since then, each once, in any order. It
	// is called after the provider has changed, at most every few seconds, and
	// answers from memory.
	Visits(since time.Time) []Visit
}

// Visit is a folder on disk in which an agent or a person has worked.
type Visit struct {
	// Dir is its absolute path. The folder need not exist any more.
	Dir string
	// Time is when the last work there happened.
	Time time.Time
	// Certain reports whether the folder is what was worked on even if it is no
	// repository: that of an agent's session is, one that a shell has passed through
	// is not.
	Certain bool
}

// Briefer is a provider with facts about a folder on disk that is worked in, for
// the page HERE.md of that folder.
type Briefer interface {
	// Brief returns what there is to say about what is at and below a folder, an
	// absolute path without symbolic links. Of each topic it returns what matters
	// most first, and no more than a reader would want; the page cuts further. It is
	// called after the provider has changed, at most every few seconds, and answers
	// from memory. Equal facts give equal remarks: they state times, not ages.
	Brief(dir string) []Remark
}

// Remark is a line about a folder on disk.
type Remark struct {
	Topic Topic
	// Text is one line of Markdown. What in it is foreign is made safe and quoted.
	Text string
	// Cells are instead of Text where the topic is a table.
	Cells []string
	// Path is where more is, relative to the provider's root; "" if there is no more.
	Path string
	// Time is when that was so, or changed; zero if that does not matter.
	Time time.Time
}

// Topic is the part of a page in which a [Remark] stands.
type Topic string

// The topics, in the order of the page.
const (
	TopicNotes    Topic = "notes"    // left for the next to work here
	TopicBuild    Topic = "build"    // commands that built and tested it
	TopicFailing  Topic = "failing"  // commands that failed and were not repeated with success
	TopicTasks    Topic = "tasks"    // what is still open
	TopicSessions Topic = "sessions" // of agents
	TopicRunning  Topic = "running"  // programs, servers and ports
	TopicMemory   Topic = "memory"   // what is remembered of the project
	TopicRules    Topic = "rules"    // by name
	TopicSkills   Topic = "skills"   // by name
)

// TopicAgents is a table of the sessions that are alive: the agent, the session's id,
// when it was last heard of (RFC 3339), what it does, the file that it last read or
// wrote, and the path of its transcript from the tree's root.
const TopicAgents Topic = "agents"

// Overview is a provider whose pages are made of what other providers say.
type Overview interface {
	// Refresh reports that a [VisitSource] or [Briefer] may have changed, or the set of
	// workspaces. It is called after Start, by one goroutine at a time, at most every
	// few seconds however often they change, and again after their last change.
	Refresh()
}

// EditSource is a provider that knows which agents have worked on files on disk.
type EditSource interface {
	// Edits returns what was done at and below a folder, an absolute path without
	// symbolic links, that has not ended before since: of each file only the last that
	// is known, in any order, and no more than a reader would want. It is called after
	// the provider has changed, at most every few seconds, and answers from memory.
	Edits(dir string, since time.Time) []Edit
}

// Edit is something by which files on disk may have changed.
type Edit struct {
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

// ReadSource is a provider that knows what sessions of agents last saw of files on disk.
type ReadSource interface {
	// Reads returns what the session with an id, or the only one whose id begins so, last
	// saw of the files at and below a folder, an absolute path, in any order. It may read all of the session's log,
	// and ends soon after ctx. The error is [fs.ErrNotExist] if there is no such session.
	Reads(ctx context.Context, session, dir string) ([]Read, error)
}

// Read is what a session last saw of a file. What it wrote itself, it has seen.
type Read struct {
	// File is the path of the file, absolute where the session's folder is known.
	File string `json:"file"`
	// Time is when the session last saw it; zero if its agent stores no times.
	Time time.Time `json:"time,omitzero"`
	// Parts are the pieces of its text that the session has seen, in the order of
	// their lines as far as that is known; empty if the text is not known.
	Parts []ReadPart `json:"parts,omitempty"`
	// Whole reports whether there is one part, the whole file.
	Whole bool `json:"whole,omitempty"`
	// Gone reports whether the session has deleted the file itself.
	Gone bool `json:"gone,omitempty"`
}

// ReadPart is a piece of a file: whole lines, with "\n" as their ends.
type ReadPart struct {
	// Line is the number of the first line, from 1; 0 if it is not known.
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}
