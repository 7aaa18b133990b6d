package stats

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/stats"
	"ctxfs/providers/stats/page"
)

// view is a section of a report as a table: that for its name on the command line.
type view struct {
	name  string
	about string // for the help
	title string // on a page
	of    stats.Section
	table func(a *cli.App, r *stats.Report) *table
	// chart makes the chart on a page; nil for none. It may return nil.
	chart func(a *cli.App, r *stats.Report) *page.Chart
	// lines is how many details it has where all sections are printed; 0 leaves it out there.
	lines int
	// over has a line of columns stand for its details there, in a terminal.
	over bool
}

// views returns the sections in their order.
func views() []view {
	return []view{
		{"days", "tokens and money of sessions by day", "Money and tokens by day", stats.Spending, daysTable, daysChart, 5, true},
		{"models", "and by model", "By model", stats.Spending, modelsTable, nil, 3, false},
		{"agents", "by agent", "By agent", stats.Spending, agentsTable, nil, 0, false},
		{"projects", "by project", "By project", stats.Spending, projectsTable, projectsChart, 0, false},
		{"sessions", "the sessions that took most", "The sessions that took most", stats.Spending, sessionsTable, nil, 0, false},
		{"static", "what stands in every request, and what the tree takes instead", "In every request", stats.Static, staticTable, staticChart, 3, false},
		{"calls", "calls per tool, with time, failures and what went to files", "Calls of tools", stats.Calls, callsTable, callsChart, 3, false},
		{"files", "long results that are in files, by where they come from", "Long results in files", stats.Files, filesTable, nil, 3, false},
	}
}

// staticTable has a line for each server, skill and file of rules.
func staticTable(a *cli.App, r *stats.Report) *table {
	s := r.Static
	t := &table{
		title:   "Tokens in every request of " + cmp.Or(s.Agent, "an agent") + in(a, s.Dir) + ":",
		columns: []column{{"", true}, {"given all", false}, {"the tree", false}},
		names:   []string{"kind", "name", "tools", "agents", "tokens", "tree_tokens", "unknown"},
	}
	for _, sum := range s.Kinds {
		t.rows = append(t.rows, row{cells: []string{kindName(sum), number(sum.Tokens), treeCell(sum.Kind, sum.Tree)}, value: float64(sum.Tokens)})
		for _, i := range s.Items {
			if i.Kind == sum.Kind {
				t.rows = append(t.rows, itemRow(i))
			}
		}
	}
	t.rows = append(t.rows, row{cells: []string{"AGENTS.md, all of it", "", number(s.Page)}, value: float64(s.Page)})
	if s.Sessions > 0 {
		t.rows = append(t.rows, row{cells: []string{"hooks, by the end of a session", "", number(s.Told)}, value: float64(s.Told)})
	}
	t.rows = append(t.rows, row{cells: []string{"all", number(s.Injected), number(s.Tree)}})
	t.notes = money(s)
	return t
}

// itemRow is the line of a server, a skill or a file of rules.
func itemRow(i stats.Item) row {
	name, count := "  "+i.Name, number(i.Tokens)
	if i.Kind == facts.ServerCost && i.Unknown == "" {
		name += fmt.Sprintf(" (%d)", i.Count)
	}
	if i.Unknown != "" {
		name, count = name+": "+i.Unknown, "?"
	}
	return row{
		cells: []string{name, count, treeCell(i.Kind, i.Tree)}, value: float64(i.Tokens), detail: true,
		raw: []any{string(i.Kind), i.Name, i.Count, strings.Join(i.Agents, " "), i.Tokens, i.Tree, i.Unknown},
	}
}

// treeCell is what the tree says instead: of rules it says nothing by name.
func treeCell(kind facts.CostKind, n int) string {
	if kind == facts.RuleCost {
		return "-"
	}
	return number(n)
}

func in(a *cli.App, dir string) string {
	if dir == "" {
		return ""
	}
	return " in " + a.Tilde(dir)
}

// kindName says how many there are.
func kindName(s stats.Sum) string {
	switch s.Kind {
	case facts.ServerCost:
		return wording.Count(s.Items, "servers") + ", " + wording.Count(s.Count, "tools")
	case facts.SkillCost:
		return wording.Count(s.Items, "skills")
	}
	return wording.Count(s.Items, "files") + " of rules"
}

// money says what is saved, as lines.
func money(s *stats.StaticReport) (lines []string) {
	if s.Injected > s.Tree {
		lines = append(lines, fmt.Sprintf("The tree takes %s less.", percent(s.Injected-s.Tree, s.Injected)))
	}
	if m := s.Money; m != nil {
		lines = append(lines,
			fmt.Sprintf("A request costs %s, from a cache %s; with the tree %s and %s", dollars(m.Injected), dollars(m.InjectedCached), dollars(m.Tree), dollars(m.TreeCached)),
			fmt.Sprintf("(at %s a million tokens: %s).", dollars(m.Input), m.Model))
		if m.Requests > 0 && m.Saved > 0 {
			lines = append(lines, fmt.Sprintf("In %s, all from a cache, that is %s less.", requests(m.Requests), dollars(m.Saved)))
		}
	}
	return lines
}

// callsTable has a line for each tool.
func callsTable(_ *cli.App, r *stats.Report) *table {
	c := r.Calls
	t := &table{
		title:   "Calls of tools: " + callsLine(c),
		columns: []column{{"tool", true}, {"calls", false}, {"failed", false}, {"median", false}, {"p95", false}, {"in all", false}, {"to files", false}},
		names:   []string{"server", "tool", "calls", "failed", "outcomes", "total_ms", "median_ms", "p95_ms", "bytes", "filed", "filed_bytes", "last"},
	}
	for _, one := range c.Tools {
		failed, filed := "", ""
		if one.Failed > 0 {
			failed = number(one.Failed)
		}
		if one.Filed > 0 {
			filed = fmt.Sprintf("%d, %s", one.Filed, wording.Size(one.FiledBytes))
		}
		t.rows = append(t.rows, row{
			cells: []string{one.Server + "/" + one.Tool, number(one.Calls), failed, milliseconds(one.Median), milliseconds(one.P95), milliseconds(one.Total), filed},
			value: float64(one.Calls), detail: true,
			raw: []any{
				one.Server, one.Tool, one.Calls, one.Failed, outcomes(one.Outcomes), one.Total, one.Median, one.P95, one.Bytes, one.Filed, one.FiledBytes,
				one.Last.UTC().Format(time.RFC3339),
			},
		})
	}
	return t
}

// callsLine sums up the calls.
func callsLine(c *stats.CallsReport) string {
	if c.Calls == 0 {
		return "none"
	}
	line := wording.Count(c.Calls, "calls") + " in " + milliseconds(c.Total)
	if c.Failed > 0 {
		line += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.Filed > 0 {
		line += fmt.Sprintf(", %s (%s) went to files", wording.Count(c.Filed, "results"), wording.Size(c.FiledBytes))
	}
	return line
}

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
	largest := largestOf(rows)
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
