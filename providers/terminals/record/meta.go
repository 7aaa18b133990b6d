package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
)

// The states of a terminal.
const (
	Idle    = "idle"    // the shell waits for a command, or does not report what it does
	Running = "running" // a command runs
	Ended   = "ended"   // it is closed
)

const metaVersion = 1

// MetaFile is the file of the Meta.
const MetaFile = "meta.json"

// Meta is what is known about a terminal: the content of meta.json. All text in it
// is clean, and masked where it was typed. The terminal's ID is the name of its
// folder.
type Meta struct {
	Version int      `json:"version"`
	Name    string   `json:"name,omitempty"` // as it was given
	Source  string   `json:"source"`         // Term, Run or Tmux
	Argv    []string `json:"argv,omitempty"` // the shell or the command
	Pane    string   `json:"pane,omitempty"`
	// Background reports whether a command (Run) has a holder of its own, to which windows
	// can be attached, instead of the process that was told to run it.
	Background bool `json:"background,omitempty"`
	// Tree is the value of the variable that marks everything that a command has started,
	// or "".
	Tree string `json:"tree,omitempty"`
	Pid  int    `json:"pid,omitempty"` // of the shell or the command
	// Holder is the process that writes this; HolderStart distinguishes it from
	// a later one with the same number.
	Holder      int        `json:"holder"`
	HolderStart string     `json:"holder_start,omitempty"`
	Started     time.Time  `json:"started"`
	Ended       *time.Time `json:"ended,omitempty"`
	Exit        *int       `json:"exit"` // of the shell or the command, once it has ended; null if unknown
	Signal      string     `json:"signal,omitempty"`
	Cols        int        `json:"cols"`
	Rows        int        `json:"rows"`
	Cwd         string     `json:"cwd"`
	State       string     `json:"state"`
	// Command is the running command, and CommandAt where its output begins.
	Command        string     `json:"command,omitempty"`
	CommandStarted *time.Time `json:"command_started,omitempty"`
	CommandAt      *Place     `json:"command_at,omitempty"`
	LastCommand    string     `json:"last_command,omitempty"`
	LastExit       *int       `json:"last_exit"`
	Commands       int        `json:"commands"` // how many were started
	HeaderLen      int64      `json:"header_len"`
	Parts          int        `json:"parts"` // the number of the newest
	// Fault is why nothing can be written now, or nil.
	Fault *Fault `json:"fault,omitempty"`
}

// Fault is why a terminal that continues is not recorded.
type Fault struct {
	What  string    `json:"what"`
	Since time.Time `json:"since"`
}

// Place is a place in the log.
type Place struct {
	Part int   `json:"part"` // the number of its part
	Byte int64 `json:"byte"` // offset in that file
	Line int64 `json:"line"` // of that file, from 1
}

// metaRoom is the least size of meta.json. The file is padded to it, so that
// new content can be written over it when the disk is full.
const metaRoom = 4 << 10

// save replaces meta.json or, if that fails, overwrites it.
func (d *folder) save(m Meta) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(clean.JSON(text), '\n')
	padded := append(text, bytes.Repeat([]byte{' '}, max(0, metaRoom-len(text)-1))...)
	if len(padded) > len(text) {
		padded = append(padded, '\n')
	}
	err = atomicfile.Write(d.file(MetaFile), padded)
	if err == nil {
		return nil
	}
	f, inPlace := os.OpenFile(d.file(MetaFile), os.O_WRONLY, 0)
	if inPlace != nil {
		return err
	}
	defer f.Close()
	info, inPlace := f.Stat()
	if inPlace != nil || info.Size() < int64(len(text)) {
		return err
	}
	if missing := int(info.Size()) - len(padded); missing > 0 {
		padded = append(padded, bytes.Repeat([]byte{'\n'}, missing)...)
	}
	_, inPlace = f.WriteAt(padded[:info.Size()], 0)
	return errors.Join(inPlace)
}

// exitPointer returns a pointer to an exit code, nil for -1.
func exitPointer(exit int) *int {
	if exit < 0 {
		return nil
	}
	return &exit
}

// timestamp returns a time as it is written: to the millisecond, in UTC.
func timestamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func momentOf(t time.Time) *time.Time {
	t = timestamp(t)
	return &t
}
