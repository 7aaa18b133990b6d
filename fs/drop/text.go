package drop

import (
	"context"
	"ctxfs/fs"
	"fmt"
	"slices"
	"sync"
	"time"
)

// defaultQuiet is Options.Quiet where that is 0.
const defaultQuiet = time.Second

// textDraft is a file being written into a [Folder] that takes texts. Its pieces may
// arrive in any order, and later ones replace earlier ones.
type textDraft struct {
	drop *Folder
	slot

	mu      sync.Mutex
	body    []byte
	written []span      // of the body, sorted, apart from each other
	quiet   *time.Timer // runs from the last write; nil before the first
	done    bool        // taken or rejected
	verdict error       // of every Write once done
}

// span is a part of a body: from an offset up to another.
type span struct{ from, to int64 }

// Write implements Draft.
func (w *textDraft) Write(_ context.Context, p []byte, off int64) (int, error) {
	limit := w.drop.opts.MaxBody
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.done && w.verdict != nil:
		return 0, w.verdict
	case w.done:
		return 0, fmt.Errorf("%w: %s was taken already, after %s without a write", fs.ErrInvalid, w.name, w.drop.opts.Quiet)
	case off > limit-int64(len(p)):
		return 0, w.end(fmt.Errorf("%w: at most %d bytes are accepted here", fs.ErrTooLarge, limit))
	}
	if more := off + int64(len(p)) - int64(len(w.body)); more > 0 {
		w.body = append(w.body, make([]byte, more)...)
	}
	copy(w.body[off:], p)
	w.cover(span{off, off + int64(len(p))})
	if w.quiet == nil {
		w.quiet = time.AfterFunc(w.drop.opts.Quiet, w.take)
	} else {
		w.quiet.Reset(w.drop.opts.Quiet)
	}
	return len(p), nil
}

// cover adds a span to those that were written.
func (w *textDraft) cover(s span) {
	w.written = slices.DeleteFunc(w.written, func(o span) bool {
		if o.to < s.from || s.to < o.from {
			return false
		}
		s.from, s.to = min(s.from, o.from), max(s.to, o.to)
		return true
	})
	at, _ := slices.BinarySearchFunc(w.written, s, func(o, s span) int { return int(o.from - s.from) })
	w.written = slices.Insert(w.written, at, s)
}

// Abandon implements Draft: nothing more will be written, so the text is complete.
func (w *textDraft) Abandon() { w.take() }

// take passes the text to Accept, unless that was done.
func (w *textDraft) take() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	switch {
	case len(w.body) == 0:
		w.end(fmt.Errorf("%w: the file is empty", fs.ErrInvalid))
		return
	case len(w.written) != 1 || w.written[0] != span{0, int64(len(w.body))}:
		w.end(fmt.Errorf("%w: some of the file was not written", fs.ErrInvalid))
		return
	}
	var work Work
	err := fs.Guard(func() (err error) {
		work, err = w.drop.opts.Accept(w.drop.ctx, w.name, w.from, w.body)
		return err
	})
	if err != nil {
		w.end(err)
		return
	}
	w.stop()
	w.drop.start(w, work)
}

// end ends the draft with an error, and returns that.
func (w *textDraft) end(err error) error {
	w.stop()
	w.verdict = err
	w.drop.finish(w, Outcome{Error: err.Error()})
	return err
}

// stop closes the draft to further writes.
func (w *textDraft) stop() {
	w.done, w.body, w.written = true, nil, nil
	if w.quiet != nil {
		w.quiet.Stop()
	}
}
