package runner

import (
	"context"
	"errors"
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
