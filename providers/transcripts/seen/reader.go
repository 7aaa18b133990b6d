package seen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// Reader reads what sessions have seen. What it has read of the last few sessions it
// keeps, and reads on where it stopped. It is safe for concurrent use.
type Reader struct {
	mu   sync.Mutex
	kept []*session // the last used first
}

// maxKept is how many sessions are kept.
const maxKept = 3

// session is what was read of a session.
type session struct {
	mu      sync.Mutex
	agent   string
	id      string
	cwd     string
	source  source.Source // as it was read
	offset  int64         // of a log
	sum     uint32
	reader  history.Reader
	sink    *sink
	tracker *Tracker
}

// Read returns what a session has seen of files, as its source tells now. The error is
// that of the source, or of ctx.
func (r *Reader) Read(ctx context.Context, info event.Session, src *source.Source) ([]facts.Read, error) {
	s := r.session(info)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.update(ctx, info.CWD, src); err != nil {
		s.tracker = nil // read from the start the next time
		return nil, err
	}
	if s.tracker.results == 0 {
		defer func() { s.tracker = nil }() // Reads has ended the calls
	}
	return s.tracker.Reads(), nil
}

// session returns what is kept of a session.
func (r *Reader) session(info event.Session) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range r.kept {
		if s.agent == info.Agent && s.id == info.ID {
			copy(r.kept[1:i+1], r.kept[:i])
			r.kept[0] = s
			return s
		}
	}
	s := &session{agent: info.Agent, id: info.ID}
	r.kept = append([]*session{s}, r.kept[:min(len(r.kept), maxKept-1)]...)
	return s
}

func (s *session) update(ctx context.Context, cwd string, src *source.Source) error {
	switch format := src.Format.(type) {
	case history.Log:
		return s.updateLog(ctx, cwd, src, format)
	case history.Store:
		if info, err := os.Lstat(src.Path); err == nil && src.Key != "" { // it may have been written since it was found
			now := *src
			now.Stat = source.WithJournal(src.Path, source.StatOf(info))
			src = &now
		}
		if s.tracker != nil && s.cwd == cwd && s.source.Path == src.Path && s.source.Key == src.Key && s.source.Stamp == src.Stamp && s.source.Stat == src.Stat {
			return nil
		}
		s.start(cwd)
		s.source = *src
		_, err := source.Guard(func() (any, error) { return nil, format.Read(ctx, src.Path, src.Key, s.sink) })
		return err
	}
	return fmt.Errorf("%s is not read yet", src.Path)
}

func (s *session) start(cwd string) {
	s.cwd, s.offset, s.sum, s.reader = cwd, 0, 0, nil
	s.tracker = NewTracker(s.agent, cwd)
	s.sink = &sink{tracker: s.tracker, known: make(map[uint64]int)}
}

func (s *session) updateLog(ctx context.Context, cwd string, src *source.Source, format history.Log) error {
	if s.tracker == nil || s.cwd != cwd || s.source.Path != src.Path || format.Compressed || !s.begins(src) {
		s.start(cwd)
		s.reader = format.Open(src.Path)
	}
	s.source = *src
	log, err := source.OpenLog(src.Path, format.Compressed, s.offset)
	if err != nil {
		return err
	}
	defer log.Close()
	lines := &source.Lines{From: log, Offset: s.offset}
	for {
		line, _, _, err := lines.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if line != nil {
			// A record that is not understood is left out, as in the transcript.
			_, _ = source.Guard(func() (any, error) { s.reader.Record(line, s.sink); return nil, nil })
		}
	}
	s.offset = lines.Offset
	if !format.Compressed {
		s.sum, err = source.TailChecksum(src.Path, s.offset)
	}
	return err
}

// begins reports whether the log still begins with what was read.
func (s *session) begins(src *source.Source) bool {
	if s.source.Stat.Inode != src.Stat.Inode {
		return false
	}
	sum, err := source.TailChecksum(src.Path, s.offset)
	return err == nil && sum == s.sum
}

// sink passes events to a tracker. It inherits nothing: what a session that was continued
// has seen is in this one's context, too.
type sink struct {
	tracker *Tracker
	info    event.Session
	seq     int
	known   map[uint64]int // numbers of events by the hashes of their ids
}

var _ event.FileSink = (*sink)(nil)

// Session implements event.Sink.
func (s *sink) Session() *event.Session { return &s.info }

// Emit implements event.Sink.
func (s *sink) Emit(e event.Event) int {
	s.seq++
	s.tracker.Add(&e)
	return s.seq
}

// File implements event.FileSink.
func (s *sink) File(callID string, f event.File) { s.tracker.File(callID, f) }

// Note implements event.Sink.
func (s *sink) Note(id string) { s.known[hash(id)] = s.seq }

// Known implements event.Sink.
func (s *sink) Known(id string) (seq int, ok bool) {
	seq, ok = s.known[hash(id)]
	return seq, ok
}

// Inherited implements event.Sink.
func (s *sink) Inherited(string) bool { return false }

func hash(id string) uint64 { return fs.BytesVersion([]byte(id)) }
