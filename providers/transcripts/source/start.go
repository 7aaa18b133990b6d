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

// MaxStart is how much of a log ReadStart reads at most, in bytes.
const MaxStart = 512 << 10

// ReadStart reads the beginning of a log until it is known which session it is. It
// returns what is known of that, and its first native id with the time of its
// record. It works in mem, which the caller may use again.
func ReadStart(path string, format history.Log, mem *[]byte) (info event.Session, first string, err error) {
	out := &startSink{info: event.Session{ID: format.ID, Parent: format.Parent}}
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
		// Read from the beginning each time: the lines are few, and opening a reader
		// is cheap.
		*out = startSink{info: event.Session{ID: format.ID, Parent: format.Parent}}
		reader = format.Open(path)
		for rest := buf; len(rest) > 0 && !out.done(); {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole && !(ended && completeObject(line)) {
				break
			}
			rest = after
			if line = bytes.TrimSpace(line); len(line) > 0 {
				if _, err := Guard(func() (any, error) { reader.Record(line, out); return nil, nil }); err != nil {
					continue // rendering shows it
				}
			}
		}
		if out.done() || ended {
			break
		}
	}
	out.info.Last = time.Time{} // it stands further on
	return out.info, out.first, nil
}

// startSink is a Sink that records the session and drops the events.
type startSink struct {
	info  event.Session
	seq   int
	first string
	time  time.Time // of the newest event
}

// done reports whether all is known. A reader that records ids has recorded the
// first by then.
func (h *startSink) done() bool { return Identified(&h.info) }

// Identified reports whether a session has everything that the name of its folder is
// made of.
func Identified(info *event.Session) bool {
	return info.ID != "" && info.CWD != "" && info.TitleRank >= event.FromPrompt && !info.Start.IsZero()
}

func (h *startSink) Session() *event.Session { return &h.info }
func (h *startSink) Emit(e event.Event) int {
	h.info.Saw(e.Time)
	h.time = e.Time
	h.seq++
	return h.seq
}

// Note records the first id that has a time: the ids of some agents are not unique,
// but a record that is repeated has the same time.
func (h *startSink) Note(id string) {
	if h.first == "" && !h.time.IsZero() {
		h.first = id + " " + h.time.Format(time.RFC3339Nano)
	}
}

func (h *startSink) Known(string) (int, bool) { return 0, false }
func (h *startSink) Inherited(string) bool    { return false }
