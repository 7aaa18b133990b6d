package exec

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/exec/pattern"
	"ctxfs/providers/internal/clean"
)

// Refreshed is what a refresh of a folder has done.
type Refreshed struct {
	Folder string `json:"folder"`
	// Names is how many names the listings have printed, Fetched how many files were
	// fetched; Left says of listings which of their names were not, and why; Failed are the
	// commands that have failed.
	Names   int       `json:"names"`
	Fetched int       `json:"fetched"`
	Left    []string  `json:"left,omitempty"`
	Failed  []Failure `json:"failed,omitempty"`
}

// Failure is a path whose command has failed.
type Failure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// target is a file that a refresh fetches.
type target struct {
	rule   *rule
	values pattern.Values
}

// refresh runs the listings of a folder, and the commands of all files that they name and
// of those without placeholders. Files that listings named before, and name no more, leave
// the folder. Tell is called after each step. Refreshes of a folder follow each other. If the
// context ends, which it does with the folder's, the listing that runs is ended; commands of
// files, for which others may wait, are not.
func (f *folder) refresh(ctx context.Context, tell func(done, of int)) (r Refreshed, err error) {
	f.refreshing.Lock()
	defer f.refreshing.Unlock()
	r.Folder = f.name
	listings, err := f.list(ctx, &r)
	if err != nil {
		return r, err
	}
	targets := f.targets(listings)
	// Listings first, since with them the folder is of some use already.
	f.mu.Lock()
	if f.closed { // another one may have its files
		f.mu.Unlock()
		return r, fs.ErrInterrupted
	}
	f.refreshed = refreshed{Ran: f.p.opts.Env.Now(), Listings: listings}
	f.broken = f.store.saveRefreshed(f.refreshed)
	for name, o := range f.outputs {
		if _, wanted := targets[name]; o.Listed && !wanted {
			f.drop(o, f.refreshed.Ran)
		}
	}
	f.mu.Unlock()
	f.publish()
	var mu sync.Mutex
	var work cell.Group
	at := make(chan struct{}, f.atOnce)
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		select {
		case at <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		work.Go(func() {
			defer func() { <-at }()
			failed, ok := f.fetch(ctx, name, targets[name])
			mu.Lock()
			defer mu.Unlock()
			if ok {
				r.Fetched++
			}
			if failed != "" {
				r.Failed = append(r.Failed, Failure{name, failed})
			}
			tell(r.Fetched, len(targets))
		})
	}
	work.Wait()
	f.publish()
	slices.SortFunc(r.Failed, func(a, b Failure) int { return strings.Compare(a.Path, b.Path) })
	if ctx.Err() != nil {
		return r, fs.ContextError(ctx)
	}
	return r, nil
}

// fetch runs the command for a path, and reports whether it has ended.
func (f *folder) fetch(ctx context.Context, name string, t target) (failed string, ok bool) {
	f.mu.Lock()
	fl := f.begin(name, t.rule, t.values, true)
	f.mu.Unlock()
	if fl == nil {
		return "", false
	}
	select {
	case <-fl.done:
	case <-ctx.Done():
		return "", false
	}
	if fl.o == nil {
		return "", false
	}
	return fl.o.Failed, true
}

// list runs all listings whose folders there are: those of the root first, then those in
// the folders that these name. A listing that fails keeps its names.
func (f *folder) list(ctx context.Context, r *Refreshed) (map[string]*listing, error) {
	f.mu.Lock()
	before := maps.Clone(f.refreshed.Listings)
	f.mu.Unlock()
	listings := make(map[string]*listing)
	rules := slices.Clone(f.settingsOf.listings)
	slices.SortStableFunc(rules, func(a, b rule) int {
		return cmp.Or(a.path.Depth()-b.path.Depth(), len(a.path.Placeholders())-len(b.path.Placeholders()))
	})
	for _, one := range rules {
		for dir, values := range f.expand(one.path, one.path.Depth(), listings) {
			if ctx.Err() != nil {
				return nil, fs.ContextError(ctx)
			}
			if listings[dir] != nil || !f.mayBeFolder(split(dir)) {
				continue // another listing was first, or it is a file
			}
			o, ok := f.command(ctx, pattern.Fill(one.command, values))
			if !ok {
				return nil, fs.ContextError(ctx)
			}
			l := &listing{Ran: f.p.opts.Env.Now(), Failed: f.fault(one.command[0], o)}
			if l.Failed == "" {
				l.Names = namesIn(f.clean(o.Stdout))
			} else {
				if old := before[dir]; old != nil {
					l.Names = old.Names
				}
				r.Failed = append(r.Failed, Failure{dir + "/", l.Failed})
			}
			r.Names += len(l.Names)
			if l.Left = f.left(dir, l.Names); l.Left != "" {
				r.Left = append(r.Left, dir+"/: "+l.Left)
			}
			listings[dir] = l
		}
	}
	return listings, nil
}

// left says which names of a listing a refresh fetches nothing for; "" if none.
func (f *folder) left(dir string, names []string) string {
	var what []string
	if n := len(names) - f.most; n > 0 {
		what = append(what, fmt.Sprintf("%s beyond the first %d; fetch more: most in [exec.%s]", wording.Count(n, "names"), f.most, f.name))
		names = names[:f.most]
	}
	at, parts := len(split(dir)), split(dir)
	var on []rule
	for _, r := range slices.Concat(f.files, f.settingsOf.listings) {
		if _, ok := r.path.MatchPrefix(parts); ok && r.path.Depth() > at {
			on = append(on, r)
		}
	}
	unfit := slices.DeleteFunc(slices.Clone(names), func(line string) bool {
		return slices.ContainsFunc(on, func(r rule) bool {
			name, ok := r.path.Entry(at, line)
			return ok && !isOwn(name)
		})
	})
	if len(unfit) > 0 {
		what = append(what, fmt.Sprintf("%s that fit no path, such as %q", wording.Count(len(unfit), "names"), clean.Cut(unfit[0], 100)))
	}
	return strings.Join(what, "; ")
}

// namesIn returns the lines of a listing that are not blank, each once.
func namesIn(text []byte) (all []string) {
	seen := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if line = clean.Line(line); line != "" && !seen[line] {
			seen[line] = true
			all = append(all, line)
		}
	}
	return all
}

// targets returns the files to fetch, by their paths.
func (f *folder) targets(listings map[string]*listing) map[string]target {
	all := make(map[string]target)
	for i := range f.files {
		r := &f.files[i]
		for name, values := range f.expand(r.path, r.path.Depth(), listings) {
			if first, _, ok := f.match(split(name)); ok && first == r {
				all[name] = target{r, values}
			}
		}
	}
	return all
}

// expand returns the paths of a pattern up to a depth whose names listings have printed,
// at most as many of each listing as are fetched.
func (f *folder) expand(p *pattern.Pattern, depth int, listings map[string]*listing) map[string]pattern.Values {
	paths := []string{""}
	for at := range depth {
		var next []string
		for _, dir := range paths {
			if name, literal := p.Literal(at); literal {
				next = append(next, path.Join(dir, name))
				continue
			}
			l := listings[dir]
			if l == nil {
				continue
			}
			for n, line := range l.Names {
				if n == f.most {
					break
				}
				if name, ok := p.Entry(at, line); ok {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		paths = next
	}
	all := make(map[string]pattern.Values)
	for _, name := range paths {
		if values, ok := p.MatchPrefix(split(name)); ok {
			all[name] = values
		}
	}
	return all
}
