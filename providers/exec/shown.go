package exec

import (
	"cmp"
	"context"
	"fmt"
	iofs "io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// shown is what a folder lists at one moment: folders by their paths. It is immutable.
type shown struct {
	dirs map[string]*shownDir
	// outputs is how many outputs it lists.
	outputs int
	// next is when the first of what it shows expires; zero if nothing does.
	next time.Time
}

type shownDir struct {
	entries []fs.Entry
	files   map[string]fs.File
	at      time.Time // when it last changed
	version uint64
}

// show returns what the folder lists now. The caller holds mu.
func (f *folder) show() *shown {
	now := f.p.opts.Env.Now()
	s := &shown{dirs: map[string]*shownDir{"": {files: make(map[string]fs.File), at: f.p.opts.Env.Built}}}
	for _, r := range slices.Concat(f.files, f.listings) {
		s.addLiteral(r, f.p.opts.Env.Built)
	}
	for name, o := range f.outputs {
		ends := o.ends(f.lifetime)
		if !now.Before(ends) {
			continue
		}
		if s.next.IsZero() || ends.Before(s.next) {
			s.next = ends
		}
		s.outputs++
		s.add(name, o.Body.node, o.Ran)
		if o.Good != nil {
			s.add(name+goodSuffix, o.Good.node, o.Ran)
		}
	}
	for dir, l := range f.refreshed.Listings {
		text := strings.Join(l.Names, "\n")
		if text != "" {
			text += "\n"
		}
		s.add(path.Join(dir, namesName), fs.NewText(l.Ran, []byte(text)), l.Ran)
	}
	changed := f.p.opts.Env.Built
	for _, d := range s.dirs {
		changed = wording.Later(changed, d.at)
	}
	s.add(indexName, fs.NewText(changed, f.index(s)), changed)
	s.seal()
	return s
}

// addLiteral adds the folders on a path up to its first placeholder.
func (s *shown) addLiteral(r rule, at time.Time) {
	dir, depth := "", r.path.Depth()
	if _, literal := lastLiteral(r); literal {
		depth--
	}
	for i := range depth {
		name, ok := r.path.Literal(i)
		if !ok {
			return
		}
		dir = path.Join(dir, name)
		s.dir(dir, at)
	}
}

// lastLiteral returns the last name of a rule for files, and reports whether it is one
// that is not a folder.
func lastLiteral(r rule) (string, bool) {
	if r.listing || r.path.Depth() == 0 {
		return "", false
	}
	return r.path.Literal(r.path.Depth() - 1)
}

// dir returns the folder at a path, which is added if it is not there.
func (s *shown) dir(name string, at time.Time) *shownDir {
	if name == "." {
		name = ""
	}
	d := s.dirs[name]
	if d == nil {
		d = &shownDir{files: make(map[string]fs.File), at: at}
		s.dirs[name] = d
		s.dir(path.Dir(name), at)
	}
	d.at = wording.Later(d.at, at)
	return d
}

func (s *shown) add(name string, node fs.File, at time.Time) {
	s.dir(path.Dir(name), at).files[path.Base(name)] = node
}

// seal makes the listings.
func (s *shown) seal() {
	for name, d := range s.dirs {
		for file := range d.files {
			d.entries = append(d.entries, fs.Entry{Name: file})
		}
		if name != "" {
			up := s.dirs[strings.TrimPrefix(path.Dir("/"+name), "/")]
			up.entries = append(up.entries, fs.Entry{Name: path.Base(name), Type: iofs.ModeDir})
		}
	}
	for _, d := range s.dirs {
		slices.SortFunc(d.entries, func(a, b fs.Entry) int { return cmp.Compare(a.Name, b.Name) })
		words := make([]string, len(d.entries))
		for i, e := range d.entries {
			words[i] = e.Name
		}
		d.version = hash(words...)
	}
}

// publish shows what is there now, and tells what has changed.
func (f *folder) publish() {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	f.mu.Lock()
	if f.soon != nil {
		f.soon.Stop()
		f.soon = nil
	}
	now := f.show()
	old := f.shown.Swap(now)
	closed := f.closed
	f.mu.Unlock()
	if closed {
		return
	}
	for _, name := range changes(old, now) {
		f.p.opts.Env.Changed(path.Join(f.name, name))
	}
	f.p.fulltext.Changed()
	f.expireAt(now.next)
}

// expireAt has an expired output leave the listing.
func (f *folder) expireAt(next time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.expiry != nil {
		f.expiry.Stop()
	}
	if next.IsZero() || f.closed || !f.p.opts.Watch {
		return
	}
	f.expiry = f.publishAfter(max(next.Sub(f.p.opts.Env.Now()), time.Millisecond))
}

// gatherTime is how long the outputs of a refresh are gathered before they are listed:
// each time the whole folder is listed again.
const gatherTime = 100 * time.Millisecond

// publishSoon publishes with whatever else comes soon. The caller holds mu.
func (f *folder) publishSoon() {
	if f.soon == nil && !f.closed {
		f.soon = f.publishAfter(gatherTime)
	}
}

// publishAfter publishes once a time has passed, unless the folder is closed then. The
// caller holds mu.
func (f *folder) publishAfter(wait time.Duration) *time.Timer {
	return time.AfterFunc(wait, func() {
		f.mu.Lock()
		if f.closed {
			f.mu.Unlock()
			return
		}
		f.work.Add(1)
		f.mu.Unlock()
		defer f.work.Done()
		f.publish()
	})
}

// changes returns the paths of what is in one of two and not the same in the other.
func changes(old, now *shown) (all []string) {
	for name, d := range now.dirs {
		before := old.dirs[name]
		if before == nil {
			all = append(all, name)
			continue
		}
		for file, node := range d.files {
			if !same(before.files[file], node) {
				all = append(all, path.Join(name, file))
			}
		}
		for file := range before.files {
			if d.files[file] == nil {
				all = append(all, path.Join(name, file))
			}
		}
	}
	for name := range old.dirs {
		if now.dirs[name] == nil {
			all = append(all, name)
		}
	}
	return all
}

// same reports whether two files are the same, byte for byte; old may be nil.
func same(old, now fs.File) bool {
	if old == nil || old == now {
		return old == now
	}
	was, err := old.Attr(context.Background())
	is, problem := now.Attr(context.Background())
	return err == nil && problem == nil && was.Version == is.Version && was.ModTime.Equal(is.ModTime)
}

// index returns INDEX.md: what the folder is, and how to use it. The caller holds mu.
func (f *folder) index(s *shown) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nEach path below stands for a file that a command fills. What is listed is there already, and reading it runs nothing. A name that is not listed runs its command when the file is first read; the output is listed then, for %s.\n\n", f.name, duration(f.lifetime))
	b.WriteString("| path | command |\n| --- | --- |\n")
	for _, r := range f.files {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", r.path, tableCell(commandLine(r.command)))
	}
	for _, l := range f.listings {
		fmt.Fprintf(&b, "| `%s/` (its names) | `%s` |\n", l.path, tableCell(commandLine(l.command)))
	}
	b.WriteString("\n")
	var explained []string
	for _, r := range slices.Concat(f.files, f.listings) {
		for _, text := range r.path.Explain() {
			if !slices.Contains(explained, text) {
				explained = append(explained, text)
			}
		}
	}
	if len(explained) > 0 {
		fmt.Fprintf(&b, "Here `%s`.\n\n", strings.Join(explained, "`, `"))
	}
	fmt.Fprintf(&b, "The commands run in `%s`.\n", wording.Tilde(f.dir, f.p.opts.Home))
	if !f.refreshed.Ran.IsZero() {
		fmt.Fprintf(&b, "Last refreshed: %s.\n", wording.Time(f.refreshed.Ran))
	}
	for _, dir := range slices.Sorted(maps.Keys(f.refreshed.Listings)) {
		l := f.refreshed.Listings[dir]
		fmt.Fprintf(&b, "`%s` has %s, see %s.\n", cmp.Or(dir, "This folder"), wording.Count(len(l.Names), "names"), path.Join(dir, namesName))
		if l.Left != "" {
			fmt.Fprintf(&b, "Not fetched: %s.\n", l.Left)
		}
		if l.Failed != "" {
			fmt.Fprintf(&b, "! Its listing failed at %s: %s\n", wording.Time(l.Ran), l.Failed)
		}
	}
	switch by := f.refreshedBy(); {
	case len(f.listings) == 0 && !slices.ContainsFunc(f.files, rule.fixed):
	case by != "":
		fmt.Fprintf(&b, "It is refreshed %s, and by: ctxfs exec refresh %s\n", by, f.name)
	default:
		fmt.Fprintf(&b, "Fetch what the listings name: ctxfs exec refresh %s\n", f.name)
	}
	return []byte(b.String())
}

// refreshedBy says when the folder is refreshed by itself; "" for never.
func (f *folder) refreshedBy() string {
	var when []string
	if f.every > 0 {
		when = append(when, "every "+duration(f.every))
	}
	if len(f.watch) > 0 {
		var paths []string
		for _, path := range f.watch {
			paths = append(paths, wording.Tilde(path, f.p.opts.Home))
		}
		when = append(when, "after a change of "+wording.Or(paths))
	}
	return strings.Join(when, ", ")
}

// commandLine words a command for people, without its secrets.
func commandLine(words []string) string { return clean.Line(wording.ShellLine(mask.Args(words))) }

// duration words a setting as people write it: "1h", "30s".
func duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = text[:len(text)-2]
	}
	if strings.HasSuffix(text, "h0m") {
		text = text[:len(text)-2]
	}
	return text
}

// tableCell makes a text that of a cell of a table.
func tableCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
