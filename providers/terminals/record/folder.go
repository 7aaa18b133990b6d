package record

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/names"
)

// folder is the folder of one terminal, and why it cannot be written, if so.
type folder struct {
	root, id string
	dev, ino uint64

	fault   error // why nothing can be written
	retryAt time.Time
}

func (d *folder) path() string            { return filepath.Join(d.root, d.id) }
func (d *folder) file(name string) string { return filepath.Join(d.root, d.id, name) }

// retryTime is how long nothing is tried again after a fault.
const retryTime = time.Second

// failed records that something cannot be written.
func (d *folder) failed(now time.Time, err error) {
	d.fault, d.retryAt = err, now.Add(retryTime)
}

func (d *folder) works() { d.fault, d.retryAt = nil, time.Time{} }

// blocked reports whether it is too early to try again.
func (d *folder) blocked(now time.Time) bool { return d.retryAt.After(now) }

// make creates a new folder with an ID. ErrExist means that the ID is taken.
func (d *folder) make(id string) error {
	if err := os.MkdirAll(d.root, 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(d.root, id), 0o700); err != nil {
		return err
	}
	return d.open(id)
}

// open uses the existing folder with an ID.
func (d *folder) open(id string) error {
	d.id = id
	st, err := d.stat()
	if err != nil {
		return err
	}
	d.dev, d.ino = uint64(st.Dev), st.Ino
	return nil
}

func (d *folder) stat() (st syscall.Stat_t, err error) {
	if err := syscall.Lstat(d.path(), &st); err != nil {
		return st, &iofs.PathError{Op: "stat", Path: d.path(), Err: err}
	}
	return st, nil
}

// exists reports whether our folder is still in its place.
func (d *folder) exists() bool {
	st, err := d.stat()
	return err != nil && !errors.Is(err, iofs.ErrNotExist) || err == nil && uint64(st.Dev) == d.dev && st.Ino == d.ino
}

// recreate creates a deleted folder again, with another ID if another terminal has
// taken ours.
func (d *folder) recreate() error {
	err := d.make(d.id)
	for n := 2; errors.Is(err, iofs.ErrExist); n++ {
		id := strings.TrimRight(d.id, "0123456789")
		if id == "" {
			return d.count()
		}
		err = d.make(strings.TrimSuffix(id, "~") + "~" + strconv.Itoa(n))
	}
	return err
}

// count creates a folder whose ID is the next number.
func (d *folder) count() error {
	for {
		ids, err := list(d.root)
		if err != nil {
			return err
		}
		last := 0
		for _, id := range ids {
			if n, err := strconv.Atoi(id); err == nil {
				last = max(last, n)
			}
		}
		if err := d.make(strconv.Itoa(last + 1)); !errors.Is(err, iofs.ErrExist) {
			return err
		}
	}
}

// takeName creates a folder with an ID, or with the next free one while a terminal
// with that ID runs. A terminal that has ended gives its ID up.
func (d *folder) takeName(id string) error {
	err := d.make(id)
	if errors.Is(err, iofs.ErrExist) && !inUse(filepath.Join(d.root, id)) {
		if err = d.renameAway(id); err == nil {
			err = d.make(id)
		}
	}
	for n := 2; errors.Is(err, iofs.ErrExist); n++ {
		err = d.make(id + "~" + strconv.Itoa(n))
	}
	return err
}

// inUse reports whether a terminal runs in a folder, or is about to.
func inUse(dir string) bool {
	t, err := Load(dir)
	if err != nil {
		return true // leave it alone
	}
	return t.Running()
}

// renameAway renames a folder to the next free ID.
func (d *folder) renameAway(id string) error {
	for n := 2; ; n++ {
		to := filepath.Join(d.root, id+"~"+strconv.Itoa(n))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		err := os.Rename(filepath.Join(d.root, id), to)
		if errors.Is(err, iofs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
			continue
		}
		return err
	}
}

// abandon removes a folder where nothing could be recorded.
func (d *folder) abandon() { os.RemoveAll(d.path()) }

// occupy creates or opens the folder of a new recording.
func (r *Recorder) occupy() error {
	r.dir.root = filepath.Clean(r.opts.Dir)
	if r.opts.Name == "" {
		return r.dir.count()
	}
	id := names.File(r.opts.Name)
	if !strings.ContainsFunc(id, func(c rune) bool { return c < '0' || c > '9' }) {
		return fmt.Errorf("a terminal cannot be named %q: numbers are for terminals without a name", r.opts.Name)
	}
	return r.dir.takeName(id)
}

// list returns the IDs of the terminals in a folder, sorted; none if the folder
// does not exist.
func list(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// List returns the IDs of the terminals in a folder, sorted; none if the folder
// does not exist.
func List(root string) ([]string, error) {
	ids, err := list(root)
	return slices.DeleteFunc(ids, func(id string) bool { return !IsID(id) }), err
}

// IsID reports whether a terminal's folder may have that name.
func IsID(name string) bool {
	plain := strings.ReplaceAll(name, "~", "_")
	return plain != "" && names.File(plain) == plain
}
