package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/memory/fact"
)

const (
	// patience is how long a writer waits for another one.
	patience = 5 * time.Second
	// abandoned is the age of a half-written file whose writer was killed.
	abandoned = time.Hour
	// maxTrash is how many forgotten memories are kept, the last ones.
	maxTrash = 200
	// maxNames bounds the memories whose descriptions begin with the same words.
	maxNames = 100_000
)

// ErrEmpty reports that there is nothing to remember.
var ErrEmpty = fmt.Errorf("%w: there is nothing to remember", fs.ErrInvalid)

// Draft is a memory to be added.
type Draft struct {
	// Text is Markdown, with or without front matter. Name is that of its file; with ""
	// it is made of its description.
	Text, Name string
	// Description, Type and Scope take precedence over the front matter; "" leaves it to
	// that, and then to the text.
	Description string
	Type        fact.Type
	Scope       string
	Source      string
}

// Added is what became of a Draft.
type Added struct {
	Memory *fact.Memory
	// Known reports that it was known already: nothing has changed.
	Known bool
	// Masked reports that it had a secret, which was hidden.
	Masked bool
	// Scoped reports that its text named the scope, or the caller did.
	Scoped bool
}

// Check reports what is wrong with the text and the type of a new memory. It wraps
// fs.ErrInvalid or fs.ErrTooLarge.
func Check(n Draft) error {
	_, err := check(n)
	return err
}

// check is Check, and returns the front matter, which may be empty.
func check(n Draft) (frontmatter.Matter, error) {
	text := strings.TrimSpace(n.Text)
	switch {
	case !utf8.ValidString(text):
		return frontmatter.Matter{}, fmt.Errorf("%w: it is not UTF-8 text", fs.ErrInvalid)
	case len(text) > fact.MaxText:
		return frontmatter.Matter{}, fmt.Errorf("%w: a memory has at most %d bytes, and this one has %d; keep what matters, and name the file that has the rest", fs.ErrTooLarge, fact.MaxText, len(text))
	case n.Type != "" && !fact.Known(string(n.Type)):
		return frontmatter.Matter{}, fmt.Errorf("%w: there is no type %q: it is fact, preference, decision or lesson", fs.ErrInvalid, n.Type)
	}
	keyed := regexp.MustCompile(`^---[ \t]*\r?\n[A-Za-z_-]+:(\s|$)`) // as front matter begins
	matter, err := frontmatter.Parse([]byte(text))
	switch {
	case errors.Is(err, frontmatter.ErrNone), errors.Is(err, frontmatter.ErrOpen) && !keyed.MatchString(text): // a rule of Markdown
		return frontmatter.Matter{}, nil
	case err != nil:
		return frontmatter.Matter{}, fmt.Errorf("%w: %w", fs.ErrInvalid, err)
	}
	if t := clean.Line(matter.String("type")); t != "" && !fact.Known(t) {
		return frontmatter.Matter{}, fmt.Errorf("%w: its type is %q and not one of fact, preference, decision or lesson", fs.ErrInvalid, clean.Cut(t, 40))
	}
	return matter, nil
}

// Read reads a new memory without adding it. The scope is guess if nothing names it.
func (s *Store) Read(n Draft, guess string) (Added, error) {
	matter, err := check(n)
	if err != nil {
		return Added{}, err
	}
	text := strings.TrimSpace(n.Text)
	m := fact.Parse([]byte(text), fact.Origin{
		Name: n.Name, Scope: guess, Home: s.opts.Home, Now: s.opts.Now(), ModTime: s.opts.Now(),
	})
	if m == nil {
		return Added{}, ErrEmpty
	}
	a := Added{Memory: m, Masked: mask.Text(text) != text, Scoped: n.Scope != ""}
	if scope := clean.Line(matter.String("scope")); n.Scope == "" && scope != "" {
		switch path := wording.ExpandTilde(scope, s.opts.Home); {
		case scope == fact.User || scope == "global":
			n.Scope = fact.User
		case filepath.IsAbs(path):
			n.Scope = filepath.Clean(path)
		case scope == "project" && guess != fact.User:
			n.Scope = guess
		default:
			return Added{}, fmt.Errorf("%w: its scope is %q: write user, or the folder of a project", fs.ErrInvalid, clean.Cut(scope, 80))
		}
		a.Scoped = true
	}
	m.Sources = nil
	if n.Source != "" {
		m.Sources = []string{n.Source}
	}
	m.Modified = s.opts.Now().UTC().Truncate(time.Second)
	m.Notes = nil
	if n.Description != "" {
		m.Description = clean.Cut(clean.Line(mask.Text(n.Description)), fact.MaxDescription)
	}
	m.Type, m.Scope = cmp.Or(n.Type, m.Type), cmp.Or(n.Scope, guess)
	return a, nil
}

