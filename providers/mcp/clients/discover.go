package clients

import (
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/mcp/config"
)

// options are what finding servers depends on.
type Options struct {
	// home is the user's home folder.
	Home string
	// lookupEnv looks up a variable of the environment.
	LookupEnv func(string) (string, bool)
	// hide leaves out projects that are, or are in, views of ours; may be nil.
	Hide func(path string) bool
	// approvals is the path of the file of approvals; "" trusts no project.
	Approvals string
	// remembered returns the servers that a file is known to have configured,
	// for one that cannot be used.
	Remembered func(file string) []config.Server
}

// finder finds the configured servers. Its methods may not be called at the
// same time.
type Finder struct {
	opts Options
	good map[string]File // by path: what it held when it was last good
}

func New(opts Options) *Finder {
	return &Finder{opts: opts, good: make(map[string]File)}
}

func (f *Finder) machine() machine {
	return machine{Machine: agents.Machine{Home: f.opts.Home, LookupEnv: f.opts.LookupEnv}, hide: f.opts.Hide}
}

// discovery is what all configuration files together say.
type Discovery struct {
	// files are those that were looked at, there or not.
	Files []File
	// servers are in the order in which they get their names.
	Servers []*config.Server
	// passed are the entries that are no server of their own.
	PassedOver []PassedOver
	Problems   []fs.Problem
	// projects are the folders of known projects, sorted.
	Projects []string
	// trusted is when the projects that are trusted last were; some of them may
	// not exist any more.
	Trusted  map[string]time.Time
	Settings Settings
}

// passedOver is an entry that is no server of its own.
type PassedOver struct {
	*config.Server
	Why string
}

// discover reads all configuration files: ctxfs's own, those of the user, and
// those of the known projects and of the folders given.
func (f *Finder) Discover(own Own, folders ...string) *Discovery {
	all := &Discovery{Trusted: make(map[string]time.Time)}
	take := func(c File) File {
		c = f.current(c)
		all.Files = append(all.Files, c)
		all.Problems = append(all.Problems, c.problems...)
		if c.Bad != nil {
			all.Problems = append(all.Problems, *c.Bad)
		}
		return c
	}
	m := f.machine()
	ours := take(own.read(m))
	all.Settings, m.inputs = ours.settings, ours.settings.inputs

	var found []*Entry
	var refused []refusal
	layered := newLayers(all)
	places := userPlaces(m)
	projects := slices.Clone(folders)
	for _, place := range places {
		c := take(place.readFile(m))
		found = append(found, layered.add(place.client, c.Entries)...)
		projects, refused = append(projects, c.projects...), append(refused, c.refused...)
	}
	allowed, err := readApprovals(f.opts.Approvals)
	if err != nil {
		all.Problems = append(all.Problems, fs.Problem{What: err.Error(), Mend: "trust them anew: ctxfs trust DIR"})
	}
	for folder, approval := range allowed.Projects {
		all.Trusted[folder] = approval.Time
		if real, ok := m.projectFolder(folder); ok && real == folder {
			projects = append(projects, folder)
		}
	}
	slices.Sort(projects)
	all.Projects = slices.Compact(projects)
	for _, folder := range all.Projects {
		for _, place := range projectPlaces(folder, places) {
			c := take(place.readFile(m))
			for _, d := range c.Entries {
				d.Trust = allowed.of(folder, d.File, c.sum)
				for _, r := range refused {
					if r.project == folder && r.name == d.Name && d.Client == claudeCode().agent.ID {
						d.Disabled, d.EnableHint = true, r.enable
					}
				}
			}
			found = append(found, layered.add(place.client, c.Entries)...)
		}
	}
	all.merge(ours.Entries, found)
	return all
}

// layers finds entries that hide others of a client with several files.
type layers struct {
	all  *Discovery
	tops map[string]*Entry
}

func newLayers(all *Discovery) *layers { return &layers{all, make(map[string]*Entry)} }

// add takes the entries of a client's next file, of those with one scope the
// one with precedence first, and returns those that are not hidden.
func (l *layers) add(c client, entries []*Entry) (seen []*Entry) {
	for _, d := range entries {
		key := strings.Join([]string{c.agent.ID, d.Project, d.Name}, "\x00")
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
				d.Disabled, d.EnableHint = top.Disabled, top.EnableHint
			}
			seen = append(seen, d)
		default:
			l.all.pass(d, c.agent.ID+" uses "+top.EntryText()+" in its place")
		}
	}
	return seen
}

func (all *Discovery) pass(d *Entry, why string) {
	all.PassedOver = append(all.PassedOver, PassedOver{&d.Server, why})
}

// current is a file as it counts: what it held when it was last good, as long
// as it is not; before it ever was, what is remembered of it.
func (f *Finder) current(c File) File {
	switch good, ok := f.good[c.Path]; {
	case c.Bad == nil:
		f.good[c.Path] = c
	case ok:
		good.Bad, good.problems = c.Bad, nil
		c = good
	default:
		c.Entries = f.remembered(c.Path, *c.Bad)
	}
	entries := make([]*Entry, len(c.Entries)) // those that are kept stay as they were read
	for i, d := range c.Entries {
		entries[i] = d.clone()
	}
	c.Entries = entries
	return c
}

// remembered are the servers that are known of a file that cannot be used.
func (f *Finder) remembered(path string, bad fs.Problem) (known []*Entry) {
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	for _, d := range f.opts.Remembered(path) {
		d.Time = changed
		known = append(known, &Entry{Server: d, lost: bad})
	}
	return known
}

// isGood reports whether the file of that path has ever been read without a
// fault.
func (f *Finder) WasGood(path string) bool {
	_, good := f.good[path]
	return good
}

// watch are the files whose change changes what was discovered, there or not.
func (f *Finder) Watch(all *Discovery) (files []string) {
	installed, enabled := pluginFiles(f.machine())
	files = []string{f.opts.Approvals, installed, enabled}
	for _, c := range all.Files {
		files = append(files, c.Path)
		for _, d := range c.Entries {
			files = append(files, d.reads...)
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool { return f == "" })
}

// userFiles are the files of the user in which servers are looked for: of each
// client the one that most have.
func (f *Finder) UserFiles() (files []string) {
	named := make(map[string]bool)
	for _, place := range userPlaces(f.machine()) {
		if place.scope == config.ScopeUser && !named[place.agent.ID] {
			named[place.agent.ID] = true
			files = append(files, place.path)
		}
	}
	return files
}
