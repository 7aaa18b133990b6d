package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/stats"
	"ctxfs/providers/stats/spending"
)

// spentColumns are the columns of the tables of what was spent, after the first one.
var spentColumns = []column{{"requests", false}, {"input", false}, {"cached", false}, {"written", false}, {"output", false}, {"money", false}}

// spentNames are the names of these in the CSV.
var spentNames = []string{"requests", "input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "reasoning", "total", "cost", "unpriced"}

// spentTable returns a table of rows, whose first column has a title and a name in the CSV.
func spentTable(title, first, name string, rows []spending.Row, shown func(string) string) *table {
	t := &table{title: title, columns: slices.Concat([]column{{first, true}}, spentColumns), names: slices.Concat([]string{name}, spentNames)}
	byMoney := slices.ContainsFunc(rows, func(r spending.Row) bool { return r.Cost > 0 })
	for _, r := range rows {
		one := row{cells: slices.Concat([]string{shown(r.Name)}, spentCells(r.Sum)), value: float64(r.Total), detail: true, raw: slices.Concat([]any{r.Name}, spentRaw(r.Sum))}
		if byMoney {
			one.value = r.Cost
		}
		t.rows = append(t.rows, one)
	}
	return t
}

func spentCells(s spending.Sum) []string {
	money := dollars(s.Cost)
	if s.Cost == 0 && s.Unpriced > 0 {
		money = "?"
	} else if s.Unpriced > 0 {
		money += "+?"
	}
	u := s.Tokens
	return []string{number(s.Calls), short(u.Input), short(u.CacheRead), short(u.CacheWrite + u.CacheWriteLong), short(u.Output + u.Reasoning), money}
}

func spentRaw(s spending.Sum) []any {
	u := s.Tokens
	return []any{s.Calls, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.Reasoning, s.Total, fmt.Sprintf("%.6f", s.Cost), s.Unpriced}
}

// short returns a number of tokens with three digits: "1.23M".
func short(n int64) string {
	f := float64(n)
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if f >= 0.9995*unit.of {
			v := f / unit.of
			return fmt.Sprintf("%.*f%s", max(0, 2-len(fmt.Sprintf("%.0f", v))+1), v, unit.name)
		}
	}
	return fmt.Sprint(n)
}

// daysTable has a line for each day, the newest first.
func daysTable(_ *cli.App, r *stats.Report) *table {
	s := r.Spending
	days := slices.Clone(s.Days)
	slices.SortStableFunc(days, func(a, b spending.Row) int { return cmp.Compare(b.Name, a.Name) })
	t := spentTable("Sessions"+since(r)+": "+spentLine(s), "day", "day", days, func(name string) string { return cmp.Or(name, "no time") })
	t.notes = unpriced(s)
	return t
}

// since says which time a report is of.
func since(r *stats.Report) string {
	text := ""
	if r.Since != "" {
		text = " since " + r.Since
	}
	if r.Until != "" {
		text += " until " + r.Until
	}
	return text
}

// spentLine sums up what was spent.
func spentLine(s *spending.Report) string {
	if s.Calls == 0 {
		return "no requests to models"
	}
	return fmt.Sprintf("%s for %s tokens (%s from caches) in %s", dollars(s.Cost), short(s.Total), share(s.Tokens.CacheRead, s.Total), requests(s.Calls))
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return number(n) + " requests"
}

func share(part, whole int64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(whole, 1)))
}

// unpriced says for which models there is no price.
func unpriced(s *spending.Report) []string {
	if len(s.Unknown) == 0 {
		return nil
	}
	names := slices.Clone(s.Unknown)
	for i, name := range names {
		names[i] = cmp.Or(name, "no name")
	}
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return []string{
		fmt.Sprintf("No price is known of %s: the money lacks that of %s tokens.", strings.Join(names, ", "), short(s.Unpriced)),
		fmt.Sprintf("Set it in config.toml: [prices.%q] with input and output, in dollars for a million tokens.", cmp.Or(s.Unknown[0], "*")),
	}
}

func agentsTable(_ *cli.App, r *stats.Report) *table {
	return spentTable("Sessions by agent:", "agent", "agent", r.Spending.Agents, func(name string) string { return name })
}

func modelsTable(_ *cli.App, r *stats.Report) *table {
	return spentTable("Sessions by model:", "model", "model", r.Spending.Models, func(name string) string { return cmp.Or(name, "no name") })
}

func projectsTable(a *cli.App, r *stats.Report) *table {
	return spentTable("Sessions by project:", "project", "project", r.Spending.Projects, func(name string) string { return cmp.Or(a.Tilde(name), "elsewhere") })
}

// mostTitle is how much of a session's title is shown, in characters.
const mostTitle = 60

// sessionsTable has the sessions that cost most.
func sessionsTable(_ *cli.App, r *stats.Report) *table {
	var rows []spending.Row
	for _, s := range r.Spending.Sessions {
		rows = append(rows, spending.Row{Name: cmp.Or(s.Title, s.ID), Sum: s.Sum})
	}
	t := spentTable("The sessions that took most:", "session", "session", rows, func(name string) string { return cut(name, mostTitle) })
	t.names = slices.Concat([]string{"agent", "id", "title", "path"}, spentNames)
	for i, s := range r.Spending.Sessions {
		t.rows[i].raw = slices.Concat([]any{s.Agent, s.ID, s.Title, s.Path}, spentRaw(s.Sum))
	}
	return t
}
