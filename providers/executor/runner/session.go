package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How long, and how often, is looked whether the tree has a session that was written just
// now.
const (
	sessionTime = 5 * time.Second
	sessionTurn = 50 * time.Millisecond
)

// tellSession says where the session is in the tree, if it is there, and what its requests
// took, if the agent has not said so: one that was ended has not. A caller who has
// cancelled the run does not wait for it.
func (r *run) tellSession(why error) {
	id := r.result.Session
	if id == "" || r.mount == "" || strings.ContainsAny(id, "/\x00") {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sessionTime)
	defer cancel()
	path := "transcripts/by-id/" + id
	for !r.Tree.Has(ctx, path) {
		if errors.Is(why, errCancelled) || errors.Is(why, errKilled) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sessionTurn):
		}
	}
	dir := filepath.Join(r.mount, filepath.FromSlash(path))
	r.result.Transcript, r.result.Digest = filepath.Join(dir, "transcript.md"), filepath.Join(dir, "digest.md")
	if r.result.Usage == nil {
		r.result.Usage = r.Tree.Spent(ctx, id)
	}
}

// Terminal is a recorded terminal that an agent runs in. Its standard input and its
// errors are the terminal; its standard output is read by the runner, which shows it
// there.
type Terminal interface {
	ID() string
	Dir() string // of the recording
	Log() string // the path of the clean log
	// Slave is the side of the terminal that is the agent's, Environ the environment for
	// it.
	Slave() *os.File
	Environ() []string
	Started(pid int)
	Show(output []byte)
	// Close ends it, with the agent's exit code and the name of the signal that ended it.
	Close(exit int, signal string)
}

// Open opens a terminal that is recorded under a name, for a command in a folder.
type Open func(name string, argv []string, dir string, environ []string) (Terminal, error)
