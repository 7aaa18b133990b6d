package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/mounted"
)

// What is stored of files that are not committed: the others are known by their size and
// time alone, so that a forgotten folder of data is not copied.
const (
	maxFile  = 16 << 20  // the longest file
	maxBytes = 256 << 20 // all of them
	maxFiles = 20_000
)

// shadow is an index and a folder of objects beside those of a repository. With them git
// stores the state of its work tree, and neither its index nor its objects change.
type shadow struct {
	git  *Git
	repo repository
	dir  string // the folder of ours
	also string // another folder of objects that are known to it, or ""
	// Outside is a folder that is left out where it lies in the work tree.
	outside string
	// All has files stored however large they are, and however many.
	all bool
}

func (s shadow) index() string   { return filepath.Join(s.dir, "index") }
func (s shadow) objects() string { return filepath.Join(s.dir, "objects") }

// begin makes the shadow: a copy of the repository's index, which says of most files that
// they are as they were stored. Its time is kept, by which git knows which of them may have
// changed since within the same tick of the clock.
func (s shadow) begin() error {
	alternates := filepath.Join(s.objects(), "info", "alternates")
	if err := os.MkdirAll(filepath.Dir(alternates), 0o700); err != nil {
		return err
	}
	known := quoted(s.repo.Objects) + "\n"
	if s.also != "" {
		known += quoted(s.also) + "\n"
	}
	if err := os.WriteFile(alternates, []byte(known), 0o600); err != nil {
		return err
	}
	return copyIndex(s.repo.Index, s.index())
}

// quoted returns a path as git reads it in a list of alternates.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// copyIndex copies an index, with its time. There may be none.
func copyIndex(from, to string) error {
	source, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was added yet
	}
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, source)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// end removes the index and the objects.
func (s shadow) end() error {
	return errors.Join(os.RemoveAll(s.index()), os.RemoveAll(s.objects()))
}

// ask asks git about the repository by the shadow.
func (s shadow) ask(ctx context.Context, q question) ([]byte, error) {
	q.dir = s.repo.Top
	q.env = append([]string{"GIT_DIR=" + s.repo.Private, "GIT_WORK_TREE=" + s.repo.Top, "GIT_INDEX_FILE=" + s.index(), "GIT_OBJECT_DIRECTORY=" + s.objects()}, q.env...)
	return s.git.ask(ctx, q)
}

// stamp is what is known of a file that is not stored.
type stamp struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`
	Inode uint64 `json:"inode"`
}

// candidates returns the paths within the work tree of files that differ from the index, of
// those that are not ignored, and of those that are named; and of those that are too large
// to be stored the stamps instead. Repositories of their own, whose paths end with a slash,
// are among the latter. What is known by its stamp, and has not changed, is among neither.
func (s shadow) candidates(ctx context.Context, known map[string]stamp, named ...string) (small []string, large map[string]stamp, err error) {
	args := []string{"ls-files", "-z", "--modified", "--others", "--exclude-standard"}
	for point := range mounted.Below(s.repo.Top) { // such as that of ctxfs
		args = append(args, "--exclude=/"+escapePattern(strings.TrimPrefix(point, strings.TrimSuffix(s.repo.Top, "/")+"/")))
	}
	out, err := s.ask(ctx, question{args: args})
	if err != nil {
		return nil, nil, err
	}
	all := append(names(out), named...)
	slices.Sort(all)
	large = make(map[string]stamp)
	var sum int64
	for _, path := range slices.Compact(all) {
		full := filepath.Join(s.repo.Top, path)
		if within(full, s.outside) {
			continue
		}
		if strings.HasSuffix(path, "/") {
			if _, ok := known[path]; !ok {
				large[path] = stamp{}
			}
			continue
		}
		var is unix.Stat_t
		if unix.Lstat(full, &is) == nil && is.Mode&unix.S_IFMT == unix.S_IFREG {
			now := stamp{is.Size, is.Mtim.Nano(), is.Ino}
			if before, ok := known[path]; ok && before == now {
				continue
			}
			if tooMuch := is.Size > maxFile || sum+is.Size > maxBytes || len(small) >= maxFiles; tooMuch && !s.all || unix.Access(full, unix.R_OK) != nil {
				large[path] = now
				continue
			}
			sum += is.Size
		}
		small = append(small, path)
	}
	return small, large, nil
}

// add stores files of the work tree in the index as they are, or that they are not there.
func (s shadow) add(ctx context.Context, paths []string) error {
	through := throughLinks(s.repo.Top)
	paths = slices.DeleteFunc(slices.Clone(paths), through)
	if len(paths) == 0 {
		return nil
	}
	_, err := s.ask(ctx, question{args: []string{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}, input: list(paths)})
	return err
}

// list returns paths as git reads them with -z.
func list(paths []string) []byte {
	var b bytes.Buffer
	for _, path := range paths {
		b.WriteString(path)
		b.WriteByte(0)
	}
	return b.Bytes()
}

// throughLinks returns a function that reports whether a path within a folder leads through
// a symbolic link: git refuses those.
func throughLinks(top string) func(path string) bool {
	known := make(map[string]bool)
	var isThrough func(dir string) bool
	isThrough = func(dir string) bool {
		if dir == "." {
			return false
		}
		through, ok := known[dir]
		if !ok {
			info, err := os.Lstat(filepath.Join(top, dir))
			through = err == nil && info.Mode()&os.ModeSymlink != 0 || isThrough(filepath.Dir(dir))
			known[dir] = through
		}
		return through
	}
	return func(path string) bool { return isThrough(filepath.Dir(path)) }
}

// tree stores the index as a tree, and returns its name.
func (s shadow) tree(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, question{args: []string{"write-tree", "--missing-ok"}})
	return strings.TrimSpace(string(out)), err
}

// entry is a file that differs between two trees.
type entry struct {
	path           string
	oldMode, mode  string // "000000" where there is none
	oldBlob, blob  string
	added, deleted bool
}

// none is the mode of a file that is not there.
const none = "000000"

// compare returns the files that differ between two trees, sorted by path.
func (s shadow) compare(ctx context.Context, from, to string) ([]entry, error) {
	out, err := s.ask(ctx, question{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to}})
	if err != nil {
		return nil, err
	}
	var all []entry
	fields := names(out)
	for i := 0; i+1 < len(fields); i += 2 {
		is := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(is) != 5 {
			return nil, fmt.Errorf("git prints a line that is not understood: %q", fields[i])
		}
		all = append(all, entry{path: fields[i+1], oldMode: is[0], mode: is[1], oldBlob: is[2], blob: is[3], added: is[0] == none, deleted: is[1] == none})
	}
	return all, nil
}

// within reports whether a path is a folder or lies in it.
func within(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

// escapePattern returns a path as a pattern of gitignore(5) that matches only it.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `).Replace(path)
}
