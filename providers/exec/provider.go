// Package exec shows what commands print as files: paths with placeholders stand for
// commands, which are configured.
//
// # What runs a command
//
// A listed file is cached: reading it runs nothing. A name that is not listed runs its
// command when its size or its bytes are first asked for (getattr), never in a lookup; and
// a refresh runs the listings and the commands of what they name: ctxfs exec refresh, the
// setting every, or a change of what the setting watch names. An output that has expired
// leaves the listing.
//
// # Files
//
// Outputs are files in the cache folder: per path a JSON file about the output, and its
// body. What cannot be written there is kept in memory.
//
// # Order
//
// settings.go (the table [exec]), order.go (which path a name is on), output.go (what is
// cached), shown.go (what is listed), nodes.go (the folders and files of the tree), folder.go
// (a folder and its outputs), elsewhere.go (what other processes fetch), run.go (what a
// command is told, and what is made of what it prints), refresh.go, auto.go (refreshes by
// themselves), provider.go, find.go, operations.go. How paths match is package pattern, how
// commands run is package command.
package exec

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/host"
)

// Options are the settings of a [Provider].
type Options struct {
	// Host is the surroundings: Cache is the folder for outputs. Without Watch nothing is
	// refreshed by itself, taken out of a listing once it is shown, or removed from the cache.
	host.Host
	// Environ returns the environment of this process.
	Environ func() []string
	// Program is the path of ctxfs, which becomes the keeper of a command; "" if it is not
	// known.
	Program string
}

// Provider is the folder exec. It is safe for concurrent use.
type Provider struct {
	opts     Options
	root     *fs.Folder
	fulltext *fulltext.Index

	mu       sync.Mutex
	folders  map[string]*folder
	problems []fs.Problem // of the configuration
	unread   bool         // the configuration cannot be read, and no folder is known
	auto     *auto        // nil before Start
	closed   bool
	ending   cell.Group // folders that are no longer configured
}

var (
	_ fs.Starter     = (*Provider)(nil)
	_ fs.Configured  = (*Provider)(nil)
	_ facts.Searcher = (*Provider)(nil)
	_ fs.Operator    = (*Provider)(nil)
	_ fs.Busy        = (*Provider)(nil)
	_ fs.Settler     = (*Provider)(nil)
)

// New returns a provider of the folders that are configured, with what is cached of them.
func New(opts Options) *Provider {
	p := &Provider{opts: opts, root: new(fs.Folder), folders: make(map[string]*folder)}
	p.fulltext = fulltext.New(fulltext.Options{Path: filepath.Join(opts.Cache, fulltext.FileName), Library: library{p}, Plain: true, Log: opts.Env.Log})
	p.Reload()
	return p
}

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload implements fs.Configured. A folder whose settings are the same goes on; so do all
// while the file cannot be read, as in the middle of an edit.
func (p *Provider) Reload() {
	all, problems, err := readSettings(p.opts.SettingsPath, p.opts.Home)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || err != nil && len(p.folders) > 0 {
		return
	}
	p.unread = err != nil
	p.problems = problems
	old := p.folders
	p.folders = make(map[string]*folder)
	var changed []string
	for _, s := range all {
		f := old[s.name]
		if f == nil || !f.same(s) {
			if f != nil {
				f.close() // before another one has its files
			}
			f = newFolder(p, s)
			changed = append(changed, s.name)
			if p.auto != nil {
				p.auto.follow(f)
				f.expireAt(f.shown.Load().next)
			}
		}
		f.places.Store(&s.lines)
		p.folders[s.name] = f
		delete(old, s.name)
	}
	for name, f := range old {
		if p.folders[name] == nil {
			changed = append(changed, name)
			p.ending.Go(f.close)
		}
	}
	nodes := map[string]fs.Node{indexName: fs.NewText(p.opts.Env.Built, p.index())}
	for name, f := range p.folders {
		nodes[name] = &dir{f, ""}
	}
	p.root.Replace(p.opts.Env.Built, nodes)
	for _, name := range append(changed, indexName) {
		p.opts.Env.Changed(name)
	}
	p.fulltext.Changed()
}

