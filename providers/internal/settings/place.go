package settings

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is "file:line: " for a key, the beginning of an error; "file: " where
// the line cannot be told.
func (f *File) place(key []string) string {
	if line := f.line(key); line > 0 {
		return fmt.Sprintf("%s:%d: ", f.path, line)
	}
	return f.path + ": "
}

// Line is the first line that names the table or key at path; 0 without any.
func (f *File) Line(path ...string) int { return f.line(path) }

// line is the first line that names a key or something in it; within an inline
// table it is that of the innermost key around it. Without any it is 0.
func (f *File) line(key []string) int {
	var (
		p            unstable.Parser // the decoder tells no places of what it accepts
		table        []string
		offset, best = 0, 0
	)
	p.Reset(f.text)
	for p.NextExpression() {
		e := p.Expression()
		var at []string
		if e.Kind == unstable.KeyValue {
			at = slices.Clone(table)
		}
		begin := -1
		for k := e.Key(); k.Next(); {
			if begin < 0 {
				begin = int(k.Node().Raw.Offset)
			}
			at = append(at, string(k.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = at
		}
		if n := min(len(at), len(key)); n > best && slices.Equal(at[:n], key[:n]) {
			best, offset = n, begin
		}
	}
	if best == 0 {
		return 0
	}
	return 1 + bytes.Count(f.text[:offset], []byte("\n"))
}
