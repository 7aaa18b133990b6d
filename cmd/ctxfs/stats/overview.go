package stats

import (
	"fmt"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/stats"
)

// overview prints the beginning of each section, so that what matters is on one screen.
func (s screen) overview(a *cli.App, r *stats.Report, shown []view) {
	var names []string
	first := true
	for _, v := range shown {
		names = append(names, v.name)
		if v.lines == 0 {
			continue
		}
		t := v.table(a, r)
		if len(t.rows) == 0 && v.of == stats.Spending && !v.over {
			continue // its absence was reported before
		}
		if !first {
			fmt.Fprintln(s.out)
		}
		first = false
		if v.over && s.width > 0 && len(t.rows) > 0 {
			fmt.Fprintln(s.out, t.title)
			fmt.Fprintln(s.out, s.spark(t))
			t.title, t.columns, t.rows = "", nil, nil
		}
		s.print(t, v.lines)
	}
	fmt.Fprintf(s.out, "\nAll of one: ctxfs stats %s\n", strings.Join(names, "|"))
}

// sparks are columns of eight heights.
var sparks = []rune("▁▂▃▄▅▆▇█")

// spark returns a column for each of the first lines of a table, the first one at the right,
// between the names of the last and the first.
func (s screen) spark(t *table) string {
	last := t.rows[0].cells[0]
	rows := t.rows[:max(min(len(t.rows), s.width-2*len(last)-leastBar), 1)]
	var largest float64
	for _, r := range rows {
		largest = max(largest, r.value)
	}
	columns := make([]rune, len(rows))
	for i, r := range rows {
		height := 0
		if largest > 0 {
			height = min(int(r.value/largest*float64(len(sparks))), len(sparks)-1)
		}
		columns[len(rows)-1-i] = sparks[height]
	}
	return fmt.Sprintf("  %s %s %s", rows[len(rows)-1].cells[0], string(columns), last)
}
