package stats

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"ctxfs/cmd/ctxfs/console"
)

// table is one section: for people as lines of columns with a bar, for programs as CSV.
type table struct {
	// title is a line above it, notes are lines below it; neither is in the CSV.
	title string
	notes []string
	// columns are those for people, names those of the CSV.
	columns []column
	names   []string
	rows    []row
}

// column is a column for people.
type column struct {
	title string
	left  bool // its texts begin where it begins; otherwise they end where it ends
}

// row is a line of a table.
type row struct {
	cells []string
	// value is what the bar shows; 0 draws no bar.
	value float64
	// detail marks a line that may be left out where there are many.
	detail bool
	// raw are the values in the CSV; nil leaves the line out there.
	raw []any
}

// The width of a screen in columns, where it is not known, and how much of it a bar has.
const (
	usualWidth = 80
	leastBar   = 6
	mostBar    = 40
	leastText  = 12 // to which the first column is cut at most
)

// screen is where tables are printed.
type screen struct {
	out io.Writer
	// width is the width of the terminal in columns, or 0 if the output is no terminal:
	// then there are no bars.
	width int
}

func newScreen(out io.Writer) screen {
	s := screen{out: out}
	if f, ok := out.(*os.File); ok && console.IsTerminal(f) {
		s.width = usualWidth
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			s.width = int(size.Col)
		}
	}
	return s
}

// print prints a table. Of details that follow each other it prints at most so many; 0 is
// all.
func (s screen) print(t *table, limit int) {
	if t.title != "" {
		fmt.Fprintln(s.out, t.title)
	}
	rows := t.beginnings(limit)
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = utf8.RuneCountInString(c.title)
		for _, r := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
	}
	largest := largestOf(rows)
	bar := s.fit(widths)
	if len(rows) > 0 {
		s.line(t.columns, widths, titles(t.columns), "")
	}
	for _, r := range rows {
		text := ""
		if bar > 0 && largest > 0 {
			text = barOf(r.value/largest, bar)
		}
		s.line(t.columns, widths, r.cells, text)
	}
	for _, note := range t.notes {
		fmt.Fprintln(s.out, note)
	}
}

// largestOf returns the largest value of some lines, or 0.
func largestOf(rows []row) (largest float64) {
	for _, r := range rows {
		largest = max(largest, r.value)
	}
	return largest
}

// beginnings returns the lines without the details that are too many, and lines that count
// these.
func (t *table) beginnings(limit int) (rows []row) {
	if limit == 0 {
		return t.rows
	}
	for i := 0; i < len(t.rows); {
		end := i
		for end < len(t.rows) && t.rows[end].detail {
			end++
		}
		if end-i > limit+1 { // a line for one is as long as that one
			rows = append(rows, t.rows[i:i+limit]...)
			left := make([]string, len(t.columns))
			left[0] = fmt.Sprintf("  %d more", end-i-limit)
			rows = append(rows, row{cells: left})
			i = end
			continue
		}
		end = max(end, i+1)
		rows = append(rows, t.rows[i:end]...)
		i = end
	}
	return rows
}

// fit makes the first column as narrow as the screen needs it, and returns the width of
// bars, or 0.
func (s screen) fit(widths []int) (bar int) {
	if s.width == 0 || len(widths) == 0 {
		return 0
	}
	used := 2*len(widths) + 1 // between columns, and one to stay off the edge
	for _, w := range widths {
		used += w
	}
	if over := used + leastBar - s.width; over > 0 {
		cut := min(over, max(widths[0]-leastText, 0))
		widths[0] -= cut
		used -= cut
	}
	bar = min(s.width-used, mostBar)
	if bar < leastBar {
		return 0
	}
	return bar
}

func titles(columns []column) (all []string) {
	for _, c := range columns {
		all = append(all, c.title)
	}
	return all
}

func (s screen) line(columns []column, widths []int, cells []string, bar string) {
	var b strings.Builder
	for i, text := range cells {
		text = cut(text, widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
		if i > 0 {
			b.WriteString("  ")
		}
		if columns[i].left {
			b.WriteString(text + pad)
		} else {
			b.WriteString(pad + text)
		}
	}
	fmt.Fprintln(s.out, strings.TrimRight(b.String()+"  "+bar, " "))
}

// cut returns a text in at most width columns, marked where it is cut.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}

// eighths are the ends of bars.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// barOf returns a bar that is a part of width long; what is more than nothing has some.
func barOf(part float64, width int) string {
	if part <= 0 {
		return ""
	}
	n := max(int(part*float64(width)*8+0.5), 1)
	return strings.TrimRight(strings.Repeat("█", n/8)+string(eighths[n%8]), " ")
}

// writeCSV writes a table as CSV (RFC 4180), with a line of names. A text that a program for
// tables would take for a formula begins with an apostrophe.
func (t *table) writeCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write(t.names); err != nil {
		return err
	}
	for _, r := range t.rows {
		if r.raw == nil {
			continue
		}
		var cells []string
		for _, v := range r.raw {
			text := fmt.Sprint(v)
			if s, ok := v.(string); ok && s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
				text = "'" + s
			}
			cells = append(cells, text)
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// number returns a number with commas: "12,345".
func number[N int | int64](n N) string {
	text := fmt.Sprint(n)
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// dollars returns an amount with as many digits as matter.
func dollars(amount float64) string {
	switch {
	case amount == 0:
		return "$0"
	case amount < 0.001:
		return fmt.Sprintf("$%.5f", amount)
	case amount < 1:
		return fmt.Sprintf("$%.3f", amount)
	case amount < 1000:
		return fmt.Sprintf("$%.2f", amount)
	}
	return "$" + number(int64(amount+0.5))
}

// milliseconds returns a time as people read it.
func milliseconds(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	case ms < 3600_000:
		return fmt.Sprintf("%dm%02ds", ms/60_000, ms/1000%60)
	}
	return fmt.Sprintf("%dh%02dm", ms/3600_000, ms/60_000%60)
}

// percent returns which part of a whole something is, with a digit after the point, or two
// where one would make it the whole.
func percent(part, whole int) string {
	share := 100 * float64(part) / float64(max(whole, 1))
	if part < whole && share > 99.9 {
		return fmt.Sprintf("%.2f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}
