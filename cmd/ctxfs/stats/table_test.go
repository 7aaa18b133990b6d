package stats

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func sample() *table {
	t := &table{
		title: "Title", notes: []string{"a note"}, columns: []column{{"name", true}, {"n", false}}, names: []string{"name", "n"},
	}
	t.rows = append(t.rows, row{cells: []string{"sum", "1,010"}, value: 1010})
	for _, name := range []string{"a long name, which takes many columns of a screen", "b", "c", "é"} {
		t.rows = append(t.rows, row{cells: []string{name, "10"}, value: 10, detail: true, raw: []any{name, 10}})
	}
	return t
}

func printed(width, limit int) string {
	var out strings.Builder
	screen{out: &out, width: width}.print(sample(), limit)
	return out.String()
}

func TestPrint(t *testing.T) {
	if got, want := printed(0, 2), `Title
name                                                   n
sum                                                1,010
a long name, which takes many columns of a screen     10
b                                                     10
  2 more
a note
`; got != want {
		t.Errorf("plain:\n%s", got)
	}
	if got := printed(0, 3); strings.Contains(got, "more") || strings.Count(got, "\n") != 8 {
		t.Errorf("one more takes no more room than to say so:\n%s", got)
	}
	for width := 30; width < 200; width += 7 {
		got := printed(width, 0)
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n >= width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if !strings.Contains(got, "█") {
			t.Errorf("no bars in %d columns:\n%s", width, got)
		}
	}
	var out strings.Builder
	screen{out: &out, width: 80}.print(&table{title: "Nothing", columns: []column{{"name", true}}}, 0)
	if out.String() != "Nothing\n" {
		t.Errorf("without a row: %q", out.String())
	}
}

func TestSpark(t *testing.T) {
	x := &table{}
	for i, day := range []string{"d9", "d8", "d7", "d6"} {
		x.rows = append(x.rows, row{cells: []string{day}, value: float64(8 * (3 - i))})
	}
	for width, want := range map[int]string{80: "  d6 ▁▃▆█ d9", 12: "  d8 ▆█ d9", 1: "  d9 █ d9"} {
		if got := (screen{width: width}).spark(x); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	x := sample()
	x.rows[1].raw[0] = "=cmd|' /C calc'!A0"
	x.rows[2].raw[0] = "a,\"b\"\nc"
	var out strings.Builder
	if err := x.writeCSV(&out); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if want := [][]string{{"name", "n"}, {"'=cmd|' /C calc'!A0", "10"}, {"a,\"b\"\nc", "10"}, {"c", "10"}, {"é", "10"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		number(0): "0", number(999): "999", number(1000): "1,000", number(int64(-1234567)): "-1,234,567",
		dollars(0): "$0", dollars(0.00012): "$0.00012", dollars(0.1254): "$0.125", dollars(12.345): "$12.35", dollars(12345.6): "$12,346",
		milliseconds(0): "0 ms", milliseconds(1500): "1.5 s", milliseconds(61_000): "1m01s", milliseconds(7_260_000): "2h01m",
		percent(1, 3): "33.3 %", percent(9999, 10000): "99.99 %", percent(0, 0): "0.0 %", percent(5, 5): "100.0 %",
		barOf(0, 10): "", barOf(0.0001, 10): "▏", barOf(1, 3): "███", barOf(0.5, 3): "█▌", cut("日本語テキスト", 4): "日本語…",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDay(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for since, want := range map[string]string{"1d": "2026-03-01", "7d": "2026-02-23", "2w": "2026-02-16", "2026-01-31": "2026-01-31", "all": ""} {
		if got, err := day(since, now); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", since, got, err, want)
		}
	}
	for _, since := range []string{"", "d", "0d", "-3d", "7x", "7", "2026-13-01", "99999999d", "1.5d"} {
		if got, err := day(since, now); err == nil {
			t.Errorf("%q: %q", since, got)
		}
	}
}
