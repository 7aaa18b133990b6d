// Package read reads one file of rules: its front matter, its text made safe to show,
// and what it imports.
//
// Nothing here knows when a rule holds; that is in package scope. A file of a project is
// foreign: what it links to or imports must lie in the project ([Options.Root]), or it is
// named and not read.
package read

import (
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// MaxBytes is how much of a file is read, and how much of its text is kept with all
// that it imports. What is longer is cut, and [File.Cut] says so.
const MaxBytes = 128 << 10

// The reasons why a file is not read.
var (
	// ErrOutside reports a link out of the folder in which it may lead.
	ErrOutside = errors.New("is a link that leads out of its project")
	// ErrIrregular reports a folder, pipe, socket or device.
	ErrIrregular = errors.New("is not a regular file")
	// ErrRemote reports an address instead of a path.
	ErrRemote = errors.New("is on the web: its agent fetches it, and nothing here does")
)

// Elsewhere returns a file that the settings of an agent name and that is not read: by its
// address on the web, or outside of the project whose settings they are.
func Elsewhere(name string) *File {
	if strings.Contains(name, "://") {
		return &File{Path: name, Err: ErrRemote}
	}
	return &File{Path: name, Err: ErrElsewhere}
}

// Options say how a file is read.
type Options struct {
	// Root is the folder that links and imports may not lead out of, without symbolic
	// links; "" if they may, because the file is the user's own.
	Root string
	// Home is the user's home folder, for imports that begin with "~/".
	Home string
	// Hops is over how many files imports are followed; 0 if the agent knows no
	// imports.
	Hops int
	// Hide reports whether a path is not to be touched; it may be nil.
	Hide func(path string) bool
}

// File is a file of rules as it was when it was read. It is immutable.
type File struct {
	// Path is its absolute path, under the name that the agent reads.
	Path string
	// Err is why nothing is known but the path; it is nil if the file was read.
	Err error
	// Size is that of the file on disk, and Lines how many it has as far as it was
	// read; ModTime is when it, or something that it imports, was last written.
	Size    int64
	Lines   int
	ModTime time.Time
	// Cut reports whether Text is not all of it.
	Cut bool
	// Matter are the values of the front matter by key, as package frontmatter has
	// them; nil if the file has no front matter, or if MatterErr says why it cannot
	// be read.
	Matter    map[string]any
	MatterErr error
	// Warnings are sentences about front matter that was read although it is wrong.
	Warnings []string
	// Text is what follows the front matter, safe to show, with what it imports.
	Text string
	// Raw is the text as it stands in the file itself, safe to show.
	Raw string
	// Imports are the imports in it, in their order, also those that failed.
	Imports []Import

	opts Options
	deps []dependency
}

// dependency is a file that was read, or looked for, as it was then.
type dependency struct {
	path string
	info os.FileInfo // or nil
}

// Read reads a file. It waits for no pipe, and fails into [File.Err].
func Read(path string, opts Options) *File {
	f := &File{Path: path, opts: opts}
	body, err := f.load(path)
	if err != nil {
		f.Err = err
		return f
	}
	if clean.Binary(body) {
		f.Err = ErrNotText
		return f
	}
	matter, err := frontmatter.Parse(body)
	if errors.Is(err, frontmatter.ErrNone) {
		err = nil
	}
	f.Matter, f.MatterErr, f.Warnings = matter.Fields, err, matter.Warnings
	f.Lines = strings.Count(string(body), "\n")
	if len(body) > 0 && body[len(body)-1] != '\n' {
		f.Lines++
	}
	f.Raw = clean.Text(string(body[min(matter.Body, len(body)):]))
	f.Text = f.Raw
	if opts.Hops > 0 {
		i := importer{file: f, opts: opts, room: MaxBytes}
		f.Text = i.expand(f.Raw, path, opts.Hops, []string{path})
	}
	if len(f.Text) > MaxBytes {
		f.Text, f.Cut = clean.Prefix(f.Text, MaxBytes), true
	}
	return f
}

// load returns the first bytes of a file and remembers how it looked.
func (f *File) load(path string) ([]byte, error) {
	real, info, err := f.opts.look(path)
	f.deps = append(f.deps, dependency{path, info})
	switch {
	case err != nil:
		return nil, err
	case f.opts.Root != "" && !fs.Within(real, f.opts.Root):
		return nil, ErrOutside
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	}
	f.ModTime = wording.Later(f.ModTime, info.ModTime())
	if path == f.Path {
		f.Size = info.Size()
	}
	body, err := head(real)
	f.Cut = f.Cut || info.Size() > int64(len(body)) && err == nil
	return body, err
}

// look follows the links of a path, except into a view of ours, and returns how what it
// leads to looks.
func (o Options) look(path string) (real string, info os.FileInfo, err error) {
	if real, err = (fs.DiskOptions{Hide: o.Hide}).Resolve(path); err == nil {
		info, err = os.Lstat(real)
	}
	return real, info, err
}

// head reads the first [MaxBytes] of a regular file.
func head(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, MaxBytes))
}

