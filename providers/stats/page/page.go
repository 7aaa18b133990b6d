// Package page writes figures as one HTML page that needs nothing else: no script, no font,
// no network. Charts are SVG, in the colors that the reader's system prefers, light or dark.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
)

// Data is what a page shows. All texts are plain; they may be foreign.
type Data struct {
	Title, About string
	Made         time.Time
	Figures      []Figure
	Sections     []Section
	// Notes stand below all else.
	Notes []string
}

// Figure is a number that is shown large.
type Figure struct{ Label, Value, Note string }

// Section is a part of a page: a chart, a table, or both.
type Section struct {
	Title, Note string
	Chart       *Chart
	Table       *Table
}

// Table is a table whose first column names its rows.
type Table struct {
	Head []string
	Rows []Row
}

// Row is a row of a table. Share is how much of the whole it is, from 0 to 1: a bar below
// its name.
type Row struct {
	Cells []string
	Share float64
}

//go:embed page.html
var layout string

// shown is a section with its charts drawn.
type shown struct {
	Section
	Light, Dark template.HTML
}

// Write writes the page.
func Write(w io.Writer, d Data) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": func(share float64) string { return fmt.Sprintf("%.1f%%", 100*min(max(share, 0), 1)) },
	}).Parse(layout)
	if err != nil {
		return err
	}
	of := struct {
		Data
		Shown []shown
	}{Data: cleaned(d)}
	for _, s := range of.Sections {
		one := shown{Section: s}
		if s.Chart != nil && s.Chart.empty() {
			one.Chart = nil
		} else if s.Chart != nil {
			if one.Light, err = s.Chart.draw(light); err != nil {
				return fmt.Errorf("the chart %q: %w", s.Title, err)
			}
			if one.Dark, err = s.Chart.draw(dark); err != nil {
				return fmt.Errorf("the chart %q: %w", s.Title, err)
			}
		}
		of.Shown = append(of.Shown, one)
	}
	return t.Execute(w, of)
}

// cleaned returns the data without characters that do not show, or turn what stands around
// them. Charts clean their own.
func cleaned(d Data) Data {
	d.Title, d.About = clean.Line(d.Title), clean.Line(d.About)
	d.Figures, d.Sections, d.Notes = slices.Clone(d.Figures), slices.Clone(d.Sections), slices.Clone(d.Notes)
	for i, f := range d.Figures {
		d.Figures[i] = Figure{clean.Line(f.Label), clean.Line(f.Value), clean.Line(f.Note)}
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Title, s.Note = clean.Line(s.Title), clean.Line(s.Note)
		if s.Chart != nil {
			chart := *s.Chart
			chart.About = clean.Line(chart.About)
			s.Chart = &chart
		}
		if s.Table == nil {
			continue
		}
		rows := make([]Row, len(s.Table.Rows))
		for j, r := range s.Table.Rows {
			rows[j].Share = r.Share
			for _, cell := range r.Cells {
				rows[j].Cells = append(rows[j].Cells, clean.Line(cell))
			}
		}
		s.Table = &Table{Head: s.Table.Head, Rows: rows}
	}
	for i, n := range d.Notes {
		d.Notes[i] = clean.Line(n)
	}
	return d
}
