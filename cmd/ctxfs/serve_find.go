package main

import (
	"context"

	"ctxfs/fs"
	"ctxfs/mounts/gateway"
)

func (b *backend) Find(ctx context.Context, q gateway.Query) ([]gateway.Match, error) {
	var found []fs.Match
	if err := b.look(ctx, "find", findArgs{Query: q.Words, In: q.In, Limit: q.Limit}, &found, nil); err != nil {
		return nil, err
	}
	matches := make([]gateway.Match, len(found))
	for i, m := range found {
		matches[i] = gateway.Match{Path: m.Path, Why: m.Why}
	}
	return matches, nil
}
