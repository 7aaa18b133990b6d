package page

import (
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-analyze/charts"

	"ctxfs/providers/internal/clean"
)

// Chart is a chart of bars: a bar for each label, of a piece for each series.
type Chart struct {
	// About says what it shows, for those who do not see it.
	About string
	// Across lays the bars across the page, one below the other.
	Across bool
	Labels []string
	Series []Series
	// Format writes a value at the axis.
	Format func(float64) string
}

// Series has a value for each label.
type Series struct {
	Name   string
	Values []float64
	// Bad has it in the color of what failed, Rest in that of what is left.
	Bad, Rest bool
}

// theme is a set of colors.
type theme struct{ text, line string }

var (
	light = theme{text: "#475569", line: "#e2e8f0"}
	dark  = theme{text: "#cbd5e1", line: "#334155"}
)

// colors are those of series, to be told apart on white and on black; bad and rest are those
// of series that are.
var colors = [MostSeries]string{"#6366f1", "#06b6d4", "#f59e0b", "#10b981", "#a855f7", "#ec4899"}

const (
	bad  = "#f43f5e"
	rest = "#94a3b8"
)

// MostSeries is how many series have colors of their own.
const MostSeries = 6

const (
	width     = 960
	height    = 320
	barHeight = 34 // of one across the page
	mostBar   = 48 // of one from its one side to the other
	mostLabel = 28 // characters
	mostTicks = 10 // names below the axis
)

// draw draws the chart as SVG.
func (c *Chart) draw(in theme) (template.HTML, error) {
	palette := charts.MakeTheme(charts.ThemeOption{
		TextColor: charts.ParseColor(in.text), AxisStrokeColor: charts.ParseColor(in.line), AxisSplitLineColor: charts.ParseColor(in.line),
		BackgroundColor: charts.ColorTransparent, SeriesColors: c.colors(),
	})
	values := make([][]float64, len(c.Series))
	names := make([]string, len(c.Series))
	labels := make([]string, len(c.Labels))
	for i, l := range c.Labels {
		labels[i] = label(l)
	}
	for i, s := range c.Series {
		values[i], names[i] = slices.Clone(s.Values), label(s.Name)
		if c.Across {
			slices.Reverse(values[i]) // the axis begins at the bottom
		}
	}
	if c.Across {
		slices.Reverse(labels)
	}
	o := charts.NewBarChartOptionWithData(values)
	o.Theme, o.Horizontal = palette, c.Across
	o.StackSeries = charts.Ptr(len(c.Series) > 1)
	o.BarSize = 0.65
	if !c.Across {
		o.BarSize = min(0.8, mostBar*float64(len(labels))/width)
	}
	o.Padding = charts.Box{Top: 4, Bottom: 4, Left: 4, Right: 24, IsSet: true}
	o.Legend.SeriesNames, o.Legend.Show = names, charts.Ptr(len(names) > 1)
	o.Legend.Symbol = charts.SymbolSquare
	o.ValueFormatter = c.Format
	o.ValueAxis[0].SplitLineShow = charts.Ptr(true)
	o.ValueAxis[0].Min = charts.Ptr(0.0)
	o.CategoryAxis.Labels = labels
	high := height
	if c.Across {
		high = 40 + barHeight*len(c.Labels)
	} else {
		o.CategoryAxis.LabelCount = min(len(labels), mostTicks)
	}
	p := charts.NewPainter(charts.PainterOptions{OutputFormat: charts.ChartOutputSVG, Width: width, Height: high})
	if err := p.BarChart(o); err != nil {
		return "", err
	}
	svg, err := p.Bytes()
	return template.HTML(svg), err // which escapes what stands in it
}

// colors returns those of the series.
func (c *Chart) colors() (all []charts.Color) {
	for i, s := range c.Series {
		color := colors[i%MostSeries]
		switch {
		case s.Bad:
			color = bad
		case s.Rest:
			color = rest
		}
		all = append(all, charts.ParseColor(color))
	}
	return all
}

// empty reports whether there is nothing to be drawn.
func (c *Chart) empty() bool {
	return !slices.ContainsFunc(c.Series, func(s Series) bool { return slices.ContainsFunc(s.Values, func(v float64) bool { return v > 0 }) })
}

// label returns a name as it stands in a chart: its end where it is long, which tells paths
// apart.
func label(name string) string {
	name = clean.Line(name)
	if n := utf8.RuneCountInString(name); n > mostLabel {
		runes := []rune(name)
		return "…" + string(runes[n-mostLabel+1:])
	}
	return strings.TrimSpace(name)
}
