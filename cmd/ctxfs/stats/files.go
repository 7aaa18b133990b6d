package stats

import (
	"fmt"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/stats"
)

// filesTable has a line for each place from which long results come.
func filesTable(_ *cli.App, r *stats.Report) *table {
	f := r.Files
	t := &table{
		title:   "Long results in files: none",
		columns: []column{{"from", true}, {"files", false}, {"bytes", false}, {"tokens", false}},
		names:   []string{"source", "server", "tool", "files", "bytes", "tokens_estimated"},
	}
	if f.Files > 0 {
		t.title = fmt.Sprintf("Long results in files: %s, %s, about %s tokens that no agent was given whole", wording.Count(f.Files, "results"), wording.Size(f.Bytes), number(f.Tokens))
	}
	for _, one := range f.Results {
		from := strings.Trim(one.Server+"/"+one.Tool, "/")
		if one.Source != "call" {
			from = strings.TrimSpace(one.Source + " " + from)
		}
		t.rows = append(t.rows, row{
			cells: []string{from, number(one.Files), wording.Size(one.Bytes), number(one.Bytes / stats.BytesPerToken)}, value: float64(one.Bytes), detail: true,
			raw: []any{one.Source, one.Server, one.Tool, one.Files, one.Bytes, one.Bytes / stats.BytesPerToken},
		})
	}
	return t
}
