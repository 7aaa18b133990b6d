package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// hostile is a page whose names are not ours.
func hostile() Data {
	const evil = `<script>alerted=1</script><img src=http://example.com/x onerror=alerted=1>"'&` + "\x1b[31m\u202e"
	days := &Chart{About: "Dollars by day", Format: func(v float64) string { return fmt.Sprintf("$%.0f", v) }}
	names := []string{"claude-opus-4-5", "gpt-5.2-codex", "gemini-3-flash-preview", evil}
	for d := range 30 {
		days.Labels = append(days.Labels, time.Date(2026, 10, 1+d, 0, 0, 0, 0, time.UTC).Format("Jan 2"))
	}
	for i, name := range names {
		s := Series{Name: name}
		for d := range 30 {
			s.Values = append(s.Values, float64((d*7+i*5)%(11-2*i))*3)
		}
		days.Series = append(days.Series, s)
	}
	across := &Chart{About: evil, Across: true, Labels: []string{"/home/user/a/very/long/path/to/some/project/that/does/not/end", evil, "app"},
		Series: []Series{{Name: "tokens", Values: []float64{3.1e6, 2e6, 1e5}}}, Format: func(v float64) string { return fmt.Sprintf("%.1fM", v/1e6) }}
	table := &Table{Head: []string{"Model", "Requests", "Input", "Cached", "Output", "Cost"}}
	for i, name := range append(names, strings.Repeat("x", 300)) {
		table.Rows = append(table.Rows, Row{Cells: []string{name, "1,204", "12,345,678", "123,456,789", "1,234,567", "$123.45"}, Share: 0.5 / float64(i+1)})
	}
	return Data{
		Title: "What your agents took", About: "/home/user — 30 days", Made: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Figures:  []Figure{{"Money", "$1,234.56", "list prices"}, {"Tokens", "1,234,567,890", "92 % from caches"}, {"Requests", "12,345", "in 321 sessions"}, {"Models", "4", evil}},
		Sections: []Section{{Title: "By day", Note: "In your time zone.", Chart: days}, {Title: "By project", Chart: across}, {Title: evil, Note: evil, Table: table}},
		Notes:    []string{evil},
	}
}

// TestNothingIsFetched checks that the page has all that it needs, and that foreign names
// stay text.
func TestNothingIsFetched(t *testing.T) {
	var b bytes.Buffer
	fstest.Must(t, Write(&b, hostile()))
	html := b.String()
	if strings.Contains(html, "\x1b") || strings.Contains(html, "\u202e") {
		t.Error("there are control characters in the page")
	}
	for _, tag := range []string{"<script", "<img", "<link", "<iframe", "<object", "<image", "<foreignObject", "@import", "url(", "onerror=alerted=1>\"", " src=\"", "xlink:href="} {
		fstest.ContainsNot(t, html, tag)
	}
	fstest.Equal(t, strings.Count(html, "<svg"), 2, "charts, want 2")
	if len(html) > 500<<10 {
		t.Errorf("the page is %d KB long", len(html)>>10)
	}
}

// TestEmpty writes a page of nothing.
func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	fstest.Must(t, Write(&b, Data{Title: "Nothing"}))
	fstest.Contains(t, b.String(), "<h1>Nothing</h1>")
	for _, c := range []Chart{{}, {Labels: []string{"a"}}, {Labels: []string{"a"}, Series: []Series{{Name: "s", Values: []float64{0}}}}} {
		if err := Write(&b, Data{Sections: []Section{{Title: "c", Chart: &c}}}); err != nil {
			t.Errorf("a chart of %d series: %v", len(c.Series), err)
		}
	}
	fstest.ContainsNot(t, b.String(), "<svg")
}
