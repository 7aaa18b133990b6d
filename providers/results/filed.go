package results

import (
	"context"

	"ctxfs/fs"
)

// Filed implements fs.Filer.
func (p *Provider) Filed(_ context.Context, q fs.CallsQuery) (all []fs.FiledResults, _ error) {
	now := p.shown.Load()
	sums := make(map[Origin]*fs.FiledResults)
	for _, e := range now.entries {
		if e.time.Before(q.Since) || !q.Until.IsZero() && !e.time.Before(q.Until) || q.Server != "" && e.origin.Server != q.Server {
			continue
		}
		from := Origin{Source: cell(e.origin.Source), Server: cell(e.origin.Server), Tool: cell(e.origin.Tool)}
		sum := sums[from]
		if sum == nil {
			sum = &fs.FiledResults{Source: from.Source, Server: from.Server, Tool: from.Tool}
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
