package drop

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/jsonscan"
)

// draft is a file being written into a [Folder]. Its pieces may arrive in any order
// and may overlap if they agree; the bytes that are contiguous from the beginning
// are scanned as they arrive.
type draft struct {
	drop *Folder
	slot

	mu      sync.Mutex
	body    []byte           // contiguous from offset 0, up to the end of the object
	scanner jsonscan.Scanner // of the body
	depth   int              // of the scanner within the object
	pending pieces           // not contiguous yet
	waiting int64            // bytes in pending
	done    bool             // complete, rejected or abandoned
	verdict error            // of every Write once done
}

// Write implements Draft.
func (w *draft) Write(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.verdict
	switch {
	case w.done && err == nil:
		err = w.afterwards(p, off)
	case !w.done:
		err = w.take(p, off)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Abandon implements Draft.
func (w *draft) Abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.done {
		w.fail(invalidBody("the file ended before its JSON object was complete"))
	}
	w.body = nil
}

// take adds a piece. An error in the body ends the draft.
func (w *draft) take(p []byte, off int64) error {
	limit := w.drop.opts.MaxBody
	if off > limit-int64(len(p)) || w.waiting > limit-int64(len(p)) {
		return w.fail(fmt.Errorf("%w: at most %d bytes are accepted here", fs.ErrTooLarge, limit))
	}
	if off > int64(len(w.body)) {
		heap.Push(&w.pending, piece{off, slices.Clone(p)})
		w.waiting += int64(len(p))
		return nil
	}
	end, err := w.extend(p, off)
	for end < 0 && err == nil && len(w.pending) > 0 && w.pending[0].off <= int64(len(w.body)) {
		next := heap.Pop(&w.pending).(piece)
		w.waiting -= int64(len(next.body))
		end, err = w.extend(next.body, next.off)
	}
	if err == nil && end >= 0 {
		err = w.complete(end)
	}
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// extend adds a piece adjacent to the contiguous bytes. End is the end of the
// object, or -1.
func (w *draft) extend(p []byte, off int64) (end int, err error) {
	known := min(len(p), len(w.body)-int(off))
	if !bytes.Equal(p[:known], w.body[off:int(off)+known]) {
		return -1, invalidBody("bytes that were written already were changed")
	}
	w.body = append(w.body, p[known:]...)
	w.scanner.Text = w.body
	end, err = w.scan()
	w.scanner.Text = nil
	return end, err
}

// scan reads the tokens that have arrived. End is the end of the object, or -1.
// Only the outline is checked (white space, the opening brace, strings and
// nesting); the object is then passed to [checkObject]. It is not called again
// after the end.
func (w *draft) scan() (end int, err error) {
	for {
		t := w.scanner.Next()
		switch {
		case t.Kind == jsonscan.End:
			return -1, nil
		case w.depth == 0 && t.Kind != '{':
			return -1, invalidBody("it begins with %q instead of {", rune(w.body[t.Begin]))
		case t.Kind == jsonscan.Open:
			return -1, nil
		case t.Kind == '{', t.Kind == '[':
			w.depth++
		case t.Kind == '}', t.Kind == ']':
			if w.depth--; w.depth == 0 {
				return t.End, nil
			}
		}
	}
}

// complete passes the object, which ends at end, to Accept.
func (w *draft) complete(end int) error {
	if !isSpace(w.body[end:]) {
		return errTrailing
	}
	w.body = w.body[:end:end]
	for _, p := range w.pending {
		if err := w.afterwards(p.body, p.off); err != nil {
			return err
		}
	}
	w.pending = nil
	if err := checkObject(w.body); err != nil {
		return err
	}
	var work Work
	err := fs.Guard(func() (err error) {
		work, err = w.drop.opts.Accept(w.drop.ctx, w.name, w.from, w.body)
		return err
	})
	if err != nil {
		return err
	}
	w.done = true
	w.drop.start(w, work)
	return nil
}

var errTrailing = invalidBody("something follows the object")

// afterwards checks a piece that arrives after the object is complete: it may
// repeat the object, or be white space after it.
func (w *draft) afterwards(p []byte, off int64) error {
	if off < int64(len(w.body)) {
		known := min(len(p), len(w.body)-int(off))
		if !bytes.Equal(p[:known], w.body[off:int(off)+known]) {
			return invalidBody("bytes that were written already were changed")
		}
		p = p[known:]
	}
	if !isSpace(p) {
		return errTrailing
	}
	return nil
}

// fail ends the draft with an error, and returns that.
func (w *draft) fail(err error) error {
	w.done, w.verdict = true, err
	w.body, w.pending = nil, nil
	w.drop.finish(w, Outcome{Error: err.Error()})
	return err
}

// pieces is a heap, the lowest offset first.
type pieces []piece

type piece struct {
	off  int64
	body []byte
}

func (h pieces) Len() int           { return len(h) }
func (h pieces) Less(i, j int) bool { return h[i].off < h[j].off }
func (h pieces) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *pieces) Push(x any)        { *h = append(*h, x.(piece)) }

func (h *pieces) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	(*h)[last] = piece{}
	*h = (*h)[:last]
	return p
}

// checkObject returns an error unless body, which has the outline of one object,
// is JSON.
func checkObject(body []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if err == nil {
		return nil
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return invalidBody("%v at byte %d", syntax, syntax.Offset)
	}
	return invalidBody("%v", err)
}

func invalidBody(format string, args ...any) error {
	return fmt.Errorf("%w: not one JSON object: %s", fs.ErrInvalid, fmt.Sprintf(format, args...))
}

// isSpace reports whether p is JSON white space only.
func isSpace(p []byte) bool {
	s := jsonscan.Scanner{Text: p}
	return s.Next().Kind == jsonscan.End
}
