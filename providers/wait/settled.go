package wait

import (
	"context"

	"ctxfs/fs/await"
)

// Settled waits until everything that was noticed before is shown. Tree is [fs.Tree.Settled].
type Settled struct {
	Tree func(ctx context.Context) error
}

// Awaits implements await.Awaiter.
func (Settled) Awaits() []await.Awaitable {
	return []await.Awaitable{{Kind: "settled", Until: []string{""}}}
}

// Await implements await.Awaiter.
func (s Settled) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	if c.Name != "" || c.Until != "" {
		return nil, noSense("settled waits until what was changed before is shown, and takes no other word")
	}
	return s, nil
}

// Paths implements await.Pending.
func (Settled) Paths() []string { return nil }

// Check implements await.Pending.
func (s Settled) Check(ctx context.Context) (await.Standing, error) {
	if err := s.Tree(ctx); err != nil {
		return await.Standing{}, err
	}
	return await.Standing{State: await.Met, What: "what was changed before is shown"}, nil
}
