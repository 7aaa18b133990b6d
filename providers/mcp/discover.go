package mcp

import (
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
)

// options are what finding servers depends on.
type options struct {
	// home is the user's home folder.
	home string
	// lookupEnv looks up a variable of the environment.
	lookupEnv func(string) (string, bool)
	// hide leaves out projects that are, or are in, views of ours; may be nil.
	hide func(path string) bool
	// approvals is the path of the file of approvals; "" trusts no project.
	approvals string
	// remembered returns the servers that a file is known to have configured,
	// for one that cannot be used.
	remembered func(file string) []definition
}

// finder finds the configured servers. Its methods may not be called at the
// same time.
type finder struct {
	opts options
	good map[string]file // by path: what it held when it was last good
}

func newFinder(opts options) *finder {
	return &finder{opts: opts, good: make(map[string]file)}
}

func (f *finder) surroundings() surroundings {
	return surroundings{home: f.opts.home, lookup: f.opts.lookupEnv, hide: f.opts.hide}
}

// discovery is what all configuration files together say.
type discovery struct {
	// files are those that were looked at, there or not.
	files []file
	// servers are in the order in which they get their names.
	servers []*definition
	// passed are the entries that are no server of their own.
	passed   []passedOver
	problems []fs.Problem
	// projects are the folders of known projects, sorted.
	projects []string
	// trusted is when the projects that are trusted last were; some of them may
	// not exist any more.
	trusted  map[string]time.Time
	settings ownSettings
}

// passedOver is an entry that is no server of its own.
type passedOver struct {
	*definition
	why string
}

// discover reads all configuration files: ctxfs's own, those of the user, and
// those of the known projects and of the folders given.
func (f *finder) discover(own ownFile, folders ...string) *discovery {
	all := &discovery{trusted: make(map[string]time.Time)}
	take := func(c file) file {
		c = f.current(c)
		all.files = append(all.files, c)
		all.problems = append(all.problems, c.problems...)
		if c.bad != nil {
			all.problems = append(all.problems, *c.bad)
		}
		return c
	}
	s := f.surroundings()
	ours := take(own.read(s))
	all.settings, s.inputs = ours.settings, ours.settings.inputs

	var found []*entry
	var refused []refusal
	layered := newLayers(all)
	places := userPlaces(s)
	projects := slices.Clone(folders)
	for _, place := range places {
		c := take(place.read(s))
		found = append(found, layered.add(place.Client, c.entries)...)
		projects, refused = append(projects, c.projects...), append(refused, c.refused...)
	}
	allowed, err := readApprovals(f.opts.approvals)
	if err != nil {
		all.problems = append(all.problems, fs.Problem{What: err.Error(), Mend: "trust them anew: ctxfs trust DIR"})
	}
	for folder, approval := range allowed.Projects {
		all.trusted[folder] = approval.Time
		if real, ok := s.projectFolder(folder); ok && real == folder {
			projects = append(projects, folder)
		}
	}
	slices.Sort(projects)
	all.projects = slices.Compact(projects)
	for _, folder := range all.projects {
		for _, place := range projectPlaces(folder, places) {
			c := take(place.read(s))
			for _, d := range c.entries {
				d.trust = allowed.of(folder, d.file, c.sum)
				for _, r := range refused {
					if r.project == folder && r.name == d.name && d.client == claudeCode().name {
						d.disabled, d.enable = true, r.enable
					}
				}
			}
			found = append(found, layered.add(place.Client, c.entries)...)
		}
	}
	all.merge(ours.entries, found)
	return all
}

// layers finds entries that hide others of a client with several files.
type layers struct {
	all  *discovery
	tops map[string]*entry
}

func newLayers(all *discovery) *layers { return &layers{all, make(map[string]*entry)} }

// add takes the entries of a client's next file, of those with one scope the
// one with precedence first, and returns those that are not hidden.
func (l *layers) add(c Client, entries []*entry) (seen []*entry) {
	for _, d := range entries {
		key := strings.Join([]string{c.name, d.project, d.name}, "\x00")
		top := l.tops[key]
		switch {
		case !c.layers:
			seen = append(seen, d)
		case d.partial && top == nil:
			l.tops[key] = d
			l.all.pass(d, "it only switches a server of that name on or off")
		case top == nil:
			l.tops[key] = d
			seen = append(seen, d)
		case top.partial:
			l.tops[key] = d
			if top.wrong == "" {
				d.disabled, d.enable = top.disabled, top.enable
			}
			seen = append(seen, d)
		default:
			l.all.pass(d, c.name+" uses "+top.entry()+" in its place")
		}
	}
	return seen
}

func (all *discovery) pass(d *entry, why string) {
	all.passed = append(all.passed, passedOver{&d.definition, why})
}

// current is a file as it counts: what it held when it was last good, as long
// as it is not; before it ever was, what is remembered of it.
func (f *finder) current(c file) file {
	switch good, ok := f.good[c.path]; {
	case c.bad == nil:
		f.good[c.path] = c
	case ok:
		good.bad, good.problems = c.bad, nil
		c = good
	default:
		c.entries = f.remembered(c.path, *c.bad)
	}
	entries := make([]*entry, len(c.entries)) // those that are kept stay as they were read
	for i, d := range c.entries {
		entries[i] = d.clone()
	}
	c.entries = entries
	return c
}

// remembered are the servers that are known of a file that cannot be used.
func (f *finder) remembered(path string, bad fs.Problem) (known []*entry) {
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	for _, d := range f.opts.remembered(path) {
		d.time = changed
		known = append(known, &entry{definition: d, lost: bad})
	}
	return known
}

// isGood reports whether the file of that path has ever been read without a
// fault.
func (f *finder) isGood(path string) bool {
	_, good := f.good[path]
	return good
}

// watch are the files whose change changes what was discovered, there or not.
func (f *finder) watch(all *discovery) (files []string) {
	installed, enabled := pluginFiles(f.surroundings())
	files = []string{f.opts.approvals, installed, enabled}
	for _, c := range all.files {
		files = append(files, c.path)
		for _, d := range c.entries {
			files = append(files, d.reads...)
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool { return f == "" })
}

// userFiles are the files of the user in which servers are looked for: of each
// client the one that most have.
func (f *finder) userFiles() (files []string) {
	named := make(map[string]bool)
	for _, place := range userPlaces(f.surroundings()) {
		if place.scope == scopeUser && !named[place.name] {
			named[place.name] = true
			files = append(files, place.path)
		}
	}
	return files
}
