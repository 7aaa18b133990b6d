package wait

import (
	"context"

	"ctxfs/fs/await"
)

// Asked waits for one condition, as [Waiter.Wait] does.
type Asked func(ctx context.Context, tell func(await.Standing)) (await.Standing, error)

// Merge waits for several conditions at once: until all are met or one never will be; or,
// if one is enough, until one is met or none will ever be. It returns how each stands then,
// in order, which for those that are not decided is as it was last told, and how all stand
// together: as the first that decided it. Where some condition makes no sense, names nothing that exists, or an error
// occurs, it ends at once with that.
func Merge(ctx context.Context, one bool, all []Asked) (together await.Standing, each []await.Standing, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type news struct {
		i    int
		s    await.Standing
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
			s, err := ask(ctx, func(s await.Standing) { send(news{i: i, s: s}) })
			send(news{i, s, err, true})
		}()
	}
	each = make([]await.Standing, len(all))
	for left := len(all); ; {
		select {
		case <-ctx.Done():
			return await.Standing{}, each, context.Cause(ctx)
		case n := <-told:
			if n.err != nil {
				return await.Standing{}, each, n.err
			}
			each[n.i] = n.s
			if !n.last {
				continue
			}
			left--
			switch {
			case n.s.State == await.NoSense, n.s.State == await.Unnamed, left == 0, one == (n.s.State == await.Met):
				return n.s, each, nil
			}
		}
	}
}
