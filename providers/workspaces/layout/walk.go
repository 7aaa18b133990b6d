package layout

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/internal/mounted"
)

const (
	// maxKept is how many names of files are remembered, of the folders that come first;
	// more could not be shown within any sensible budget.
	maxKept = 20_000
	// together is how many folders are read before the limits are looked at again.
	together = 256
	// maxExt is the length of the longest file name extension that is a kind of its own.
	maxExt = 12
	// repositoryRemark is the remark about a repository in the tree, which is shown all
	// the same.
	repositoryRemark = "repository"
)

// walk counts what is below a folder, breadth-first.
type walk struct {
	dir      string
	hide     func(path string) bool
	mounts   map[string]bool // other file systems below dir
	user     []byte
	device   uint64
	root     *folder
	all      []*folder // breadth-first
	entries  int
	kept     int
	complete bool
}

// folder is a folder that was found.
type folder struct {
	name    string
	path    string
	parent  *folder
	matcher *ignore.Matcher
	depth   int

	// remark says why it was not read, or what it is.
	remark   string
	vanished bool
	folders  []*folder // sorted by name
	files    []file    // sorted by name; none where too many are remembered already
	ignored  []string  // names; of the walk's root only
	own      count     // of the files directly in it
	total    count     // of all files and folders below it
}

// file is what is no folder.
type file struct {
	name string
	link bool
}

// count is a number of files, by kind, and of folders.
type count struct {
	files, folders int
	kinds          map[string]int // "*.go"; files without an extension have no kind
}

func newWalk(dir string, opts Options) *walk {
	w := &walk{dir: dir, hide: opts.Hide, user: opts.User, mounts: mounted.Below(dir), complete: true}
	if w.hide == nil {
		w.hide = func(string) bool { return false }
	}
	return w
}

// run walks. It returns an error only if the folder itself cannot be read.
func (w *walk) run(ctx context.Context, matcher *ignore.Matcher) error {
	w.root = &folder{path: w.dir, matcher: matcher}
	found, err := w.list(w.root)
	if err != nil {
		return err
	}
	w.adopt(w.root, found)
	workers := min(runtime.GOMAXPROCS(0), 4)
	for begin := 0; begin < len(w.all); {
		if ctx.Err() != nil || w.entries > maxEntries {
			w.complete = false
			break
		}
		batch := w.all[begin:min(len(w.all), begin+together)]
		begin += len(batch)
		lists := make([]listing, len(batch))
		var wait cell.Group
		for i := range workers {
			wait.Go(func() {
				for j := i; j < len(batch) && ctx.Err() == nil; j += workers {
					lists[j], _ = w.list(batch[j])
				}
			})
		}
		wait.Wait()
		for i, f := range batch {
			w.adopt(f, lists[i])
		}
	}
	if ctx.Err() != nil {
		w.complete = false
	}
	w.sum()
	return nil
}

// listing is what one folder has.
type listing struct {
	folders []string
	files   []file
	ignored []string
	own     count
}

// list reads a folder. Where it cannot, the folder says so.
func (w *walk) list(f *folder) (l listing, err error) {
	if f.remark != "" {
		return l, nil
	}
	entries, err := w.read(f)
	if errors.Is(err, fs.ErrNotExist) {
		f.vanished = true
	} else if err != nil {
		f.remark = "cannot be read: " + wording.Cause(err).Error()
	}
	if err != nil {
		return l, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	switch {
	case f != w.root && has("HEAD") && has("objects") && has("refs"):
		f.remark = "bare repository"
		return l, nil
	case f != w.root && has(".git"):
		f.remark = repositoryRemark
		f.matcher = ignore.Of(f.path, w.user)
	case f != w.root && has(".gitignore"):
		f.matcher = f.matcher.With(ignore.Read(filepath.Join(f.path, ".gitignore")))
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == ".git":
		case f.matcher.Ignored(name, e.IsDir()):
			if f == w.root {
				if e.IsDir() {
					name += "/"
				}
				l.ignored = append(l.ignored, name)
			}
		case e.IsDir():
			l.folders = append(l.folders, name)
		default:
			l.files = append(l.files, file{name, e.Type()&fs.ModeSymlink != 0})
			l.own.add(kindOf(name), 1)
		}
	}
	slices.Sort(l.folders)
	slices.Sort(l.ignored)
	slices.SortFunc(l.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return l, nil
}

// read returns the entries of a folder, or the first ones.
func (w *walk) read(f *folder) ([]fs.DirEntry, error) {
	dir, err := os.OpenFile(f.path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if info, err := dir.Stat(); err != nil {
		return nil, err
	} else if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		if device := uint64(stat.Dev); f == w.root {
			w.device = device
		} else if device != w.device {
			return nil, errors.New("another file system")
		}
	}
	entries, err := dir.ReadDir(maxEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// adopt puts what a folder has into the walk.
func (w *walk) adopt(f *folder, l listing) {
	w.entries += len(l.folders) + len(l.files)
	f.ignored, f.own = l.ignored, l.own
	if w.kept < maxKept {
		f.files = l.files
		w.kept += len(l.files)
	}
	for _, name := range l.folders {
		sub := &folder{name: name, path: f.path + "/" + name, parent: f, depth: f.depth + 1}
		switch {
		case w.hide(sub.path):
			sub.remark = "a mount of ctxfs"
		case w.mounts[sub.path]:
			sub.remark = "another file system"
		}
		sub.matcher = f.matcher.In(name, nil)
		f.folders = append(f.folders, sub)
		w.all = append(w.all, sub)
	}
}

// sum adds up what is below each folder. What has vanished is left out.
func (w *walk) sum() {
	for _, f := range slices.Backward(append([]*folder{w.root}, w.all...)) {
		f.folders = slices.DeleteFunc(f.folders, func(sub *folder) bool { return sub.vanished })
		f.total.merge(f.own)
		for _, sub := range f.folders {
			f.total.merge(sub.total)
			f.total.folders++
		}
	}
}

func (c *count) add(kind string, n int) {
	c.files += n
	if kind != "" {
		if c.kinds == nil {
			c.kinds = make(map[string]int)
		}
		c.kinds[kind] += n
	}
}

// merge adds another count.
func (c *count) merge(other count) {
	c.files, c.folders = c.files+other.files, c.folders+other.folders
	if c.kinds == nil && len(other.kinds) > 0 {
		c.kinds = make(map[string]int, len(other.kinds))
	}
	for kind, n := range other.kinds {
		c.kinds[kind] += n
	}
}

// most returns the most frequent kinds, with their numbers.
func (c *count) most() []string {
	return slices.SortedFunc(maps.Keys(c.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.kinds[b], c.kinds[a]), strings.Compare(a, b))
	})
}

// kindOf returns the kind of a file by its name; "" if it has no extension.
func kindOf(name string) string {
	ext := filepath.Ext(name)
	if len(ext) < 2 || len(ext) > maxExt || len(ext) == len(name) {
		return ""
	}
	return "*" + ext
}
