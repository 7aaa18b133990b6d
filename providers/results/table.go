package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
)

// indexName is the file that lists all results.
const indexName = "INDEX.tsv"

const (
	columns  = "time\tsource\tserver\ttool\tbytes\tlines\tfile\n"
	noneLine = "# no results yet: a result of a tool that is too long to hand over is written here, whole\n"
)

// rowTime is the format of times in the index: RFC 3339, UTC, with
// milliseconds.
const rowTime = "2006-01-02T15:04:05.000Z"

// indexFile returns the file of an index as it is now, rendered ahead of its
// readers if ahead is set. Otherwise, for a command that reads once, results whose
// lines are not counted yet are read when the file is. The caller holds the store's
// lock.
func (x *index) indexFile(ahead bool, at time.Time) fs.Node {
	if !ahead && len(x.uncounted()) > 0 {
		entries := x.entries
		return fs.NewRendered(at, x.sum, func(ctx context.Context) ([]byte, error) {
			for _, e := range entries {
				e.count(ctx)
			}
			return rows(entries, (*entry).newRow), nil
		})
	}
	return fs.NewText(at, rows(x.entries, (*entry).keptRow))
}

// rows returns the text of the index, newest first.
func rows(entries []*entry, row func(*entry) string) []byte {
	var out bytes.Buffer
	out.WriteString(columns)
	if len(entries) == 0 {
		out.WriteString(noneLine)
	}
	for _, e := range slices.Backward(entries) {
		out.WriteString(row(e))
	}
	return out.Bytes()
}

// keptRow returns the entry's line. It is made once, when the lines are
// counted. The caller holds the store's lock.
func (e *entry) keptRow() string {
	if e.row != "" {
		return e.row
	}
	row := e.newRow()
	if e.lines.Load() != uncounted {
		e.row = row
	}
	return row
}

// newRow returns the entry's line as it is now. The number of its lines is empty if
// they are not counted yet, or cannot be read.
func (e *entry) newRow() string {
	lines := ""
	if n := e.lines.Load(); n >= 0 {
		lines = strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%s\n", e.time.UTC().Format(rowTime),
		cell(e.origin.Source), cell(e.origin.Server), cell(e.origin.Tool), e.size, lines, e.name)
}

// cellLen is the most bytes of a foreign name in the index.
const cellLen = 200

func cell(name string) string { return clean.Cut(clean.Line(name), cellLen) }

// uncounted returns the entries whose lines are not counted yet. The caller holds
// the store's lock.
func (x *index) uncounted() (all []*entry) {
	for _, e := range x.entries {
		if e.lines.Load() == uncounted {
			all = append(all, e)
		}
	}
	return all
}

// count counts the lines of a result, unless they are known or ctx ends.
func (e *entry) count(ctx context.Context) {
	if e.lines.Load() != uncounted {
		return
	}
	var sum excerpt.Tally
	buf := make([]byte, 1<<16)
	for ctx.Err() == nil {
		n, err := e.node.ReadAt(ctx, buf, sum.Bytes)
		sum.Add(buf[:n])
		switch {
		case errors.Is(err, io.EOF):
			e.lines.Store(int64(sum.Lines()))
			return
		case err != nil && ctx.Err() == nil:
			e.lines.Store(unreadable)
			return
		}
	}
}

// work does what no reader waits for.
func (p *Provider) work(ctx context.Context) {
	p.tidy.Do(func() {
		p.store.sweep()
		p.store.prune()
	})
	p.count(ctx)
}

// count counts the lines of results that other programs have written, and renders the
// index again.
func (p *Provider) count(ctx context.Context) {
	for again := true; again; {
		var all []*entry
		p.store.update(func(now *index) change { all = now.uncounted(); return change{} })
		for _, e := range all {
			e.count(ctx)
		}
		if len(all) == 0 {
			return
		}
		p.store.update(func(now *index) change {
			again = ctx.Err() == nil && len(now.uncounted()) > 0
			now.changed = now.changed.Add(1) // the files are as old as before
			return change{state: true}
		})
	}
}
