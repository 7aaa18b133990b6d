package wait

import (
	"context"

	"ctxfs/fs"
)

// Settled waits until everything that was noticed before is shown. Tree is [fs.Tree.Settled].
type Settled struct {
	Tree func(ctx context.Context) error
}

// Awaits implements fs.Awaiter.
func (Settled) Awaits() []fs.Awaitable {
	return []fs.Awaitable{{Kind: "settled", Until: []string{""}}}
}

// Await implements fs.Awaiter.
func (s Settled) Await(_ context.Context, c fs.Condition) (fs.Pending, error) {
	if c.Name != "" || c.Until != "" {
		return nil, noSense("settled waits until what was changed before is shown, and takes no other word")
	}
	return s, nil
}

// Paths implements fs.Pending.
func (Settled) Paths() []string { return nil }

// Check implements fs.Pending.
func (s Settled) Check(ctx context.Context) (fs.Standing, error) {
	if err := s.Tree(ctx); err != nil {
		return fs.Standing{}, err
	}
	return fs.Standing{State: fs.Met, What: "what was changed before is shown"}, nil
}
