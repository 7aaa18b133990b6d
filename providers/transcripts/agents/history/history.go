// Package history describes where coding agents keep their sessions and how
// they are read.
//
// An [Agent] has [Place] values: folders that are searched and watched. A file in
// one of them is in one of two formats. A [Log] is a file of lines, one session,
// that is only appended to: its [Reader] takes one line after the other, and is
// saved between two runs. A [Store] is anything else, a database or a document
// that is rewritten: it lists its sessions, and each is read whole when it has
// changed.
//
// Only files that an agent names are ever opened ([Place.File]): credentials lie
// beside histories.
package history

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Machine is the computer and the user whose histories are looked for.
type Machine struct {
	// Home is the user's home folder, OS the system as in runtime.GOOS.
	Home, OS string
	// LookupEnv looks up a variable of the user's environment.
	LookupEnv func(string) (string, bool)
	// Projects are folders where the user allows a search for histories that are
	// kept inside repositories (Aider).
	Projects []string
}

// Env returns the value of an environment variable, or "" where it is unset. A
// leading ~ in the value is expanded, as agents do.
func (m Machine) Env(name string) string {
	if v, ok := m.LookupEnv(name); ok && v != "" {
		return wording.ExpandTilde(v, m.Home)
	}
	return ""
}

// Folders returns the folders of the sessions of the agent with that id, as its
// description has them ([agents.Agent]).
func (m Machine) Folders(agent string) []string {
	return agents.Machine{Home: m.Home, OS: m.OS, LookupEnv: m.LookupEnv}.Paths(agents.ByID(agent).Sessions...)
}

// Agent is one coding agent.
type Agent struct {
	// Name is the agent's folder in the tree.
	Name string
	// Places returns where the agent keeps its histories on a machine. The folders
	// need not exist.
	Places func(Machine) []Place
}

// Place is a folder that contains histories.
type Place struct {
	// Dir is searched and watched, with all folders below it.
	Dir string
	// File returns how a file is read, or nil for a file that must not be opened.
	// It decides by rel alone, the path below Dir with slashes. The files that
	// SQLite keeps beside a database (-wal, -shm) need not be named.
	File func(rel string) Format
	// Skip reports whether a folder below Dir contains no histories and is left
	// out; may be nil.
	Skip func(rel string) bool
	// NoLinks disables following symbolic links below Dir: it is one of the user's
	// own folders, and the user has not allowed what the links lead to.
	NoLinks bool
}

// InFolder returns an agent that keeps its histories in the first of its folders, which
// is searched as a place says.
func InFolder(name string, like Place) Agent {
	return Agent{Name: name, Places: func(m Machine) []Place {
		return []Place{{Dir: m.Folders(name)[0], File: like.File, Skip: like.Skip}}
	}}
}

// OneFile returns the place of a file that has nothing beside or below it.
func OneFile(path string, format Format) Place {
	return Place{Dir: filepath.Dir(path), Skip: func(string) bool { return true }, File: func(rel string) Format {
		if rel == filepath.Base(path) {
			return format
		}
		return nil
	}}
}

// Format is a [Log] or a [Store].
type Format interface{ format() }

// Log is the format of a file of lines that is only appended to: one session.
type Log struct {
	// ID is the session's id according to the file's name; "" if only the content
	// has it.
	ID string
	// Parent is the id of the session that started this one as a subagent, if the
	// path has it.
	Parent string
	// Open returns a reader of the file from its beginning.
	Open func(path string) Reader
	// Rank decides between files with the same session: the highest one is read,
	// among equal ones the newest.
	Rank int
	// Compressed is set for a file that is compressed with zstd and never changes.
	Compressed bool
	// KeepTexts is set if a record alone does not determine the text of its event:
	// long texts are then stored instead of being read from the log again.
	KeepTexts bool
	// Archived is set where the user has archived the session.
	Archived bool
	// Spent reads the requests to models that a log has, whole; nil where the agent's
	// logs do not say what a request took.
	Spent func(log Spending, out func(facts.ModelCall))
}

// Reader reads a log, one line after the other. It is a pointer to a struct that
// encoding/json can save and restore: what it needs to continue later is in
// exported fields, and stays small however long the log is (for ids there is
// [event.Sink.Note]). A record that is not JSON, or of an unknown type, is emitted
// as [event.Unknown] and is never an error.
type Reader interface {
	// Record reads a line without its line ending. It must not retain line.
	Record(line []byte, out event.Sink)
}

// Store is the format of a file whose sessions are read whole.
type Store struct {
	// Sessions lists the sessions in the file. It is cheap: it reads no messages if
	// that can be avoided. With a [Partial] error the list is usable.
	Sessions func(ctx context.Context, path string) ([]Entry, error)
	// Read reads the session with an entry's key. After an error the events that
	// were emitted before it remain.
	Read func(ctx context.Context, path, key string, out event.Sink) error
	// Rank is as in [Log].
	Rank int
	// Spent is as in [Log]: it reads the requests of the session with an entry's key.
	Spent func(ctx context.Context, path, key string, out func(facts.ModelCall)) error
}

// Entry is a session in a store's list.
type Entry struct {
	event.Session
	// Key identifies the session to [Store.Read].
	Key string
	// Stamp changes when the session does; "" if only the file's modification time
	// shows changes.
	Stamp string
}

func (Log) format()   {}
func (Store) format() {}

// Partial is the error for a store of an unknown version. What could be
// understood was read, and is returned with the error.
type Partial struct {
	// Lacks names what is missing, or is there by another name.
	Lacks []string
}

// Error implements error.
func (p *Partial) Error() string {
	return "its version is unknown, and it is shown as far as it is understood: " + strings.Join(p.Lacks, ", ")
}

// StampOf returns an [Entry.Stamp] derived from values that change with a session.
func StampOf(values ...any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ":")
}

// FileStamp returns an [Entry.Stamp] that changes when one of the files does.
func FileStamp(paths ...string) string {
	var s strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&s, "%d-%d ", info.Size(), info.ModTime().UnixNano())
		} else {
			s.WriteString("- ")
		}
	}
	return s.String()
}

// Spending is a log from which the requests to models are read.
type Spending struct {
	// Session is the id of the session.
	Session string
	// Root is the id of the session with which a line of forks begins; it is "" for one
	// that is no fork, or one of a session that is not there.
	Root string
	// Lines are those of the log, each valid until the next.
	Lines iter.Seq[[]byte]
}

// CallKey returns what identifies a request, of the values that do: texts and numbers. It
// is never 0.
func CallKey(values ...any) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		switch v := v.(type) {
		case string:
			h.Write([]byte(v))
			h.Write([]byte{0})
		case int64:
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
		}
	}
	return max(h.Sum64(), 1)
}

// maxCount is the largest count of tokens that is believed.
const maxCount = 1 << 40

// Count returns a count of tokens: the first of some fields that is a number.
func Count(v lazyjson.Value, names ...string) int64 {
	for _, name := range names {
		if n := v.Get(name); n.Type == lazyjson.Number {
			return int64(min(max(n.Num, 0), maxCount))
		}
	}
	return 0
}

// Filled returns tokens whose sum an agent reports, too: what is missing in the parts is
// output, or, where that is known, reasoning.
func Filled(t facts.Tokens, total int64) facts.Tokens {
	switch missing := total - t.Total(); {
	case missing <= 0:
	case t.Output == 0:
		t.Output = missing
	default:
		t.Reasoning += missing
	}
	return t
}
