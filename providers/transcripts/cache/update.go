package cache

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
	"ctxfs/providers/transcripts/source"
)

// job is what is to be rendered: a source as it was found.
type job struct {
	source    *source.Source
	info      event.Session
	inherited *inherited // the records that are left out
	// generation is the number of the last rendering, same says that it was made
	// from the source as it is.
	generation uint32
	same       bool
	// messages reports that messages.jsonl is wanted too.
	messages bool
}

// errChanged means that the source no longer begins with what was rendered.
var errChanged = errors.New("the history was rewritten")

// update brings an entry up to date with a source: new records are appended, and if
// the source no longer begins with what was rendered, or that is lost, everything is
// rendered again, as the next generation.
func (c *Cache) update(ctx context.Context, b *Entry, j *job) error {
	err := errChanged
	copied := b.Whole && b.Source.Stat != j.source.Stat // it may have records of its own by now
	if b.Generation > 0 && b.Format == Format && !copied {
		err = c.appendTo(ctx, b, j)
	}
	for tries := 0; (errors.Is(err, errChanged) || errors.Is(err, errLost)) && tries < maxTries; tries++ {
		if err := b.startGeneration(j.info); err != nil {
			return err
		}
		if j.messages {
			b.Messages = 0
		}
		err = c.appendTo(ctx, b, j)
		if err == nil && b.Transcript == 0 && j.inherited.sum() != 0 {
			b.Generation-- // it was not published
			if err = b.startGeneration(j.info); err != nil {
				return err
			}
			b.Whole = true
			if j.messages {
				b.Messages = 0
			}
			err = c.appendTo(ctx, b, j)
		}
	}
	return err
}

// maxTries is how often rendering starts again because the log was rewritten
// meanwhile.
const maxTries = 3

// appendTo appends what is new in the source.
func (c *Cache) appendTo(ctx context.Context, b *Entry, j *job) error {
	if b.Repeats != j.inherited.sum() && b.Seq > 0 {
		return errChanged
	}
	w := &writer{entry: b, scratch: c.borrow()}
	b.Writer.Taken = w.taken
	defer func() {
		b.Writer.Taken = nil // the entry may stay open, and must not keep what it was written with
		c.release(w.scratch)
	}()
	w.inherit(b, j.inherited)
	b.Repeats = j.inherited.sum()
	mergeInfo(&b.Session, j.info)
	var err error
	switch format := j.source.Format.(type) {
	case history.Log:
		err = c.appendLog(ctx, w, j, format)
	case history.Store:
		err = c.appendStore(ctx, w, j, format)
	default:
		return fmt.Errorf("%s is not read yet", j.source.Path)
	}
	if err != nil {
		return err
	}
	w.flush()
	if w.err != nil {
		return w.err
	}
	b.Source.Path, b.Source.Stamp, b.Source.Stat = j.source.Path, j.source.Stamp, j.source.Stat
	if written := time.Unix(0, j.source.Stat.ModTime).UTC(); j.source.Key == "" && !b.Timed && !b.Session.Start.IsZero() {
		b.Session.Saw(written.Truncate(time.Second)) // only the first record has a time: the last one is when the log was written to
	}
	return nil
}

// mergeInfo adds what only the place of the source tells.
func mergeInfo(s *event.Session, from event.Session) {
	s.Agent, s.ID = from.Agent, from.ID
	s.Parent = cmp.Or(s.Parent, from.Parent)
	s.ForkOf = cmp.Or(s.ForkOf, from.ForkOf)
	s.CWD = cmp.Or(s.CWD, from.CWD)
	s.Project = cmp.Or(s.Project, from.Project)
	s.Name(from.TitleRank, from.Title)
	s.Archived = from.Archived
}

// same reports whether a log still begins with what was read of it.
func (b *Entry) same(j *job, compressed bool) (bool, error) {
	src := &b.Source
	if src.Offset == 0 {
		return b.Seq == 0, nil
	}
	if compressed || src.Path != j.source.Path || src.Stat.Inode != j.source.Stat.Inode || src.Stat.Size >= j.source.Stat.Size {
		sum, err := source.Checksum(j.source.Path, compressed, src.Offset)
		return sum == src.Sum, err
	}
	tail, err := source.TailChecksum(j.source.Path, src.Offset)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return tail == src.Tail, err
}

// appendLog reads on in a log and appends what is new.
func (c *Cache) appendLog(ctx context.Context, w *writer, j *job, format history.Log) error {
	b := w.entry
	if ok, err := b.same(j, format.Compressed); err != nil || !ok {
		if err == nil {
			err = errChanged
		}
		return err
	}
	w.keepTexts = format.KeepTexts
	reader := format.Open(j.source.Path)
	if len(b.Reader) > 0 {
		if err := json.Unmarshal(b.Reader, reader); err != nil {
			return errChanged
		}
	}
	log, err := source.OpenLog(j.source.Path, format.Compressed, b.Source.Offset)
	if err != nil {
		return err
	}
	defer log.Close()
	l := &source.Lines{From: log, Offset: b.Source.Offset, Sum: b.Source.Sum}
	if err := w.lines(ctx, l, reader); err != nil {
		return err
	}
	b.Source.Offset, b.Source.Sum = l.Offset, l.Sum
	if !format.Compressed {
		if b.Source.Tail, err = source.TailChecksum(j.source.Path, l.Offset); errors.Is(err, io.EOF) {
			return errChanged // it was truncated meanwhile
		} else if err != nil {
			return err
		}
	}
	b.Reader, err = json.Marshal(reader)
	return err
}

