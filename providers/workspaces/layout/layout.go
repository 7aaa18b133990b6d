// Package layout shows what is in a folder and below it, breadth-first and within a budget
// of tokens: the text of layout.txt. What git ignores is left out; what there is no room
// for is counted by kind:
//
//	/home/ada/shop/: 1204 files, 96 folders, without what git ignores
//	  src/
//	    cart/ [+41 files (38 *.ts, 3 *.snap) & 4 dirs]
//	    index.ts
//	    [+12 files (12 *.ts) & 0 dirs]
//	  package.json
package layout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/ignore"
)

const (
	// maxEntries is how many files and folders are counted.
	maxEntries = 500_000
	// patience is for how long they are counted. A page says that it is not complete
	// where either limit was reached.
	patience = 5 * time.Second
	// maxName is the length of the longest name that is shown, in bytes.
	maxName = 120
)

// Options say what is shown and how much of it.
type Options struct {
	// Budget is how many tokens the text has at most, unless the lines about the folder
	// itself have more.
	Budget int
	// Depth is how many levels of folders are shown; 0 means all.
	Depth int
	// User are the user's own patterns of what git ignores, see [ignore.User].
	User []byte
	// Hide reports whether a path is the root of one of our own views, which is not
	// touched. It may be nil.
	Hide func(path string) bool
}

// Layout is what is in a folder.
type Layout struct {
	// Files and Folders are how many are at any depth, without what git ignores.
	Files, Folders int
	// Complete reports whether all were counted.
	Complete bool
	// Text is the text of layout.txt.
	Text string
}

// ErrOutside is the error for a subfolder that is not in its folder: its path leads up, or
// over a symbolic link.
var ErrOutside = errors.New("not a folder below it")

// Read returns what is in a subfolder of a folder; sub is its path relative to root, "."
// for root itself. It reads names only, and of files none but .gitignore.
func Read(ctx context.Context, root, sub string, opts Options) (Layout, error) {
	dir, err := descend(root, sub)
	if err != nil {
		return Layout{}, err
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w := newWalk(dir, opts)
	if err := w.run(limited, ignore.Of(dir, opts.User)); err != nil {
		return Layout{}, err
	}
	if err := ctx.Err(); err != nil {
		return Layout{}, err
	}
	l := Layout{Files: w.root.total.files, Folders: w.root.total.folders, Complete: w.complete}
	l.Text = render(w, opts)
	return l, nil
}

// descend returns the path of a subfolder.
func descend(root, sub string) (string, error) {
	if !filepath.IsLocal(sub) {
		return "", &fs.PathError{Op: "layout", Path: sub, Err: ErrOutside}
	}
	dir := root
	for name := range strings.SplitSeq(filepath.Clean(sub), string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		info, err := os.Lstat(dir)
		if err != nil {
			return "", err
		}
		if !info.IsDir() && name != "." {
			return "", &fs.PathError{Op: "layout", Path: dir, Err: ErrOutside}
		}
	}
	return dir, nil
}

// head returns the first line.
func head(w *walk) string {
	counts := fmt.Sprintf("%s, %s", wording.Count(w.root.total.files, "files"), wording.Count(w.root.total.folders, "folders"))
	if !w.complete {
		counts = "more than " + counts + " (not all were counted)"
	}
	return fmt.Sprintf("%s/: %s, without what git ignores\n", strings.TrimSuffix(clean.Path(w.dir, 4*maxName), "/"), counts)
}

// foot returns the last line, which names what git ignores in the folder itself, or
// "".
func foot(w *walk) string {
	const most = 12
	var names []string
	for _, name := range w.root.ignored {
		names = append(names, clean.Path(name, maxName))
	}
	if len(names) == 0 {
		return ""
	}
	return "Ignored by git: " + wording.List(names, most) + "\n"
}
