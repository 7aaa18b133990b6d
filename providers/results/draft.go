package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/mask"
)

// Saved is a result that is kept.
type Saved struct {
	Name  string // of its file
	Path  string // where it lies on disk
	Bytes int64
	Lines int // as wc -l counts them, and a last one without an end
}

// Save keeps a result. With an ending ("png") the file holds body as it is.
// Without one body is text, whose form and ending are found from its content:
// JSON is indented (.json), JSON Lines (.jsonl) and other text (.txt) stay as
// they are, but for hidden characters. In text secrets are masked. It costs one more copy of the text at
// most. The file is in the tree before Save returns. Errors are in words for
// the user; after one there is no file.
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

// masked is a text, of whatever form, without its secrets.
func masked(body []byte) []byte {
	if trimmed := bytes.TrimLeft(body, jsonSpace); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		return mask.JSON(body)
	}
	return mask.New().Mask(body)
}

// Draft is a result that is being written. Nobody sees it until Commit. It is
// not safe for concurrent use.
type Draft struct {
	store  *Store
	origin Origin
	ext    string
	file   *os.File
	buf    *bufio.Writer
	tally  excerpt.Tally
	err    error // why it takes no more
}

// errDone is the error of a draft that was committed or abandoned.
var errDone = errors.New("the result is not being written any more")

// Create begins a result whose file will have that ending. The bytes are kept
// as they are written: control bytes of foreign text are the caller's to take
// out. Commit or Abandon must follow.
func (s *Store) Create(o Origin, ext string) (*Draft, error) {
	if !isExt(ext) {
		return nil, fmt.Errorf("%w: no file of results ends in %q", fs.ErrInvalid, ext)
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
		// Tells that somebody is at it, however slow. Where files cannot be
		// locked, that they were written lately tells it.
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
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

// Abandon throws the draft away. After Commit it does nothing.
func (d *Draft) Abandon() {
	if d.err == nil {
		d.discard(errDone)
	}
}

// discard removes what was written, at once: it may be what fills the disk.
func (d *Draft) discard(err error) {
	d.err = err
	d.file.Close()
	os.Remove(d.file.Name())
}

// Commit makes the result a file that stays. The file is in the tree before
// Commit returns. Then what is beyond the limits is deleted.
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
		return now.look(r.File).and(now.prune())
	})
	return Saved{Name: r.File, Path: filepath.Join(s.opts.Dir, r.File), Bytes: r.Bytes, Lines: r.Lines}, nil
}

// publish gives the draft its name, under which it is whole. The line in the
// journal comes first, so that whoever sees the file finds it.
func (d *Draft) publish() (record, error) {
	if err := d.buf.Flush(); err != nil {
		return record{}, err
	}
	s, now := d.store, d.store.opts.Now()
	// The last write may be hours ago, and a draft that nobody has open and
	// nobody has written to for long is taken for one of a dead process.
	if err := os.Chtimes(d.file.Name(), now, now); err != nil {
		return record{}, err
	}
	if err := d.file.Close(); err != nil {
		return record{}, err
	}
	name, release, err := s.reserve(func() string { return fileName(now, d.origin, newID(), d.ext) })
	if err != nil {
		return record{}, err
	}
	defer release()
	r := newRecord(name, now, d.origin, d.tally.Bytes, d.tally.Lines())
	if err := s.journal.append(r); err != nil {
		s.opts.Log.Warn("a result has no line in the journal", "file", name, "error", err)
	}
	return r, os.Rename(d.file.Name(), filepath.Join(s.opts.Dir, name))
}

// reserve finds a name that no result has and, until it is released, none can
// get: who holds the file of that name in our folder may use it, and looks
// whether it was used before.
func (s *Store) reserve(next func() string) (name string, release func(), err error) {
	for {
		name = next()
		reservation := filepath.Join(s.journal.dir, name)
		f, err := os.OpenFile(reservation, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, iofs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		f.Close()
		release = func() { os.Remove(reservation) }
		_, err = os.Lstat(filepath.Join(s.opts.Dir, name))
		if errors.Is(err, iofs.ErrNotExist) {
			return name, release, nil
		}
		release()
		if err != nil {
			return "", nil, err
		}
	}
}

// failed words an error of a save and has it shown until one goes well.
func (s *Store) failed(err error) error {
	f := s.fault("kept", err)
	s.broken.Store(f)
	s.mu.Lock()
	view := s.view
	s.mu.Unlock()
	if view != nil {
		view.tell(change{})
	}
	return f
}