// Add adds what Read has returned, unless it is known in its scope already. It waits for
// other writers; its error is one of the folder, or ErrHeld of package filelock.
func (s *Store) Add(ctx context.Context, a Added) (Added, error) {
	if err := s.prepare(); err != nil {
		return Added{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Added{}, err
	}
	defer unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load() // what others have added meanwhile
	m := a.Memory
	if other := s.same(m); other != nil {
		a.Memory, a.Known = other, true
		return a, nil
	}
	name := cmp.Or(m.Name, fact.NameOf(m.Description))
	dir := filepath.Join(s.opts.Dir, s.folderFor(m.Scope))
	scope := m.Scope
	if scope != fact.User {
		scope = wording.Tilde(scope, s.opts.Home)
	}
	body := fact.Head{Description: m.Description, Type: m.Type, Scope: scope, Sources: m.Sources, Modified: m.Modified}.File(m.Text)
	s.sweep(dir)
	for k := 1; ; k++ {
		file := name
		if k > 1 {
			file = fmt.Sprintf("%s~%d", name, k)
		}
		err := atomicfile.Create(filepath.Join(dir, file+fact.Extension), body)
		if err == nil {
			break
		}
		if !errors.Is(err, iofs.ErrExist) || k == maxNames {
			return Added{}, s.writable(err)
		}
	}
	s.load()
	if other := s.same(m); other != nil {
		a.Memory = other
	}
	return a, nil
}

// same returns the memory that says the same in the same scope, or nil.
func (s *Store) same(m *fact.Memory) *fact.Memory {
	all, _ := s.All()
	for _, other := range all {
		if other.Scope == m.Scope && fact.Same(other, m) {
			return other
		}
	}
	return nil
}

// lock waits until no other process writes in the folder. On a file system that has no
// locks it does not wait: no file is overwritten in any case.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	dir, err := os.Open(s.opts.Dir)
	if err != nil {
		return nil, s.writable(err)
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := filelock.WaitFile(wait, dir, filelock.Exclusive); errors.Is(err, filelock.ErrHeld) {
		dir.Close()
		return nil, fmt.Errorf("another program writes in %s and does not end: %w", wording.Tilde(s.opts.Dir, s.opts.Home), err)
	}
	return func() { dir.Close() }, nil
}

// sweep removes what writers that were killed have left in a folder.
func (s *Store) sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, atomicfile.Temporary+"*"))
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && s.opts.Now().Sub(info.ModTime()) > abandoned {
			os.Remove(path)
		}
	}
}

// Forget moves the file of one of our memories into the trash, and returns where it is
// there. The error is fs.ErrNotExist if it is gone already.
func (s *Store) Forget(ctx context.Context, m *fact.Memory) (trash string, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := os.MkdirAll(s.opts.Trash, 0o700); err != nil {
		return "", err
	}
	trash = filepath.Join(s.opts.Trash, s.opts.Now().UTC().Format("20060102T150405.000000000Z_")+filepath.Base(m.Path))
	if err := move(m.Path, trash); errors.Is(err, iofs.ErrNotExist) {
		return "", err
	} else if err != nil {
		return "", s.writable(err)
	}
	if kept, err := os.ReadDir(s.opts.Trash); err == nil {
		for _, old := range kept[:max(0, len(kept)-maxTrash)] {
			os.Remove(filepath.Join(s.opts.Trash, old.Name()))
		}
	}
	s.Load()
	return trash, nil
}

// move renames a file, also to another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	body, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := atomicfile.Create(to, body); err != nil {
		return err
	}
	return os.Remove(from)
}
