package wait

import (
	"context"
)

// Settled waits until everything that was noticed before is shown. Tree is [fs.Tree.Settled].
type Settled struct {
	Tree func(ctx context.Context) error
}

// Awaits implements Awaiter.
func (Settled) Awaits() []Awaitable { return []Awaitable{{Kind: "settled", Until: []string{""}}} }

// Await implements Awaiter.
func (s Settled) Await(_ context.Context, c Condition) (Pending, error) {
	if c.Name != "" || c.Until != "" {
		return nil, noSense("settled waits until what was changed before is shown, and takes no other word")
	}
	return s, nil
}

// Paths implements Pending.
func (Settled) Paths() []string { return nil }

// Check implements Pending.
func (s Settled) Check(ctx context.Context) (Standing, error) {
	if err := s.Tree(ctx); err != nil {
		return Standing{}, err
	}
	return Standing{State: Met, What: "what was changed before is shown"}, nil
}
