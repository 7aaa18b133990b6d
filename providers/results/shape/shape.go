// Package shape describes long data in a few lines: which members a JSON text has, of
// which types, how many there are; which columns a table has; which lines of a log report
// errors. Who reads that can take from the file what is wanted, and need not read all of it.
package shape

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/lazyjson"
)

// Kind is the kind of data that a text is.
type Kind string

// The kinds.
const (
	JSON  Kind = "JSON"
	Lines Kind = "JSON Lines"
	Table Kind = "table"
	Text  Kind = "text"
)

// Shape is what a text is, and a description of it for people and models: lines, each with
// an end, of some 2 KB at most. What it has of the text has been made safe, but secrets in it
// must have been masked before.
type Shape struct {
	Kind  Kind
	Lines string
	// Filter is a filter of jq that prints something small of JSON; "" for other kinds.
	Filter string
}

// Of describes a text. It reads all of it, once or twice.
func Of(text []byte) Shape {
	trimmed := bytes.TrimSpace(text)
	switch {
	case isBracket(trimmed) && lazyjson.Valid(trimmed):
		return ofJSON(lazyjson.Parse(trimmed))
	case isBracket(trimmed):
		if s, ok := ofLines(trimmed); ok {
			return s
		}
	}
	if s, ok := ofTable(trimmed); ok {
		return s
	}
	return Shape{Kind: Text, Lines: errorLines(trimmed)}
}

func isBracket(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// ofLines describes JSON Lines whose lines are objects or arrays.
func ofLines(text []byte) (Shape, bool) {
	b := newBranch()
	n := 0
	first := ""
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !isBracket(line) || !lazyjson.Valid(line) {
			return Shape{}, false
		}
		if n++; n == 1 {
			first = example(string(line))
		}
		if n <= maxElements {
			b.add(lazyjson.Parse(line), 0)
		}
	}
	if n < 2 {
		return Shape{}, false
	}
	w := writer{}
	w.branch("", b)
	return Shape{Kind: Lines, Lines: fmt.Sprintf("%s, each %s\n%sthe first: %s\n", wording.Count(n, "lines"), b.types(), w.text(), first), Filter: "."}, true
}

const (
	// leastRows is the number of rows from which on a text is a table, and mostCells that
	// of columns which are named.
	leastRows = 5
	mostCells = 40
	// cellLength, exampleLength and lineLength are how much is shown of a cell, of an example
	// and of a line, in bytes.
	cellLength    = 40
	exampleLength = 400
	lineLength    = 200
)

// ofTable describes a table: a text of which all lines have as many cells, parted by tabs or,
// as in RFC 4180, by commas.
func ofTable(text []byte) (Shape, bool) {
	for _, comma := range []rune{'\t', ','} {
		line, _, _ := bytes.Cut(text, []byte{'\n'})
		if !bytes.ContainsRune(line, comma) {
			continue
		}
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma, r.ReuseRecord, r.LazyQuotes = comma, true, comma == '\t'
		var head []string
		var first, last string
		rows := -1
		for {
			cells, err := r.Read() // an error is also a row with another number of cells
			if err != nil {
				if err.Error() != "EOF" {
					rows = -1
				}
				break
			}
			rows++
			row := example(strings.Join(cells, string(comma)))
			switch rows {
			case 0:
				head = append(head, cells...)
			case 1:
				first = row
			}
			last = row
		}
		if rows < leastRows {
			continue
		}
		names := make([]string, 0, len(head))
		for _, cell := range head[:min(len(head), mostCells)] {
			names = append(names, clean.Cut(clean.Line(cell), cellLength))
		}
		if more := len(head) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		by := "tabs"
		if comma == ',' {
			by = "commas"
		}
		return Shape{Kind: Table, Lines: fmt.Sprintf("%s of %s, parted by %s: %s\nthe first: %s\nthe last: %s\n",
			wording.Count(rows, "rows"), wording.Count(len(head), "columns"), by, strings.Join(names, ", "), first, last)}, true
	}
	return Shape{}, false
}

func example(text string) string { return clean.Cut(clean.Line(text), exampleLength) }

const (
	// firstErrors and lastErrors are how many lines are shown that report errors.
	firstErrors = 4
	lastErrors  = 2
)

// errorLines returns the lines of a text that report errors, the first ones and the last
// ones, with their numbers.
func errorLines(text []byte) string {
	var first, last []string
	n, number := 0, 0
	for line := range bytes.Lines(text) {
		number++
		if !excerpt.ReportsError(string(line[:min(len(line), 1<<10)])) {
			continue
		}
		n++
		shown := fmt.Sprintf("%d: %s\n", number, clean.Cut(clean.Line(strings.TrimSpace(string(line[:min(len(line), 1<<10)]))), lineLength))
		if len(first) < firstErrors {
			first = append(first, shown)
			continue
		}
		if last = append(last, shown); len(last) > lastErrors {
			last = last[1:]
		}
	}
	if n == 0 {
		return ""
	}
	head := fmt.Sprintf("%s that may report errors:\n", wording.Count(n, "lines"))
	if n > len(first)+len(last) {
		last = append([]string{"…\n"}, last...)
	}
	return head + strings.Join(first, "") + strings.Join(last, "")
}