// lines passes all lines to a reader.
func (w *writer) lines(ctx context.Context, l *source.Lines, reader history.Reader) error {
	l.Buf = w.read[:cap(w.read)]
	defer func() { w.read = l.Buf }()
	for w.err == nil {
		line, at, length, err := l.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		w.span = event.Span{Offset: at, Length: length}
		w.record(reader, line)
	}
	return w.err
}

// record passes one line to a reader. A line that makes the reader fail is shown as an
// unknown record; it does not end the run.
func (w *writer) record(reader history.Reader, line []byte) {
	before := w.entry.Seq
	_, err := source.Guard(func() (any, error) {
		switch {
		case line == nil:
			w.Emit(event.Event{Kind: event.Unknown, Text: fmt.Sprintf("a line of %d bytes, which is too long to be read", w.span.Length)})
		case len(bytes.TrimSpace(line)) > 0:
			reader.Record(line, w)
		}
		return nil, nil
	})
	if err != nil && w.entry.Seq == before {
		w.Emit(event.Event{Kind: event.Unknown, Text: err.Error(), Record: string(line)})
	}
}

// appendStore reads a session of a store whole and appends what is new.
func (c *Cache) appendStore(ctx context.Context, w *writer, j *job, format history.Store) error {
	w.keepTexts = true
	sums, err := w.entry.readSums()
	if err != nil {
		return errChanged
	}
	w.entry.ids = make(map[uint64]uint32) // all are recorded again
	w.entry.IDs = 0
	out := &storeWriter{writer: w, sums: sums}
	_, err = source.Guard(func() (any, error) { return nil, format.Read(ctx, j.source.Path, j.source.Key, out) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case out.differs || err == nil && out.count < len(sums):
		return errChanged
	case err != nil && (out.count == 0 || out.count < len(sums)):
		return err
	case err != nil:
		// Its sum is recorded too: once the store can be read, everything is
		// rendered again.
		out.Emit(event.Event{Kind: event.Unknown, Text: "what follows cannot be read: " + err.Error()})
		if out.differs {
			return errChanged
		}
	}
	return nil
}

// storeWriter is a writer for the events of a store: it appends those that are new,
// and compares the others with what was rendered.
type storeWriter struct {
	*writer
	sums    []uint64
	count   int
	differs bool
	line    []byte
}

func (w *storeWriter) Emit(e event.Event) int {
	if w.differs {
		return w.count
	}
	w.count++
	e.Seq = w.count
	w.line = render.AppendJSON(w.line[:0], &e)
	sum := fs.BytesVersion(w.line)
	if w.count <= len(w.sums) {
		w.differs = w.sums[w.count-1] != sum
		return w.count
	}
	w.writer.sums = binary.LittleEndian.AppendUint64(w.writer.sums, sum)
	return w.writer.Emit(e)
}

func (w *storeWriter) Note(id string) {
	w.writer.entry.ids[HashID(id)] = uint32(w.count)
	w.writer.ids = appendID(w.writer.ids, HashID(id), uint32(w.count))
}

func (w *storeWriter) Known(id string) (int, bool) {
	seq, ok := w.writer.entry.ids[HashID(id)]
	return int(seq), ok
}

// makeMessages writes messages.jsonl of an entry that is up to date, with exactly the
// events that its transcript has.
func (c *Cache) makeMessages(ctx context.Context, b *Entry, j *job) error {
	shadow := &Entry{dir: b.dir, ids: make(map[uint64]uint32)}
	shadow.state = state{Generation: b.Generation, Session: j.info}
	w := &writer{entry: shadow, scratch: c.borrow(), messagesOnly: true, limit: b.Seq}
	defer c.release(w.scratch)
	w.inherit(b, j.inherited)
	switch format := j.source.Format.(type) {
	case history.Log:
		log, err := source.OpenLog(j.source.Path, format.Compressed, 0)
		if err != nil {
			return err
		}
		defer log.Close()
		l := &source.Lines{From: io.LimitReader(log, b.Source.Offset)}
		if err := w.lines(ctx, l, format.Open(j.source.Path)); err != nil {
			return err
		}
	case history.Store:
		_, err := source.Guard(func() (any, error) { return nil, format.Read(ctx, j.source.Path, j.source.Key, w) })
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && shadow.Seq == 0:
			return err
		case err != nil:
			w.Emit(event.Event{Kind: event.Unknown, Text: "what follows cannot be read: " + err.Error()})
		}
	}
	if w.flush(); w.err != nil {
		return w.err
	}
	b.Messages = shadow.Messages
	return nil
}
