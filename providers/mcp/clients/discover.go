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

// Options are the surroundings of a [Finder].
type Options struct {
	// Home is the user's home folder.
	Home string
	// Environ returns the environment of the user.
	Environ func() []string
	// Hide reports whether a path is the root of one of our own mounts: projects in it
	// are left out. It may be nil.
	Hide func(path string) bool
	// Approvals is the path of the file of approvals; "" trusts no project.
	Approvals string
	// Remembered returns the servers that a file configured in an earlier run. It
	// is called for a file that cannot be used and was not read before.
	Remembered func(file string) []config.Server
}

// Finder finds the configured servers. It keeps what each file configured when it
// was last valid. Its methods must not be called concurrently.
type Finder struct {
	opts Options
	good map[string]File // by path: what the file configured when it was last good
}

// New returns a Finder. It reads nothing.
func New(opts Options) *Finder { return &Finder{opts: opts, good: make(map[string]File)} }

func (f *Finder) machine() machine {
	return machine{Machine: agents.Machine{Home: f.opts.Home, LookupEnv: agents.Lookup(f.opts.Environ)}, hide: f.opts.Hide}
}

// Discovery is what all configuration files together say.
type Discovery struct {
	// Files are those that were looked for; some of them do not exist.
	Files []File
	// Servers are in the order of naming ([FolderNames]).
	Servers []*config.Server
	// PassedOver are the entries that do not make a server of their own.
	PassedOver []PassedOver
	// Problems are faults of files; those of a server are with the server.
	Problems []fs.Problem
	// Projects are the folders of the projects that a client's file names, or that were
	// trusted, sorted. The home folder may be one of them.
	Projects []string
	// Trusted says when each project was trusted; some may not exist any more.
	Trusted  map[string]time.Time
	Settings Settings
}

// PassedOver is an entry that does not make a server of its own, and why.
type PassedOver struct {
	*config.Server
	Why string
}

// Discover reads all configuration files: ctxfs's own, those of the user, and
// those of the known projects and of the folders given. A project is known if a
// client's file names it, or if it was trusted.
func (f *Finder) Discover(own OwnFile, folders ...string) *Discovery {
	all := &Discovery{Trusted: make(map[string]time.Time)}
	keep := func(c File) File {
		c = f.lastGood(c)
		all.Files = append(all.Files, c)
		all.Problems = append(all.Problems, c.problems...)
		if c.Fault != nil {
			all.Problems = append(all.Problems, *c.Fault)
		}
		return c
	}
	m := f.machine()
	ours := keep(own.read(m))
	all.Settings, m.inputs = ours.settings, ours.settings.inputs

	var found []*Entry
	var refused []refusal
	layered := newLayers(all)
	places := userPlaces(m)
	projects := slices.Clone(folders)
	for _, place := range places {
		c := keep(place.readFile(m))
		found = append(found, layered.add(place.client, c.Entries)...)
		projects, refused = append(projects, c.projects...), append(refused, c.refused...)
	}
	allowed, err := readApprovals(f.opts.Approvals)
	if err != nil {
		all.Problems = append(all.Problems, fs.Problem{What: err.Error(), Mend: "trust them again: ctxfs trust DIR"})
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
			c := keep(place.readFile(m))
			for _, e := range c.Entries {
				e.Trust = allowed.of(folder, e.File, c.sum)
				for _, r := range refused {
					if r.project == folder && r.name == e.Name && e.Client == claudeCode().agent.ID {
						e.Disabled, e.EnableHint = true, r.enable
					}
				}
			}
			found = append(found, layered.add(place.client, c.Entries)...)
		}
	}
	all.add(ours.Entries, found)
	return all
}

// layers finds the entries that hide others of the same client.
type layers struct {
	all     *Discovery
	visible map[string]*Entry
}

func newLayers(all *Discovery) *layers { return &layers{all, make(map[string]*Entry)} }

// add takes the entries of a client's next file and returns those that no earlier
// file hides. In one scope, files come in order of precedence.
func (l *layers) add(c client, entries []*Entry) (seen []*Entry) {
	for _, e := range entries {
		key := strings.Join([]string{c.agent.ID, e.Project, e.Name}, "\x00")
		top := l.visible[key]
		switch {
		case !c.layers:
			seen = append(seen, e)
		case e.partial && top == nil:
			l.visible[key] = e
			l.all.passOver(e, "it only switches a server of that name on or off")
		case top == nil:
			l.visible[key] = e
			seen = append(seen, e)
		case top.partial:
			l.visible[key] = e
			if top.invalid == "" {
				e.Disabled, e.EnableHint = top.Disabled, top.EnableHint
			}
			seen = append(seen, e)
		default:
			l.all.passOver(e, c.agent.ID+" uses "+top.EntryText()+" instead")
		}
	}
	return seen
}

// passOver records an entry that does not make a server of its own.
func (all *Discovery) passOver(e *Entry, why string) {
	all.PassedOver = append(all.PassedOver, PassedOver{&e.Server, why})
}

// lastGood returns the file as it is used:
//
//  1. as it was read, if it has no fault;
//  2. with a fault, but read without one before: what it configured then;
//  3. with a fault, and never read before: what is remembered of it.
func (f *Finder) lastGood(c File) File {
	switch good, ok := f.good[c.Path]; {
	case c.Fault == nil:
		f.good[c.Path] = c
	case ok:
		good.Fault, good.problems = c.Fault, nil
		c = good
	default:
		c.Entries = f.remembered(c.Path, *c.Fault)
	}
	entries := make([]*Entry, len(c.Entries)) // those in f.good stay as they were read
	for i, e := range c.Entries {
		entries[i] = e.clone()
	}
	c.Entries = entries
	return c
}

// remembered returns the entries that are known from a file that cannot be used.
func (f *Finder) remembered(path string, bad fs.Problem) (known []*Entry) {
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	for _, d := range f.opts.Remembered(path) {
		d.Time = changed
		known = append(known, &Entry{Server: d, fileFault: bad})
	}
	return known
}

// WasRead reports whether the file with that path has ever been read without a
// fault.
func (f *Finder) WasRead(path string) bool {
	_, good := f.good[path]
	return good
}

// WatchedFiles returns the files whose change can change what was discovered. Some
// of them do not exist.
func (f *Finder) WatchedFiles(all *Discovery) (files []string) {
	installed, enabled := pluginFiles(f.machine())
	files = []string{f.opts.Approvals, installed, enabled}
	for _, c := range all.Files {
		files = append(files, c.Path)
		for _, e := range c.Entries {
			files = append(files, e.filesRead...)
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool { return f == "" })
}

// UserFiles returns the user's files that are searched for servers: for each client
// the one that most users have.
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
