package agents

import (
	"context"
	"path/filepath"
	"strings"

	"ctxfs/providers/transcripts/event"
)

// Machine is where an agent is looked for.
type Machine struct {
	// Home is the user's home folder, OS the system as in runtime.GOOS.
	Home, OS string
	// LookupEnv is that of the user's environment.
	LookupEnv func(string) (string, bool)
	// Projects are folders that the user allows to be searched for histories that
	// lie in repositories (Aider).
	Projects []string
}

// Env is the variable's value where it is set and not empty, else what stands
// in for it.
func (m Machine) Env(name, or string) string {
	if v, ok := m.LookupEnv(name); ok && v != "" {
		return m.expand(v)
	}
	return or
}

// expand replaces a leading ~, as agents do in their own settings.
func (m Machine) expand(path string) string {
	if path == "~" {
		return m.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(m.Home, rest)
	}
	return path
}

// Data is the folder for the data of programs of that name: ~/.local/share/name,
// or what XDG_DATA_HOME says.
func (m Machine) Data(name string) string {
	return filepath.Join(m.Env("XDG_DATA_HOME", filepath.Join(m.Home, ".local", "share")), name)
}

// Support is the folder for the settings of desktop programs: on macOS
// ~/Library/Application Support/name, else ~/.config/name.
func (m Machine) Support(name string) string {
	if m.OS == "darwin" {
		return filepath.Join(m.Home, "Library", "Application Support", name)
	}
	return filepath.Join(m.Env("XDG_CONFIG_HOME", filepath.Join(m.Home, ".config")), name)
}

// Agent is one coding agent.
type Agent struct {
	// Name is the agent's folder in the tree.
	Name string
	// Places are where its histories lie on that machine. They need not exist.
	Places func(Machine) []Place
}

// Place is a folder with histories in it.
type Place struct {
	// Dir is searched and watched with all below it.
	Dir string
	// File tells by the path below Dir alone, with slashes, whether a file is a
	// history, and how it is read; nil means that it is not ours to open. Files
	// that SQLite keeps beside a database (-wal, -shm) need not be named.
	File func(rel string) Format
	// Skip leaves out folders below Dir that hold no histories; may be nil.
	Skip func(rel string) bool
	// Closed says that folders which are linked into Dir are not looked into: it
	// is the user's, and what links lead to he has not allowed.
	Closed bool
}

// Format is a [Log] or a [Store].
type Format interface{ format() }

// Log is a file of lines that is appended to; one session.
type Log struct {
	// ID is the session's id as the file's name tells it; "" where only the
	// content does.
	ID string
	// Parent is the id of the session that this one is a subagent of, where the
	// path tells it.
	Parent string
	// Open returns a reader of the file from its beginning.
	Open func(path string) Reader
	// Rank decides between two files with the same session: the higher one
	// counts, then the newer.
	Rank int
	// Compressed says that the file is compressed with zstd and never changes.
	Compressed bool
	// Keep says that a record alone does not tell what an event's text is, so
	// that long texts are kept instead of being read from the log again.
	Keep bool
	// Archived says that the user has put the session away.
	Archived bool
}

// Reader reads a log, one line after the other. It is a pointer to a structure
// that JSON can save and restore: what it needs to go on later stands in
// exported fields, and stays small however long the log is (for ids there is
// Sink.Note). A record that is no JSON, or of no known type, is emitted as
// unknown, and is never an error.
type Reader interface {
	// Record takes a line without its end. It must not keep line.
	Record(line []byte, out event.Sink)
}

// Store holds sessions that are read whole.
type Store struct {
	// Sessions lists what the file holds. It is cheap: it reads no messages where
	// that can be avoided.
	Sessions func(ctx context.Context, path string) ([]Listed, error)
	// Read reads one of them. An error after some events leaves those standing.
	Read func(ctx context.Context, path, key string, out event.Sink) error
	// Rank is as that of Log.
	Rank int
}

// Listed is a session in a store.
type Listed struct {
	event.Session
	// Key names the session for Read.
	Key string
	// Stamp changes when the session does; "" where only the file's time tells.
	Stamp string
}

func (Log) format()   {}
func (Store) format() {}

// All is the table of agents, in the order of the tree's documentation.
func All() []Agent {
	return []Agent{
		claudeCode(), codex(), cursor(), gemini(), opencode(), copilot(), vscode(), cline(), roo(),
		goose(), zed(), crush(), aider(), continueDev(), pi(), droid(), kiro(), amp(),
	}
}
