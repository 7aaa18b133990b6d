package transcripts

import (
	"context"

	"ctxfs/fs"
)

// The operations of this provider.
var (
	// OpSession finds the session that is meant, see [Provider.Session].
	OpSession = fs.Op[Wanted, Known]{Name: "session"}
	// OpSessions lists the sessions, the newest first, see [Provider.Sessions].
	OpSessions = fs.Op[SessionsQuery, []Known]{Name: "sessions"}
)

// SessionsQuery narrows a list of sessions.
type SessionsQuery struct {
	// Below has only those listed that began at or below a folder, which is given
	// by all of its names; nil lists all.
	Below []string `json:"below,omitempty"`
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpSession.Handle(p.Session),
		OpSessions.Handle(func(ctx context.Context, q SessionsQuery) ([]Known, error) { return p.Sessions(ctx, q.Below) }),
	}
}
