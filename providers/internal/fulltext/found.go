package fulltext

import (
	"context"

	tree "ctxfs/fs"
	"ctxfs/fs/facts"
)

// FileName is the name of the database in a provider's cache folder.
const FileName = "fulltext.db"

// Find searches as Search does, and returns what match makes of those hits that it wants,
// with what speaks for each.
func (x *Index) Find(ctx context.Context, q Query, match func(h Hit, all []Hit) (m facts.Match, ok bool)) (facts.Findings, error) {
	result, err := x.Search(ctx, q)
	if err != nil {
		return facts.Findings{}, err
	}
	found := facts.Findings{Shares: result.Shares, Guessed: result.Guessed}
	for _, h := range result.Hits {
		if m, ok := match(h, result.Hits); ok {
			m.Score, m.Evidence.Words, m.Evidence.Together = h.Score, h.Words, h.Together
			found.Matches = append(found.Matches, m)
		}
	}
	return found, nil
}

// Open returns a file of the tree as an open text.
func Open(f tree.File) File { return node{f} }

type node struct{ tree.File }

func (n node) ReadAt(p []byte, off int64) (int, error) {
	return n.File.ReadAt(context.Background(), p, off)
}

func (node) Close() error { return nil }
