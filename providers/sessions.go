package providers

import (
	"context"

	"ctxfs/providers/transcripts"
)

// Session finds a session of an agent. The error may be a
// [*transcripts.UnclearError].
func (s *Set) Session(ctx context.Context, w transcripts.Wanted) (transcripts.Known, error) {
	return s.transcripts.Session(ctx, w)
}

// Sessions lists the sessions of all agents, the newest first; those that began
// at or below a folder, if it is given, in any of its names.
func (s *Set) Sessions(ctx context.Context, below []string) ([]transcripts.Known, error) {
	return s.transcripts.Sessions(ctx, below)
}
