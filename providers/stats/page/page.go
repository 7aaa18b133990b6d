// Package page writes figures as one HTML page that needs nothing else: no script, no font,
// no network. Charts are SVG, in the colors that the reader's system prefers, light or dark.
//
// A chart library is 3 MB of the program; stacked bars are 160 lines. Scripts would
// make the page one that mail programs and policies refuse.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
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

// Section is a part of a page: a chart, a table, or both. One in which nothing is to be seen
// is left out.
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

// Write writes the page.
func Write(w io.Writer, d Data) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": func(share float64) string { return fmt.Sprintf("%.1f%%", 100*min(max(share, 0), 1)) },
		// Line returns a text without characters that do not show, or turn what stands around them.
		"line": clean.Line,
		"at":   func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
	}).Parse(layout)
	if err != nil {
		return err
	}
	type shown struct {
		Section
		Drawn *drawing
	}
	of := struct {
		Data
		Shown []shown
	}{Data: d}
	for _, s := range d.Sections {
		one := shown{Section: s}
		if s.Chart != nil {
			one.Drawn = s.Chart.draw()
		}
		if one.Drawn != nil || s.Table != nil {
			of.Shown = append(of.Shown, one)
		}
	}
	return t.Execute(w, of)
}
