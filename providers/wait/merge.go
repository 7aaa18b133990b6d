package wait

import (
	"context"
)

// Asked waits for one condition, as [Waiter.Wait] does.
type Asked func(ctx context.Context, tell func(Standing)) (Standing, error)

// Merge waits for several conditions at once: until all are met or one never will be; or,
// if one is enough, until one is met or none will ever be. It returns how each stands then,
// in order, which for those that are not decided is as it was last told, and how all stand
// together: as the first that decided it. Where some condition makes no sense, names nothing that exists, or an error
// occurs, it ends at once with that.
func Merge(ctx context.Context, one bool, all []Asked) (together Standing, each []Standing, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type news struct {
		i    int
		s    Standing
		err  error
		last bool
	}
	told := make(chan news)
	for i, ask := range all {
		go func() {
			send := func(n news) {
				select {
				case told <- n:
				case <-ctx.Done():
				}
			}
			s, err := ask(ctx, func(s Standing) { send(news{i: i, s: s}) })
			send(news{i, s, err, true})
		}()
	}
	each = make([]Standing, len(all))
	for left := len(all); ; {
		select {
		case <-ctx.Done():
			return Standing{}, each, context.Cause(ctx)
		case n := <-told:
			if n.err != nil {
				return Standing{}, each, n.err
			}
			each[n.i] = n.s
			if !n.last {
				continue
			}
			left--
			switch {
			case n.s.State == NoSense, n.s.State == Unnamed, left == 0, one == (n.s.State == Met):
				return n.s, each, nil
			}
		}
	}
}
