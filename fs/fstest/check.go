package fstest

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	testfstest "testing/fstest"
	"time"

	"ctxfs/fs"
)

// promptTime is how long an operation that must not wait may take. It is generous,
// because a machine under test is busy.
const promptTime = 2 * time.Second

// probes are names that tools look up in every folder they come to.
var probes = [...]string{".git", ".gitignore", ".hg", ".rgignore", ".svn", ".ignore", ".DS_Store", "no such name"}

// Option changes what [Check] does.
type Option func(*checker)

// Expect lists paths that the tree must have.
func Expect(paths ...string) Option {
	return func(c *checker) { c.expect = append(c.expect, paths...) }
}

// Clock sets the clock of the tree's provider, against which modification times
// must not be in the future.
func Clock(now func() time.Time) Option { return func(c *checker) { c.now = now } }

// Check walks a whole tree, which must not change meanwhile except for live files
// that grow, and reports everything that breaks a promise of package fs: listings
// and lookups that disagree, unsafe names, wrong sizes, versions that do not hold,
// times that are missing or in the future, operations that wait, goroutines left
// behind. Lookups and listings of folders must succeed although their context has
// ended, except for an [fs.Computed] folder, which must still answer for names that
// begin with a dot. It also runs the tests of testing/fstest over the tree's io/fs
// view.
func Check(t *testing.T, tree *fs.Tree, opts ...Option) {
	t.Helper()
	for _, fault := range check(t.Context(), t.Name(), tree, opts...) {
		t.Error(fault)
	}
}

// check returns the faults of a tree.
func check(ctx context.Context, name string, tree *fs.Tree, opts ...Option) []string {
	c := &checker{ctx: ctx, tree: tree, now: time.Now}
	for _, o := range opts {
		o(c)
	}
	left := leaked(name, func() {
		c.node("", tree.Root())
		if c.expected(); len(c.faults) > 0 {
			return // a file without an end would make what follows endless
		}
		c.concurrent()
		c.cancelled()
		c.view()
	})
	if left != "" {
		c.errorf("goroutines left behind:\n%s", left)
	}
	return c.faults
}

type checker struct {
	ctx    context.Context
	tree   *fs.Tree
	now    func() time.Time
	expect []string
	live   bool // something in the tree grows during the check

	mu     sync.Mutex
	faults []string
}

func (c *checker) errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) node(at string, n fs.Node) {
	a, err := c.tree.Attr(c.ctx, n)
	if err != nil {
		c.errorf("%s: attr: %v", shown(at), err)
		return
	}
	c.live = c.live || a.Live
	if a.ModTime.IsZero() {
		c.errorf("%s: has no modification time", shown(at))
	}
	if latest := c.now().Add(time.Second); a.ModTime.After(latest) {
		c.errorf("%s: modified in the future, at %v", shown(at), a.ModTime)
	}
	kinds := 0
	if d, ok := n.(fs.Dir); ok {
		kinds++
		c.dir(at, d, a)
	}
	if f, ok := n.(fs.File); ok {
		kinds++
		c.file(at, f, a)
	}
	if l, ok := n.(fs.Link); ok {
		kinds++
		c.link(at, l, a)
	}
	if kinds != 1 {
		c.errorf("%s: %T is %d of folder, file and link", shown(at), n, kinds)
	}
}

func (c *checker) dir(at string, d fs.Dir, a fs.Attr) {
	if a.Mode.Type() != iofs.ModeDir || a.Size != 0 {
		c.errorf("%s: a folder of mode %v and size %d", shown(at), a.Mode, a.Size)
	}
	entries, err := c.tree.List(c.ctx, d)
	if err != nil {
		c.errorf("%s: list: %v", shown(at), err)
		return
	}
	for i, e := range entries {
		if i > 0 && entries[i-1].Name >= e.Name {
			c.errorf("%s: %q is listed after %q", shown(at), e.Name, entries[i-1].Name)
		}
		if e.Name == "" || e.Name == "." || e.Name == ".." || len(e.Name) > 255 || strings.ContainsAny(e.Name, "/\x00") {
			c.errorf("%s: lists %q, which is no file name", shown(at), e.Name)
			continue
		}
		c.entry(path.Join(at, e.Name), d, e)
	}
	c.probe(at, d, entries)
	c.waits(at, d, entries)
}