// index returns INDEX.md. The caller holds mu.
func (p *Provider) index() []byte {
	var b strings.Builder
	b.WriteString("# Commands as folders\n\n")
	for _, name := range slices.Sorted(maps.Keys(p.folders)) {
		f := p.folders[name]
		var paths []string
		for _, r := range f.files {
			paths = append(paths, r.path.String())
		}
		fmt.Fprintf(&b, "- %s — %s\n", name, wording.List(paths, 4))
	}
	if len(p.folders) == 0 {
		b.WriteString("None is configured. A folder is a few lines in " + wording.Tilde(p.opts.SettingsPath, p.opts.Home) + `, such as:

    [exec.log]
    dir = "~/src/project"
    "commits/" = ["git", "log", "-n", "50", "--format=%h"]
    "commits/{hash}.patch" = ["git", "show", "{hash}"]

Then exec/log/commits/<hash>.patch is what git shows, for any hash, and
ctxfs exec refresh log fetches the last 50. See: ctxfs exec --help
`)
	}
	return []byte(b.String())
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// all returns the folders, sorted by name.
func (p *Provider) all() []*folder {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*folder
	for _, name := range slices.Sorted(maps.Keys(p.folders)) {
		all = append(all, p.folders[name])
	}
	return all
}

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	all := p.all()
	p.mu.Lock()
	s := fs.Status{State: "ready", Problems: slices.Clone(p.problems)}
	if p.auto != nil {
		s.Problems = append(s.Problems, p.auto.problems()...)
	}
	p.mu.Unlock()
	files := 0
	for _, f := range all {
		n := f.count(&s)
		files += n
		s.Items = append(s.Items, fs.Item{Name: f.name, Count: n, Unit: "files"})
	}
	s.Summary = fmt.Sprintf("%s, %s", wording.Count(len(all), "folders"), wording.Count(files, "files"))
	switch {
	case len(s.Problems) > 0:
		s.State = "degraded"
	case len(all) == 0:
		s.State, s.Summary = "empty", "no commands as folders"
	}
	return s
}

// count returns how many outputs a folder lists, and adds what is wrong with it to a status.
func (f *folder) count(s *fs.Status) (n int) {
	n = f.shown.Load().outputs
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Since = wording.Later(s.Since, f.refreshed.Ran)
	for _, dir := range slices.Sorted(maps.Keys(f.refreshed.Listings)) {
		if l := f.refreshed.Listings[dir]; l.Failed != "" {
			s.Problems = append(s.Problems, fs.Problem{What: fmt.Sprintf("the names in exec/%s could not be listed: %s", filepath.Join(f.name, dir), l.Failed), Mend: "ctxfs exec refresh " + f.name})
		}
	}
	if f.broken != nil {
		s.Problems = append(s.Problems, fs.Problem{What: fmt.Sprintf("outputs of exec/%s cannot be stored, and are in memory only: %v", f.name, wording.Cause(f.broken)), Mend: "make room, or writable: " + f.store.dir})
	}
	return n
}

// Busy implements fs.Busy: commands run.
func (p *Provider) Busy() bool {
	return slices.ContainsFunc(p.all(), func(f *folder) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.flights) > 0 || len(f.slots) > 0
	})
}

// Settled implements fs.Settler. What was fetched is listed; commands are not waited for.
func (p *Provider) Settled(ctx context.Context) error {
	p.mu.Lock()
	a := p.auto
	p.mu.Unlock()
	if a != nil {
		if err := a.noticed(ctx); err != nil {
			return err
		}
	}
	for _, f := range p.all() {
		f.publish()
	}
	return nil
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.mu.Lock()
	p.closed = true
	auto := p.auto
	p.mu.Unlock()
	for _, f := range p.all() {
		f.cancel()
	}
	if auto != nil {
		auto.close()
	}
	for _, f := range p.all() {
		f.close()
	}
	p.ending.Wait()
	return p.fulltext.Close()
}

// goneTime is how long the outputs of a folder stay on disk after it has left the
// configuration: it may be back soon.
const goneTime = 24 * time.Hour

// clearGone removes old outputs of folders that are not configured. The caller holds mu.
func (p *Provider) clearGone() {
	entries, _ := os.ReadDir(p.opts.Cache) // it may not exist yet
	for _, entry := range entries {
		if !entry.IsDir() || p.folders[entry.Name()] != nil {
			continue
		}
		s := &store{dir: filepath.Join(p.opts.Cache, entry.Name())}
		_, files := s.load(func(string) string { return "" })
		s.clear(append(files, refreshedName), p.opts.Env.Now().Add(-goneTime))
		os.Remove(s.dir) // if it is empty
	}
}

// Start implements fs.Starter.
func (p *Provider) Start() {
	a := &auto{p: p}
	p.mu.Lock()
	p.auto = a
	if !p.unread {
		p.clearGone()
	}
	folders := slices.Collect(maps.Values(p.folders))
	for _, f := range folders {
		a.follow(f)
	}
	p.mu.Unlock()
	for _, f := range folders {
		f.publish() // what has expired meanwhile
	}
	_ = p.fulltext.Begin()
}
