package supervise

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/mcp/config"
)

// packages lets one start at a time install a package: two runners that write the
// same cache entry at once leave it broken. A start that an earlier process of
// ctxfs has left to finish counts too: while a start is under way, a file for its
// package records it.
type packages struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	taken map[string]chan struct{} // by key: closed when it is free
}

func newPackages(dir string, log *slog.Logger) *packages {
	return &packages{dir: dir, log: log, taken: make(map[string]chan struct{})}
}

// Take waits until no other start of the package is under way, and reserves the
// package until free is called. A start that an earlier process of ctxfs has left
// is waited for, too. Waiting is called when there is another start to wait for.
func (s *Supervisor) Take(ctx context.Context, pkg config.Package, limits Limits, waiting func()) (free func(), err error) {
	key := pkg.Key
	for {
		s.packages.mu.Lock()
		busy := s.packages.taken[key]
		if busy == nil {
			break
		}
		s.packages.mu.Unlock()
		waiting()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	mine := make(chan struct{})
	s.packages.taken[key] = mine
	s.packages.mu.Unlock()
	free = sync.OnceFunc(func() {
		s.packages.mu.Lock()
		delete(s.packages.taken, key)
		s.packages.mu.Unlock()
		close(mine)
	})
	if err := s.packages.awaitLeft(ctx, key, limits, waiting); err != nil {
		free()
		return nil, err
	}
	return free, nil
}

// leftLook is the interval between checks of a start that was left.
const leftLook = 250 * time.Millisecond

// awaitLeft waits for the end of a start that another process has recorded: one
// that it has left, or that is still its own. If the group may no longer be the
// recorded one, the record is dropped and nothing is signalled: the number may
// belong to another group by now.
func (p *packages) awaitLeft(ctx context.Context, key string, limits Limits, waiting func()) error {
	var last record
	for {
		left, ok := p.recorded(key)
		if !ok || left == last { // it cannot be removed
			return nil
		}
		if left.leader != 0 && began(left.group) == left.leader {
			if err := p.await(ctx, key, left, limits, waiting); err != nil {
				return err
			}
		}
		p.unmark(key, left.group)
		last = left
	}
}

// await waits until a recorded start is over: its group has exited, or its process
// of ctxfs has removed the record, since a server that has answered goes on. The reaper
// of the process that has left it ends it in time.
func (p *packages) await(ctx context.Context, key string, left record, limits Limits, waiting func()) error {
	tick := time.NewTicker(leftLook)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < limits.Total; {
		now := began(left.group) // the leader may exit before the others
		if is, ok := p.recorded(key); !ok || is != left || groupExited(left.group) || now != 0 && now != left.leader {
			return nil
		}
		waiting()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// file returns the file that records the start of a package.
func (p *packages) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(p.dir, hex.EncodeToString(sum[:8]))
}

// record is a start under way, as its file has it.
type record struct {
	group  int
	leader uint64 // when the leader of the group began; 0 if the system does not tell
}

// recorded returns the recorded start of a package.
func (p *packages) recorded(key string) (is record, ok bool) {
	text, err := os.ReadFile(p.file(key))
	if err != nil {
		return is, false
	}
	n, _ := fmt.Sscan(string(text), &is.group, &is.leader)
	return is, n == 2 && is.group > 1
}

// mark records that a process group starts a package.
func (p *packages) mark(key string, group int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := atomicfile.Write(p.file(key), fmt.Appendf(nil, "%d %d\n", group, began(group))); err != nil {
		p.log.Warn("a start cannot be noted", "error", err)
	}
}

// unmark removes the record of a package, unless it is another group's: two
// processes of ctxfs may share a cache.
func (p *packages) unmark(key string, group int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if is, ok := p.recorded(key); ok && is.group == group {
		_ = os.Remove(p.file(key)) // it may not exist
		_ = os.Remove(p.dir)       // fails if anything else is in it
	}
}

// caches are the folders into which package runners install. A process that writes
// there is installing.
type caches struct {
	roots []string // folders whose entries are installations
	all   []string // these, and others that runners write to while installing
}

// cacheFolders returns where runners install: in the folder that the first set
// variable names, or else below another folder.
var cacheFolders = [...]struct {
	variables []string
	base      string // a variable with a folder; "" is the home folder
	otherwise string // for base, below the home folder
	path      string
	entries   string // the folder of installations below it; "" is not one of them
}{
	{variables: []string{"npm_config_cache", "NPM_CONFIG_CACHE"}, path: ".npm", entries: "_npx"},
	{variables: []string{"UV_CACHE_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "uv", entries: "."},
	{variables: []string{"UV_TOOL_DIR"}, base: "XDG_DATA_HOME", otherwise: ".local/share", path: "uv/tools", entries: "."},
	{variables: []string{"BUN_INSTALL_CACHE_DIR"}, path: ".bun/install/cache", entries: "."},
	{base: "XDG_CACHE_HOME", otherwise: ".cache", path: "pnpm", entries: "dlx"},
	{base: "XDG_DATA_HOME", otherwise: ".local/share", path: "pnpm", entries: "store"},
	{variables: []string{"YARN_CACHE_FOLDER"}, path: ".yarn"},
	{variables: []string{"PIP_CACHE_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "pip"},
	{variables: []string{"PIPX_HOME"}, base: "XDG_DATA_HOME", otherwise: ".local/share", path: "pipx", entries: "venvs"},
	{variables: []string{"DENO_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "deno"},
	{variables: []string{"GOMODCACHE"}, path: "go/pkg/mod"},
	{variables: []string{"CARGO_HOME"}, path: ".cargo"},
}

// cachesOf returns the caches of a process with that environment.
func cachesOf(env []string) (c caches) {
	home := variable(env, "HOME")
	for _, is := range cacheFolders {
		root := ""
		for _, name := range is.variables {
			if root == "" {
				root = variable(env, name)
			}
		}
		if root == "" {
			base := filepath.Join(home, is.otherwise)
			if is.base != "" && variable(env, is.base) != "" {
				base = variable(env, is.base)
			}
			root = filepath.Join(base, is.path)
		}
		if !filepath.IsAbs(root) {
			continue
		}
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real // as the system names open files
		}
		c.all = append(c.all, root)
		if is.entries != "" {
			c.roots = append(c.roots, filepath.Join(root, is.entries))
		}
	}
	// Bun installs below the folder for temporary files, for each user and package.
	bun, _ := filepath.Glob(filepath.Join(cmp.Or(variable(env, "TMPDIR"), os.TempDir()), "bunx-*")) // the pattern is valid
	c.all = append(c.all, bun...)
	return c
}

// npmCache returns npm's cache folder in that environment.
func npmCache(env []string) string { return cachesOf(env).all[0] }

// grown is the size of the files in recently changed installations.
type grown struct {
	files int
	bytes int64
}

// maxGrownVisits is the largest number of files that are visited to see whether
// caches grow.
const maxGrownVisits = 5000

// grown adds up the files that were changed after a time, in installations that
// were changed after it.
func (c caches) grown(after time.Time) (g grown) {
	visits := 0
	for _, root := range append(c.roots[:len(c.roots):len(c.roots)], c.all[len(cacheFolders):]...) {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if visits++; visits > maxGrownVisits {
				return fs.SkipAll
			}
			if err != nil {
				return nil // it was removed, or never existed
			}
			info, err := e.Info()
			switch {
			case err != nil:
			case !info.ModTime().Before(after):
				g.files++
				if !e.IsDir() {
					g.bytes += info.Size()
				}
			case e.IsDir() && filepath.Dir(filepath.Dir(path)) == root:
				return fs.SkipDir // an installation that has not changed
			}
			return nil
		})
	}
	return g
}
