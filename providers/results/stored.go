package results

import (
	"context"

	"ctxfs/fs/facts"
)

// Stored implements facts.ResultSource.
func (p *Provider) Stored(_ context.Context, q facts.CallsQuery) (all []facts.StoredResults, _ error) {
	now := p.shown.Load()
	sums := make(map[Origin]*facts.StoredResults)
	for _, e := range now.entries {
		if e.time.Before(q.Since) || !q.Until.IsZero() && !e.time.Before(q.Until) || q.Server != "" && e.origin.Server != q.Server {
			continue
		}
		from := Origin{Source: cell(e.origin.Source), Server: cell(e.origin.Server), Tool: cell(e.origin.Tool)}
		sum := sums[from]
		if sum == nil {
			sum = &facts.StoredResults{Source: from.Source, Server: from.Server, Tool: from.Tool}
			sums[from] = sum
		}
		sum.Files++
		sum.Bytes += e.size
	}
	for _, sum := range sums {
		all = append(all, *sum)
	}
	return all, now.err
}
