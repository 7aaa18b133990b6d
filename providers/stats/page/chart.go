package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

// MostSeries is how many series have colors of their own.
const MostSeries = 6

// Sizes, in the units of the drawing: a pixel each where the page is wide enough.
const (
	width     = 960
	height    = 320
	barHeight = 34  // of one across the page, with the room around it
	mostBar   = 48  // of one from its one side to the other
	filled    = 0.7 // how much of its room a bar takes
	letter    = 7.0 // of the axes
	margin    = 24  // below the plot, and at its right
	mostLabel = 28  // characters
	mostTicks = 10  // names below the axis
)

// drawing is a chart as shapes; page.html writes it as SVG.
type drawing struct {
	About         string
	Width, Height float64
	Lines         []line
	Bars          []bar
	Texts         []text
	Legend        []key
}

type (
	line struct{ X1, Y1, X2, Y2 float64 }
	// Title is the tooltip of a bar; Class says its color.
	bar struct {
		X, Y, W, H   float64
		Class, Title string
	}
	// Anchor says which end of the text is at X: start, middle or end.
	text struct {
		X, Y         float64
		Anchor, Text string
	}
	key struct{ Class, Name string }
)

// draw returns the chart as shapes, or nil if it would be empty.
func (c *Chart) draw() *drawing {
	sums := make([]float64, len(c.Labels))
	for _, s := range c.Series {
		for i, v := range s.Values {
			sums[i] += v
		}
	}
	most := 0.0
	for _, sum := range sums {
		most = max(most, sum)
	}
	if most <= 0 {
		return nil
	}
	d := &drawing{About: c.About, Width: width, Height: height}
	if len(c.Series) > 1 {
		for i, s := range c.Series {
			d.Legend = append(d.Legend, key{s.class(i), label(s.Name)})
		}
	}
	if c.Across {
		c.across(d, ticks(most))
	} else {
		c.upright(d, ticks(most))
	}
	return d
}

// upright draws bars that stand beside each other.
func (c *Chart) upright(d *drawing, ticks []float64) {
	left, foot, top := 0.0, d.Height-margin, ticks[len(ticks)-1]
	for _, v := range ticks {
		left = max(left, widthOf(c.Format(v))+10)
	}
	for _, v := range ticks {
		y := foot - (foot-10)*v/top
		d.Lines = append(d.Lines, line{left, y, d.Width - margin, y})
		d.Texts = append(d.Texts, text{left - 6, y + 4, "end", c.Format(v)})
	}
	room := (d.Width - margin - left) / float64(len(c.Labels))
	wide, every := min(room*filled, mostBar), (len(c.Labels)+mostTicks-1)/mostTicks
	for i, name := range c.Labels {
		x, y := left+room*(float64(i)+0.5), foot
		if i%every == 0 {
			d.Texts = append(d.Texts, text{x, d.Height - 6, "middle", label(name)})
		}
		for j, s := range c.Series {
			high := (foot - 10) * s.Values[i] / top
			y -= high
			d.add(bar{x - wide/2, y, wide, high, s.class(j), c.title(i, j)})
		}
	}
}

// across draws bars that lie below each other.
func (c *Chart) across(d *drawing, ticks []float64) {
	d.Height = barHeight*float64(len(c.Labels)) + margin
	left, foot, top := 0.0, d.Height-margin, ticks[len(ticks)-1]
	for _, name := range c.Labels {
		left = max(left, widthOf(label(name))+12)
	}
	long := d.Width - left - 2*margin
	for _, v := range ticks {
		x := left + long*v/top
		d.Lines = append(d.Lines, line{x, 0, x, foot})
		d.Texts = append(d.Texts, text{x, d.Height - 6, "middle", c.Format(v)})
	}
	for i, name := range c.Labels {
		x, y := left, barHeight*(float64(i)+0.5)
		d.Texts = append(d.Texts, text{left - 8, y + 4, "end", label(name)})
		for j, s := range c.Series {
			wide := long * s.Values[i] / top
			d.add(bar{x, y - barHeight*filled/2, wide, barHeight * filled, s.class(j), c.title(i, j)})
			x += wide
		}
	}
}

func (d *drawing) add(b bar) {
	if b.W > 0 && b.H > 0 {
		d.Bars = append(d.Bars, b)
	}
}

func (c *Chart) title(i, j int) string {
	value := c.Format(c.Series[j].Values[i])
	return clean.Line(strings.Join(slices.DeleteFunc([]string{c.Labels[i], c.Series[j].Name, value}, func(s string) bool { return s == "" }), ", "))
}

// class returns the class of the color of a series, which page.html has for light and dark.
func (s Series) class(i int) string {
	switch {
	case s.Bad:
		return "bad"
	case s.Rest:
		return "rest"
	}
	return fmt.Sprint("c", i%MostSeries)
}

// ticks returns the values of an axis, from 0 to the most or beyond, at round distances.
func ticks(most float64) (all []float64) {
	step := math.Pow(10, math.Floor(math.Log10(most)))
	switch n := most / step; {
	case n <= 2:
		step /= 2
	case n > 5:
		step *= 2
	}
	for k := range int(math.Ceil(most/step)) + 1 {
		all = append(all, float64(k)*step)
	}
	return all
}

func widthOf(name string) float64 { return letter * float64(utf8.RuneCountInString(name)) }

// label returns a name as it stands in a chart: its end where it is long, which tells paths
// apart.
func label(name string) string {
	name = clean.Line(name)
	if n := utf8.RuneCountInString(name); n > mostLabel {
		return "…" + string([]rune(name)[n-mostLabel+1:])
	}
	return strings.TrimSpace(name)
}
