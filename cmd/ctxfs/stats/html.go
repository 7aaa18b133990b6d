package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/stats"
	"ctxfs/providers/stats/page"
	"ctxfs/providers/stats/spending"
)

// writePage writes the sections as one HTML page to a file, or to standard output where the
// file is "-".
func writePage(a *cli.App, r *stats.Report, shown []view, path string) error {
	var b bytes.Buffer
	if err := page.Write(&b, pageOf(a, r, shown)); err != nil {
		return err
	}
	if path == "-" {
		_, err := a.Out.Write(b.Bytes())
		return err
	}
	file, err := a.Abs(path)
	if err == nil {
		err = os.WriteFile(file, b.Bytes(), 0o600)
	}
	if err != nil {
		hint := "name another file: ctxfs stats --html FILE"
		if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
			hint = "name a file in it: ctxfs stats --html " + filepath.Join(path, "stats.html")
		}
		return &control.Fault{Message: err.Error(), Hint: hint}
	}
	return nil
}

// openPage writes the page to the cache folder and opens it in the user's browser.
func openPage(a *cli.App, r *stats.Report, shown []view) error {
	dir := filepath.Join(a.Cache, "stats")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, "stats.html")
	if err := writePage(a, r, shown, path); err != nil {
		return err
	}
	a.Sayf("%s", path)
	if !a.Open("file://" + path) {
		return &control.Fault{Message: "there is no browser here that could be opened", Hint: "open the file named above in one"}
	}
	return nil
}

// pageOf makes a page of the sections.
func pageOf(a *cli.App, r *stats.Report, shown []view) page.Data {
	d := page.Data{Title: "What your agents take", About: period(r), Made: r.Time.In(time.Local)}
	for _, v := range shown {
		t := v.table(a, r)
		s := page.Section{Title: v.title}
		if !strings.HasSuffix(t.title, ":") || v.of != stats.Spending { // else it says no more
			s.Note = t.title
		}
		if len(t.rows) > 0 {
			s.Table = tableOf(t)
		}
		if v.chart != nil {
			s.Chart = v.chart(a, r)
		}
		d.Sections = append(d.Sections, s)
		d.Notes = append(d.Notes, t.notes...)
	}
	if s := r.Spending; s != nil && s.Calls > 0 {
		d.Figures = append(d.Figures,
			page.Figure{Label: "Money", Value: dollars(s.Cost), Note: "at list prices, where agents do not say"},
			page.Figure{Label: "Tokens", Value: short(s.Total), Note: share(s.Tokens.CacheRead, s.Total) + " from caches"},
			page.Figure{Label: "Requests", Value: number(s.Calls), Note: fmt.Sprintf("%s a request", dollars(s.Cost/float64(s.Calls)))})
	}
	if s := r.Static; s != nil && s.Injected > 0 {
		d.Figures = append(d.Figures, page.Figure{Label: "In every request", Value: number(s.Injected), Note: fmt.Sprintf("tokens of servers, skills and rules; the tree takes %s", number(s.Page))})
	}
	if c := r.Calls; c != nil && c.Calls > 0 {
		d.Figures = append(d.Figures, page.Figure{Label: "Calls of tools", Value: number(c.Calls), Note: fmt.Sprintf("%s failed", number(c.Failed))})
	}
	d.Notes = append(d.Notes, r.Problems...)
	return d
}

func period(r *stats.Report) string {
	if text := since(r); text != "" {
		return "Sessions and calls" + text
	}
	return "All sessions and calls"
}

// tableOf returns a table as the page shows it, with a bar for what each row is of all.
func tableOf(t *table) *page.Table {
	p := &page.Table{Head: titles(t.columns)}
	largest := largestOf(t.rows)
	for _, r := range t.rows {
		one := page.Row{Cells: r.cells}
		if largest > 0 {
			one.Share = r.value / largest
		}
		p.Rows = append(p.Rows, one)
	}
	return p
}

// mostBars is how many bars a chart of days has at most: of more days they are of weeks, and
// of more weeks of months.
const mostBars = 92