// IsCurrent reports whether the file, and all that it imports, look as they did when
// they were read.
func (f *File) IsCurrent() bool {
	return !slices.ContainsFunc(f.deps, func(d dependency) bool {
		_, info, err := f.opts.look(d.path)
		if err != nil || d.info == nil {
			return err == nil || d.info != nil
		}
		return !os.SameFile(info, d.info) || info.Size() != d.info.Size() || !info.ModTime().Equal(d.info.ModTime()) || info.Mode() != d.info.Mode()
	})
}

// Watch returns the paths whose changes change the file.
func (f *File) Watch() (paths []string) {
	for _, d := range f.deps {
		paths = append(paths, d.path)
	}
	return paths
}

// IsMissing reports whether there is no such file.
func (f *File) IsMissing() bool { return errors.Is(f.Err, iofs.ErrNotExist) }

// IsEmpty reports whether the file has no text.
func (f *File) IsEmpty() bool { return f.Err == nil && strings.TrimSpace(f.Text) == "" }

// titleLen is the most of a title or description, in bytes.
const titleLen = 160

// About returns what the file says that it is about, as one line: the description of
// its front matter, else its first heading, else its first sentence; or "".
func (f *File) About() string {
	if s, _ := f.Matter["description"].(string); strings.TrimSpace(s) != "" {
		return clean.Cut(clean.Line(s), titleLen)
	}
	first, inComment := "", false
	for line := range strings.Lines(f.Text) {
		line = strings.TrimSpace(line)
		inComment = inComment && !strings.Contains(line, "-->") || strings.HasPrefix(line, "<!--") && !strings.Contains(line, "-->")
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.TrimSpace(heading) != "" {
			return clean.Cut(clean.Line(heading), titleLen)
		}
		if first == "" && line != "" && !inComment && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "<!--") && !strings.HasSuffix(line, "-->") && !strings.HasPrefix(line, "```") {
			first = line
		}
		if first != "" {
			break
		}
	}
	return clean.Sentence(strings.TrimLeft(first, "-*> "), titleLen)
}

// Gist returns a line for those who do not read the file: the description of its front
// matter, else its first sentence that says something, else its first heading.
func (f *File) Gist() string {
	if s, _ := f.Matter["description"].(string); strings.TrimSpace(s) != "" {
		return f.About()
	}
	inComment := false
	for line := range strings.Lines(f.Text) {
		line = strings.TrimSpace(line)
		inComment = inComment && !strings.Contains(line, "-->") || strings.HasPrefix(line, "<!--") && !strings.Contains(line, "-->")
		if line != "" && !inComment && !isBoilerplate(line) {
			return clean.Sentence(strings.TrimLeft(line, "-*> "), titleLen)
		}
	}
	return f.About()
}

// isBoilerplate reports whether a line says nothing of the rules: a heading, an import, a
// comment, a fence, or what every file of an agent begins with.
func isBoilerplate(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "@") || strings.HasPrefix(line, "<!--") || strings.HasSuffix(line, "-->") ||
		strings.HasPrefix(line, "```") || strings.HasPrefix(line, "This file provides guidance to ")
}
