package cache

import (
	"bytes"
	"context"
	"ctxfs/fs"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/source"
)

// Result says where a text is that is not whole in the transcript.
type Result struct {
	Name string
	// at is the record in the log or, if its Part is stored, the text in the entry.
	at    event.Span
	Size  int64 // of the text, in bytes
	Time  time.Time
	Spill string // the file with the whole, where the record has only a part
}

const stored = -1

// append writes a line of the table of results.
func (r *Result) append(dst []byte) []byte {
	dst = append(append(dst, r.Name...), '\t')
	stamp := int64(0)
	if !r.Time.IsZero() {
		stamp = r.Time.UnixNano()
	}
	for _, n := range []int64{r.at.Offset, r.at.Length, int64(r.at.Part), r.Size, stamp} {
		dst = append(strconv.AppendInt(dst, n, 10), '\t')
	}
	if !strings.ContainsAny(r.Spill, "\t\n") {
		dst = append(dst, r.Spill...)
	}
	return append(dst, '\n')
}

// readResults reads the table of results of an entry.
func (b *Entry) readResults() ([]Result, error) {
	text, err := readPart(filepath.Join(b.dir, resultsFileName(b.Generation)), 0, b.Index)
	if err != nil {
		return nil, err
	}
	return parseResults(text, bytes.Count(text, []byte("\n")))
}

// parseResults reads the first lines of a table of results. What follows them was
// not published yet.
func parseResults(text []byte, count int) ([]Result, error) {
	all := make([]Result, 0, count)
	for line := range bytes.Lines(text) {
		if len(all) == count {
			break
		}
		cells := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(cells) != 7 {
			return nil, errChanged
		}
		var n [5]int64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseInt(cells[i+1], 10, 64); err != nil {
				return nil, errChanged
			}
		}
		r := Result{Name: cells[0], at: event.Span{Offset: n[0], Length: n[1], Part: int(n[2])}, Size: n[3], Spill: cells[6]}
		if n[4] != 0 {
			r.Time = time.Unix(0, n[4])
		}
		all = append(all, r)
	}
	if len(all) < count {
		return nil, errChanged
	}
	return all, nil
}

// Text returns the text, from the entry in a folder or from the source that the
// record is in. The error is fs.ErrNotExist if the source has been rewritten.
func (r *Result) Text(dir string, generation uint32, src *source.Source) ([]byte, error) {
	if r.at.Part == stored {
		text := make([]byte, r.at.Length)
		_, err := source.ReadAt(filepath.Join(dir, textFileName(generation)), text, r.at.Offset)
		return text, err
	}
	if src == nil {
		return nil, fs.ErrNotExist
	}
	format, ok := src.Format.(history.Log)
	if !ok {
		return nil, fs.ErrNotExist
	}
	log, err := source.OpenLog(src.Path, format.Compressed, r.at.Offset)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if r.at.Length < 0 || r.at.Length > source.MaxLine {
		return nil, fs.ErrNotExist
	}
	line := make([]byte, r.at.Length)
	if _, err := io.ReadFull(log, line); err != nil {
		return nil, err
	}
	var out event.Collector
	_, err = source.Guard(func() (any, error) {
		format.Open(src.Path).Record(bytes.TrimRight(line, "\r\n"), &out)
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	out.Events = slices.DeleteFunc(out.Events, func(e event.Event) bool { return isMark(&e) })
	if r.at.Part >= len(out.Events) {
		return nil, fs.ErrNotExist // the log was rewritten, and will be rendered again
	}
	out.Events[r.at.Part].Mask()
	text := render.ResultText(&out.Events[r.at.Part])
	if int64(len(text)) != r.Size {
		return nil, fs.ErrNotExist
	}
	return text, nil
}

// Results returns the first count lines of the table of results of a session, and
// the size of the table in bytes. An entry that was deleted is rebuilt.
func (c *Cache) Results(ctx context.Context, s *catalogue.Session, generation uint32, count int) (all []Result, size int64, err error) {
	text, err := os.ReadFile(c.path(s, resultsFileName(generation)))
	if errors.Is(err, os.ErrNotExist) {
		if err = c.renderAgain(ctx, s, false); err == nil {
			text, err = os.ReadFile(c.path(s, resultsFileName(generation)))
		}
	}
	if err != nil {
		return nil, 0, err
	}
	all, err = parseResults(text, count)
	return all, int64(len(text)), err
}