// daysChart has a bar for each day, of a piece for each model: of money or, where nothing
// has a price, of tokens. Days on which nothing was spent have their place.
func daysChart(_ *cli.App, r *stats.Report) *page.Chart {
	s := r.Spending
	value, format, what := valueOf(s)
	var first, last time.Time
	for _, d := range s.Days {
		if at, err := time.Parse(time.DateOnly, d.Name); err == nil {
			if first.IsZero() {
				first = at
			}
			last = at
		}
	}
	if first.IsZero() {
		return nil
	}
	begin, next, layout := bars(first, last)
	c := &page.Chart{About: what + " by day", Format: format}
	var names []string
	for _, m := range s.Models[:min(len(s.Models), page.MostSeries)] {
		names = append(names, m.Name)
		c.Series = append(c.Series, page.Series{Name: cmp.Or(m.Name, "no name")})
	}
	if len(s.Models) > len(names) {
		c.Series = append(c.Series, page.Series{Name: "others", Rest: true})
	}
	numbers := make(map[time.Time]int)
	for at := begin(first); !at.After(last); at = next(at) {
		numbers[at] = len(c.Labels)
		c.Labels = append(c.Labels, at.Format(layout))
	}
	for i := range c.Series {
		c.Series[i].Values = make([]float64, len(c.Labels))
	}
	for _, d := range s.Days {
		at, err := time.Parse(time.DateOnly, d.Name)
		if err != nil {
			continue
		}
		for _, m := range d.Of {
			i := slices.Index(names, m.Name)
			if i < 0 {
				i = len(c.Series) - 1
			}
			c.Series[i].Values[numbers[begin(at)]] += value(m.Sum)
		}
	}
	return c
}

// bars returns how days are gathered in bars: the first day of the one that a day is in,
// that of the next, and how it is written.
func bars(first, last time.Time) (begin, next func(time.Time) time.Time, layout string) {
	switch days := int(last.Sub(first).Hours()/24) + 1; {
	case days <= mostBars:
		return func(at time.Time) time.Time { return at }, func(at time.Time) time.Time { return at.AddDate(0, 0, 1) }, "Jan 2"
	case days <= 7*mostBars:
		return func(at time.Time) time.Time { return at.AddDate(0, 0, -int(at.Weekday()+6)%7) }, func(at time.Time) time.Time { return at.AddDate(0, 0, 7) }, "Jan 2"
	}
	return func(at time.Time) time.Time { return at.AddDate(0, 0, 1-at.Day()) }, func(at time.Time) time.Time { return at.AddDate(0, 1, 0) }, "Jan 2006"
}

// valueOf returns what charts are of, how it is written, and what it is called.
func valueOf(s *spending.Report) (value func(spending.Sum) float64, format func(float64) string, what string) {
	if s.Cost > 0 {
		return func(s spending.Sum) float64 { return s.Cost }, axisDollars, "Dollars"
	}
	return func(s spending.Sum) float64 { return float64(s.Total) }, axisCount, "Tokens"
}

// axisCount writes a number of things at an axis, and nothing between two of them.
func axisCount(v float64) string {
	if v < 100 && v != float64(int64(v)) {
		return ""
	}
	return short(int64(v))
}

// axisDollars writes an amount at an axis.
func axisDollars(v float64) string {
	if v >= 10 {
		return "$" + number(int64(v+0.5))
	}
	return dollars(v)
}

// mostAcross is how many bars lie across the page.
const mostAcross = 10

// projectsChart has a bar for each of the projects that took most.
func projectsChart(a *cli.App, r *stats.Report) *page.Chart {
	value, format, what := valueOf(r.Spending)
	c := &page.Chart{About: what + " by project", Across: true, Format: format, Series: []page.Series{{Name: what}}}
	for _, p := range r.Spending.Projects[:min(len(r.Spending.Projects), mostAcross)] {
		c.Labels = append(c.Labels, cmp.Or(a.Tilde(p.Name), "elsewhere"))
		c.Series[0].Values = append(c.Series[0].Values, value(p.Sum))
	}
	return c
}

// staticChart has a bar for each kind of what stands in every request, and one for the tree.
func staticChart(_ *cli.App, r *stats.Report) *page.Chart {
	c := &page.Chart{About: "Tokens in every request", Across: true, Format: axisCount, Series: []page.Series{{Name: "tokens"}}}
	for _, sum := range r.Static.Kinds {
		c.Labels = append(c.Labels, kindName(sum))
		c.Series[0].Values = append(c.Series[0].Values, float64(sum.Tokens))
	}
	c.Labels = append(c.Labels, "the tree instead")
	c.Series[0].Values = append(c.Series[0].Values, float64(r.Static.Page))
	return c
}

// callsChart has a bar for each of the tools that were called most: what worked of it, and
// what failed.
func callsChart(_ *cli.App, r *stats.Report) *page.Chart {
	c := &page.Chart{About: "Calls by tool", Across: true, Format: axisCount, Series: []page.Series{{Name: "worked"}, {Name: "failed", Bad: true}}}
	for _, one := range r.Calls.Tools[:min(len(r.Calls.Tools), mostAcross)] {
		c.Labels = append(c.Labels, one.Server+"/"+one.Tool)
		c.Series[0].Values = append(c.Series[0].Values, float64(one.Calls-one.Failed))
		c.Series[1].Values = append(c.Series[1].Values, float64(one.Failed))
	}
	return c
}
