package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

// rowTime is the format of times in the index: RFC 3339, UTC, with thousandths.
const rowTime = "2006-01-02T15:04:05.000Z"

// indexFile is the file of an index as it is now. Files whose lines nobody has
// counted are read when it is.
func (x *index) indexFile() fs.Node {
	entries := x.entries
	return fs.NewRendered(x.changed, x.sum, func(ctx context.Context) ([]byte, error) {
		return render(ctx, entries), nil
	})
}

// render makes the table, newest first.
func render(ctx context.Context, entries []*entry) []byte {
	var out strings.Builder
	out.WriteString(columns)
	if len(entries) == 0 {
		out.WriteString(noneLine)
	}
	for _, e := range slices.Backward(entries) {
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", e.time.UTC().Format(rowTime),
			cell(e.origin.Source), cell(e.origin.Server), cell(e.origin.Tool), e.size, e.count(ctx), e.name)
	}
	return []byte(out.String())
}

// cellLen is the length in bytes of what the index tells of a foreign name.
const cellLen = 200

func cell(name string) string { return clean.Cut(clean.Line(name), cellLen) }

// count is the number of lines of a result, "" if it cannot be read.
func (e *entry) count(ctx context.Context) string {
	if n := e.lines.Load(); n != uncounted {
		return strconv.FormatInt(n, 10)
	}
	var sum excerpt.Tally
	buf := make([]byte, 1<<16)
	for {
		n, err := e.node.ReadAt(ctx, buf, sum.Bytes)
		sum.Add(buf[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return ""
		}
	}
	e.lines.Store(int64(sum.Lines()))
	return strconv.Itoa(sum.Lines())
}
