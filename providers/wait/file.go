package wait

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/linematch"
)

// Files waits for files of the machine, as this process sees them.
type Files struct {
	// Dir is the folder to which names are relative, an absolute path. Home is the user's.
	Dir, Home string
	// Within is a folder outside of which nothing is waited for, or "".
	Within string
	// Hide reports whether a path is in one of our own views; it may be nil.
	Hide func(path string) bool
}

// Awaits implements await.Awaiter.
func (Files) Awaits() []await.Awaitable {
	return []await.Awaitable{{Kind: "file", Name: "PATH", Until: []string{"", "--for REGEX", "--gone"}}}
}

// Await implements await.Awaiter.
func (f Files) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	if c.Name == "" {
		return nil, noSense("file: which file? give its path")
	}
	path := wording.ExpandTilde(c.Name, f.Home)
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Dir, path)
	}
	w := &fileWait{Files: f, path: filepath.Clean(path), name: c.Name}
	if f.Hide != nil && f.Hide(w.path) {
		return nil, &await.AwaitError{State: await.NoSense, What: c.Name + " is in a mount of ctxfs", Mend: "wait for what it shows: terminal, session, server, or the file on disk"}
	}
	if f.Within != "" && !fs.Within(w.path, f.Within) {
		return nil, &await.AwaitError{State: await.NoSense, What: c.Name + " is not in the folder in which you work", Mend: "name a file in " + f.Within}
	}
	switch c.Until {
	case "":
	case "--gone":
		w.gone = true
	case forWord:
		pattern, err := regexp.Compile(c.Pattern)
		if err != nil {
			return nil, noSense("--for: " + err.Error())
		}
		w.lines = &linematch.Finder{Pattern: pattern}
	default:
		return nil, noSense(fmt.Sprintf("file PATH waits until it exists, with --for REGEX for a line, with --gone until it does not, but not %s", c.Until))
	}
	return w, nil
}

func noSense(what string) error { return &await.AwaitError{State: await.NoSense, What: what} }

type fileWait struct {
	Files
	path, name string
	gone       bool
	lines      *linematch.Finder // nil waits for the file itself
	read       os.FileInfo       // the file that was read
}

// Paths implements await.Pending.
func (w *fileWait) Paths() []string { return []string{w.path} }

// Check implements await.Pending. A file that was replaced or has become shorter is read from
// its beginning.
func (w *fileWait) Check(ctx context.Context) (await.Standing, error) {
	more := "tail " + wording.ShellWord(w.path)
	if w.Within != "" {
		if real, err := filepath.EvalSymlinks(w.path); err == nil && !fs.Within(real, w.Within) {
			return await.Standing{State: await.Never, What: w.name + " leads out of the folder in which you work"}, nil
		}
	}
	info, err := os.Stat(w.path)
	missing := errors.Is(err, iofs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	switch {
	case missing && w.gone:
		return await.Standing{State: await.Met, What: w.name + " is gone"}, nil
	case missing:
		w.read = nil
		return await.Standing{What: w.name + " does not exist"}, nil
	case err != nil:
		return await.Standing{What: fmt.Sprintf("%s: %v", w.name, wording.Cause(err))}, nil // it may be allowed later
	case w.gone:
		return await.Standing{What: w.name + " exists"}, nil
	case w.lines == nil:
		what := fmt.Sprintf("%s exists, %s", w.name, wording.Size(info.Size()))
		if info.IsDir() {
			what, more = w.name+" exists, a folder", "ls "+wording.ShellWord(w.path)
		}
		return await.Standing{State: await.Met, What: what, More: more}, nil
	case !info.Mode().IsRegular():
		return await.Standing{State: await.Never, What: w.name + " is no regular file"}, nil
	}
	f, err := os.OpenFile(w.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return await.Standing{What: fmt.Sprintf("%s: %v", w.name, wording.Cause(err))}, nil
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return await.Standing{What: w.name + " is being replaced"}, nil
	}
	if w.read == nil || !os.SameFile(w.read, info) || info.Size() < w.lines.Read() {
		w.lines.Reset()
	}
	w.read = info
	m, err := w.lines.Next(f, info.Size(), ctx.Err)
	if err != nil {
		return await.Standing{}, err
	}
	if m != nil {
		return await.Standing{State: await.Met, What: fmt.Sprintf("%s:%d: %s", w.name, m.Number, linematch.Shown(m.Text)), More: fmt.Sprintf("tail -n +%d %s", m.Number, wording.ShellWord(w.path))}, nil
	}
	return await.Standing{What: w.name + " has no such line", More: more}, nil
}
