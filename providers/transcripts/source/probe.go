package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// MaxStart is how much of a log is read at most to find out what it is, in
// bytes.
const MaxStart = 512 << 10

// ReadStart reads the beginning of a log until it is known what session it is.
func ReadStart(path string, format history.Log, mem *[]byte) (info event.Session, first string, err error) {
	out := &headSink{info: event.Session{ID: format.ID, Parent: format.Parent}}
	f, err := os.Open(path)
	if err != nil {
		return out.info, "", err
	}
	defer f.Close()
	var text io.Reader = f
	if format.Compressed {
		z, err := zstd.NewReader(f)
		if err != nil {
			return out.info, "", err
		}
		defer z.Close()
		text = z
	}
	reader := format.Open(path)
	buf := (*mem)[:0]
	defer func() { *mem = buf }()
	for len(buf) < MaxStart {
		have := len(buf)
		more := max(have, 32<<10)
		buf = slices.Grow(buf, more)[:have+more]
		n, err := io.ReadFull(text, buf[have:])
		buf = buf[:have+n]
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return out.info, out.first, err
		}
		if bytes.IndexByte(buf[have:], '\n') < 0 && !ended {
			continue
		}
		// From the beginning each time: the lines are few, and the reader is
		// cheap to have again.
		*out = headSink{info: event.Session{ID: format.ID, Parent: format.Parent}}
		reader = format.Open(path)
		for rest := buf; len(rest) > 0 && !out.done(); {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole && !(ended && completeObject(line)) {
				break
			}
			rest = after
			if line = bytes.TrimSpace(line); len(line) > 0 {
				if _, err := Guard(func() (any, error) { reader.Record(line, out); return nil, nil }); err != nil {
					continue // rendering tells of it
				}
			}
		}
		if out.done() || ended {
			break
		}
	}
	out.info.Last = time.Time{} // which is further on
	return out.info, out.first, nil
}

// headSink is interested in the session alone.
type headSink struct {
	info  event.Session
	seq   int
	first string
	time  time.Time // of the newest event
}

// done tells whether all is known. A reader that notes ids has noted the first by
// then.
func (h *headSink) done() bool { return Complete(&h.info) }

// Complete tells whether a session has what its folder's name is made of.
func Complete(info *event.Session) bool {
	return info.ID != "" && info.CWD != "" && info.TitleRank >= event.FromPrompt && !info.Start.IsZero()
}

func (h *headSink) Session() *event.Session { return &h.info }
func (h *headSink) Emit(e event.Event) int {
	h.info.Saw(e.Time)
	h.time = e.Time
	h.seq++
	return h.seq
}

// Note takes the first id with its time: not all agents' ids are unique, and
// whoever repeats a record repeats its time.
func (h *headSink) Note(id string) {
	if h.first == "" {
		h.first = id + " " + h.time.Format(time.RFC3339Nano)
	}
}

func (h *headSink) Known(string) (int, bool) { return 0, false }
func (h *headSink) Inherited(string) bool    { return false }