// waits reports a folder that checks its context although it has nothing to wait
// for.
func (c *checker) waits(at string, d fs.Dir, entries []fs.Entry) {
	ended, cancel := context.WithCancel(c.ctx)
	cancel()
	begin := time.Now()
	_, computed := d.(fs.Computed)
	if _, err := d.List(ended); err != nil && !computed {
		c.errorf("%s: list waits: it says %v when its context has ended, and is not fs.Computed", shown(at), err)
	}
	for _, e := range entries {
		if _, err := d.Lookup(ended, e.Name); err != nil && !computed {
			c.errorf("%s: lookup waits: it says %v when its context has ended, and is not fs.Computed", shown(path.Join(at, e.Name)), err)
		}
	}
	for _, name := range probes {
		if slices.ContainsFunc(entries, func(e fs.Entry) bool { return e.Name == name }) {
			continue
		}
		_, err := d.Lookup(ended, name)
		if !errors.Is(err, fs.ErrNotExist) && (!computed || strings.HasPrefix(name, ".")) {
			c.errorf("%s: lookup of %q waits: it says %v when its context has ended", shown(at), name, err)
		}
	}
	if took := time.Since(begin); took > promptTime {
		c.errorf("%s: lookups and a listing whose context had ended took %v", shown(at), took)
	}
}

func (c *checker) entry(at string, d fs.Dir, e fs.Entry) {
	n, err := c.tree.Lookup(c.ctx, d, e.Name)
	if err != nil {
		c.errorf("%s: is listed, but lookup says %v", shown(at), err)
		return
	}
	if a, err := c.tree.Attr(c.ctx, n); err == nil && a.Mode.Type() != e.Type {
		c.errorf("%s: is listed as %v, but is %v", shown(at), e.Type, a.Mode.Type())
	}
	c.node(at, n)
}

// probe looks up names that tools look for and that do not exist.
func (c *checker) probe(at string, d fs.Dir, entries []fs.Entry) {
	for _, name := range probes {
		if slices.ContainsFunc(entries, func(e fs.Entry) bool { return e.Name == name }) {
			continue
		}
		begin := time.Now()
		_, err := c.tree.Lookup(c.ctx, d, name)
		if !errors.Is(err, fs.ErrNotExist) {
			c.errorf("%s: lookup of %q: %v, want %v", shown(at), name, err, fs.ErrNotExist)
		}
		if took := time.Since(begin); took > promptTime {
			c.errorf("%s: lookup of %q took %v", shown(at), name, took)
		}
	}
}

func (c *checker) link(at string, l fs.Link, a fs.Attr) {
	target, err := c.tree.Target(c.ctx, l)
	if err != nil || target == "" || strings.ContainsRune(target, 0) {
		c.errorf("%s: target %q, %v", shown(at), target, err)
	}
	if a.Mode.Type() != iofs.ModeSymlink || a.Size != int64(len(target)) {
		c.errorf("%s: a link of mode %v and size %d to %q", shown(at), a.Mode, a.Size, target)
	}
}

func (c *checker) expected() {
	for _, p := range c.expect {
		if _, err := c.tree.Resolve(c.ctx, p); err != nil {
			c.errorf("%v", err)
		}
	}
}

// cancelled calls every operation with a context that has ended.
func (c *checker) cancelled() {
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	begin := time.Now()
	walk(c.ctx, c.tree, func(n fs.Node) {
		c.tree.Attr(ctx, n)
		switch n := n.(type) {
		case fs.Dir:
			c.tree.List(ctx, n)
			c.tree.Lookup(ctx, n, "no such name")
		case fs.File:
			c.tree.Stat(ctx, n)
			c.tree.ReadAt(ctx, n, make([]byte, 16), 0)
		case fs.Link:
			c.tree.Target(ctx, n)
		}
	})
	if took := time.Since(begin); took > 5*promptTime {
		c.errorf("a walk whose context had ended took %v", took)
	}
}

func (c *checker) view() {
	if c.live { // testing/fstest requires a tree that does not change
		return
	}
	expect := c.expect
	if len(expect) == 0 { // without any, TestFS requires an empty tree
		entries, err := c.tree.List(c.ctx, c.tree.Root())
		if err != nil || len(entries) == 0 {
			return
		}
		expect = []string{entries[0].Name}
	}
	if err := testfstest.TestFS(FS(c.ctx, c.tree), expect...); err != nil {
		c.errorf("%v", err)
	}
}

func shown(at string) string { return "/" + at }
