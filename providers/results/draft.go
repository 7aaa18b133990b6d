package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/mask"
)

// Saved is a stored result.
type Saved struct {
	Name  string // of its file
	Path  string // on disk
	Bytes int64
	Lines int // as wc -l counts them, plus a last one without an end
}

// Save stores a result. With an ending ("png") the file is exactly body. Without an
// ending body is text, whose form and ending follow from its content: JSON is
// indented (.json), JSON Lines (.jsonl) and other text (.txt) stay as they are,
// without hidden characters. Secrets in text are masked. Save needs at most one
// more copy of the text. The file is in the tree before Save returns. Errors are
// worded for the user; after an error there is no file.
func (s *Store) Save(o Origin, ext string, body []byte) (Saved, error) {
	f := form{ext: ext}
	switch ext {
	case "":
		f = formOf(masked(body))
	case extJSON, extLines:
		body = mask.JSON(body)
	case extText:
		body = masked(body)
	}
	d, err := s.Create(o, f.ext)
	if err != nil {
		return Saved{}, err
	}
	defer d.Abandon()
	if f.write != nil {
		err = f.write(d)
	} else {
		_, err = d.Write(body)
	}
	if err != nil {
		return Saved{}, err
	}
	return d.Commit()
}

// masked returns a text, of whatever form, with its secrets masked.
func masked(body []byte) []byte {
	if trimmed := bytes.TrimLeft(body, jsonSpace); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		return mask.JSON(body)
	}
	return mask.New().Mask(body)
}

// Draft is a result that is being written. It is invisible until Commit. It is
// not safe for concurrent use.
type Draft struct {
	store  *Store
	origin Origin
	ext    string
	file   *os.File
	buf    *bufio.Writer
	tally  excerpt.Tally
	err    error // why it accepts no more
}

// errDone is the error of a draft that was committed or abandoned.
var errDone = errors.New("the result is no longer being written")

// Create begins a result whose file will have an ending. The bytes are stored
// as they are written: the caller must remove control bytes from foreign text,
// and call Commit or Abandon.
func (s *Store) Create(o Origin, ext string) (*Draft, error) {
	if !isExt(ext) {
		return nil, fmt.Errorf("%w: no result may end in %q", fs.ErrInvalid, ext)
	}
	f, err := s.createDraft()
	if err != nil {
		return nil, s.failed(err)
	}
	return &Draft{store: s, origin: o, ext: ext, file: f, buf: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (s *Store) createDraft() (*os.File, error) {
	if err := os.MkdirAll(s.journal.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.journal.dir, draftPrefix+"*") // 0600
	if err == nil {
		// The lock shows that the draft is being written, however slowly. Where
		// files cannot be locked, a recent modification time does.
		_ = filelock.TryFile(f, filelock.Exclusive)
	}
	return f, err
}

// draftPrefix begins the names of drafts.
const draftPrefix = "draft-"

// Write implements io.Writer. After an error nothing is kept.
func (d *Draft) Write(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.buf.Write(p)
	if err != nil {
		d.discard(d.store.failed(err))
		return n, d.err
	}
	d.tally.Add(p)
	return n, nil
}

// Abandon deletes the draft. After Commit it does nothing.
func (d *Draft) Abandon() {
	if d.err == nil {
		d.discard(errDone)
	}
}

// discard deletes what was written, immediately: it may be what fills the disk.
func (d *Draft) discard(err error) {
	d.err = err
	d.file.Close()
	os.Remove(d.file.Name())
}

// Commit makes the result permanent. The file is in the tree before Commit
// returns. Then results beyond the limits are deleted.
func (d *Draft) Commit() (Saved, error) {
	if d.err != nil {
		return Saved{}, d.err
	}
	r, err := d.publish()
	if err != nil {
		d.discard(d.store.failed(err))
		return Saved{}, d.err
	}
	d.err = errDone
	s := d.store
	s.broken.Store(nil)
	s.update(func(now *index) change {
		now.expect(r)
		return now.update(r.File).and(now.prune())
	})
	return Saved{Name: r.File, Path: filepath.Join(s.opts.Dir, r.File), Bytes: r.Bytes, Lines: r.Lines}, nil
}

// publish gives the complete draft its name. The line in the journal comes
// first, so that it exists for every reader of the file.
func (d *Draft) publish() (record, error) {
	if err := d.buf.Flush(); err != nil {
		return record{}, err
	}
	s, now := d.store, d.store.opts.Now()
	// The last write may be hours ago, and a draft that no process has open and
	// that has not been written to for long is considered that of a dead process.
	if err := os.Chtimes(d.file.Name(), now, now); err != nil {
		return record{}, err
	}
	if err := d.file.Close(); err != nil {
		return record{}, err
	}
	name := ""
	for taken := true; taken; {
		name = fileName(now, d.origin, newID(), d.ext)
		_, err := os.Lstat(filepath.Join(s.opts.Dir, name))
		taken = err == nil
	}
	r := newRecord(name, now, d.origin, d.tally.Bytes, d.tally.Lines())
	if err := s.journal.append(r); err != nil {
		s.opts.Log.Warn("a result has no line in the journal", "file", name, "error", err)
	}
	return r, os.Rename(d.file.Name(), filepath.Join(s.opts.Dir, name))
}

// failed returns the error of a save, worded for the user, and shows it until a
// save succeeds.
func (s *Store) failed(err error) error {
	f := s.fault("kept", err)
	s.broken.Store(f)
	s.mu.Lock()
	view := s.view
	s.mu.Unlock()
	if view != nil {
		view.announce(change{})
	}
	return f
}
