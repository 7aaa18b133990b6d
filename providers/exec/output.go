package exec

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/atomicfile"
)

// output is what came of a command, for one path. It is immutable, and stored as a JSON
// file beside its body.
type output struct {
	Path string    `json:"path"` // in its folder
	Ran  time.Time `json:"ran"`
	// Made identifies the command: that of another one is not this path's output.
	Made string `json:"made"`
	// Failed says on one line how the command has failed, "" if it has not. The body is
	// then about that, and Good the last output before it.
	Failed string `json:"failed,omitempty"`
	// Listed reports whether it was fetched because a listing names it, or its path has no
	// placeholder: a refresh runs its command again.
	Listed bool  `json:"listed,omitempty"`
	Body   body  `json:"body"`
	Good   *body `json:"good,omitempty"`
}

// body is a text that a command has printed, or that says how it has failed.
type body struct {
	File string    `json:"file"` // in the folder of the store
	Size int64     `json:"size"`
	At   time.Time `json:"at"`

	node fs.File
	kept []byte // the text itself, where it cannot be stored; else nil
}

// failedTime is how long a failure is shown before the command may run again.
const failedTime = time.Minute

// ends returns when an output expires.
func (o *output) ends(lifetime time.Duration) time.Time {
	if o.Failed != "" && !o.Listed {
		return o.Ran.Add(min(lifetime, failedTime))
	}
	return o.Ran.Add(lifetime)
}

// bodies are those that the output shows.
func (o *output) bodies() []*body {
	if o.Good != nil {
		return []*body{&o.Body, o.Good}
	}
	return []*body{&o.Body}
}

// store is the folder on disk with the outputs of one folder of the tree.
type store struct {
	dir string
	// retired are bodies that nothing shows any more. They are deleted a while later, since
	// a program may be reading one.
	retired []retired
	next    int
}

type retired struct {
	file string
	at   time.Time
}

// readTime is how long a body stays on disk after it is no longer shown.
const readTime = time.Minute

// diskOptions promise that files on disk do not change: each body is a file of its own.
func diskOptions() fs.DiskOptions { return fs.DiskOptions{Watched: func(string) bool { return true }} }

// load returns the outputs that are stored, and the names of the files that no output
// needs.
func (s *store) load(made func(path string) string) (outputs map[string]*output, unneeded []string) {
	all := make(map[string]*output)
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return all, nil // no file yet
	}
	needed := make(map[string]bool)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), metaExt) {
			continue
		}
		o := s.read(entry.Name())
		if o == nil || o.Made != made(o.Path) {
			continue
		}
		all[o.Path] = o
		needed[entry.Name()] = true
		for _, b := range o.bodies() {
			needed[b.File] = true
		}
	}
	for _, entry := range entries {
		if name := entry.Name(); !needed[name] && name != refreshedName {
			unneeded = append(unneeded, name)
		}
	}
	return all, unneeded
}

// clear removes files that have not changed since a time. Another process may be writing
// younger ones, and the path of an output may be back in the configuration soon.
func (s *store) clear(names []string, since time.Time) {
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		if info, err := os.Lstat(path); err == nil && info.ModTime().Before(since) {
			os.Remove(path)
		}
	}
}

// read returns the output that a file is about; nil if it is about none that is whole.
func (s *store) read(meta string) *output {
	text, err := os.ReadFile(filepath.Join(s.dir, meta))
	o := new(output)
	if err != nil || json.Unmarshal(text, o) != nil || s.metaOf(o.Path) != meta || !s.open(o) {
		return nil
	}
	return o
}

// open makes the nodes of an output, and reports whether its bodies are there.
func (s *store) open(o *output) bool {
	for _, b := range o.bodies() {
		if filepath.Base(b.File) != b.File {
			return false
		}
		node, err := fs.NewDiskFile(filepath.Join(s.dir, b.File), diskOptions())
		if err != nil {
			return false
		}
		b.node = node
	}
	return true
}

const (
	metaExt = ".json"
	bodyExt = ".out"
)

// baseOf returns the beginning of the names of the files for a path.
func baseOf(path string) string { return strconv.FormatUint(hash(path), 36) }

func (s *store) metaOf(path string) string { return baseOf(path) + metaExt }

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write(append([]byte(part), 0))
	}
	return h.Sum64()
}

// save stores an output with the text of its body. What cannot be stored stays in memory:
// the error says why, and the output is complete all the same.
func (s *store) save(o *output, text []byte) error {
	o.Body.Size, o.Body.At = int64(len(text)), o.Ran
	s.next++
	o.Body.File = baseOf(o.Path) + "-" + strconv.FormatInt(o.Ran.UnixNano(), 36) + "-" + strconv.Itoa(s.next) + bodyExt
	path := filepath.Join(s.dir, o.Body.File)
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		err = atomicfile.Write(path, text)
	}
	if err == nil {
		err = os.Chtimes(path, o.Ran, o.Ran)
	}
	if err == nil {
		o.Body.node, err = fs.NewDiskFile(path, diskOptions())
	}
	if err == nil && (o.Good == nil || o.Good.kept == nil) {
		err = s.saveMeta(o)
	}
	if err != nil {
		os.Remove(path)
		os.Remove(filepath.Join(s.dir, s.metaOf(o.Path)))
		o.Body.node, o.Body.kept = fs.NewText(o.Ran, text), text
	}
	return err
}

func (s *store) saveMeta(o *output) error {
	meta, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.dir, s.metaOf(o.Path)), meta)
}

// retire gives up the bodies of an output that another one has replaced; it may be nil.
func (s *store) retire(old, by *output, now time.Time) {
	if by == nil {
		os.Remove(filepath.Join(s.dir, s.metaOf(old.Path)))
	}
	for _, b := range old.bodies() {
		shown := by != nil && slices.ContainsFunc(by.bodies(), func(n *body) bool { return n.File == b.File })
		if !shown && b.kept == nil {
			s.retired = append(s.retired, retired{b.File, now})
		}
	}
	for len(s.retired) > 0 && now.Sub(s.retired[0].at) > readTime {
		if err := os.Remove(filepath.Join(s.dir, s.retired[0].file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return // later
		}
		s.retired = s.retired[1:]
	}
}

// listing is what the listing command of a folder has printed.
type listing struct {
	Ran   time.Time `json:"ran"`
	Names []string  `json:"names"` // as they came
	// Failed is as in output; Names are then those of the time before.
	Failed string `json:"failed,omitempty"`
	// Left says which names were not fetched, and why.
	Left string `json:"left,omitempty"`
}

// refreshed is the file with all listings of a folder.
type refreshed struct {
	Ran      time.Time           `json:"ran"`
	Listings map[string]*listing `json:"listings"` // by the paths of their folders
}

const refreshedName = "refreshed"

func (s *store) loadRefreshed() (r refreshed) {
	if text, err := os.ReadFile(filepath.Join(s.dir, refreshedName)); err == nil && json.Unmarshal(text, &r) != nil {
		r = refreshed{}
	}
	if r.Listings == nil {
		r.Listings = make(map[string]*listing)
	}
	for path, l := range r.Listings {
		if l == nil {
			delete(r.Listings, path)
		}
	}
	return r
}

func (s *store) saveRefreshed(r refreshed) error {
	text, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.dir, refreshedName), text)
}
