package mcp

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/names"
)

// discovery is what all configuration files together say.
type discovery struct {
	files []configuration
	// defs are the servers, in the order in which they get their names.
	defs []*definition
	// passed are the entries that are no server of their own.
	passed   []passedOver
	problems []fs.Problem
	projects []string // folders of known projects, sorted
}

// passedOver is an entry that is no server of its own.
type passedOver struct {
	*definition
	why string
}

// discover reads all configuration files, with those of the projects that are
// known and of the folders given. It is called with p.changing held.
func (p *Provider) discover(folders ...string) *discovery {
	all := new(discovery)
	take := func(c configuration) configuration {
		c = p.current(c)
		all.files = append(all.files, c)
		all.problems = append(all.problems, c.problems...)
		if c.bad != nil {
			all.problems = append(all.problems, *c.bad)
		}
		return c
	}
	s := p.surroundings()
	own := take(readOwn(p.opts.SettingsPath, s))
	s.inputs = own.inputs
	p.storeLogins(own.logins)
	p.storeIdle(own.idle)
	p.policy.Store(own.policy)
	p.fileCalls.Store(own.fileCalls)

	var found []*definition
	var refused []refusal
	layered := newLayers(all)
	places := userPlaces(s)
	projects := slices.Clone(folders)
	for _, place := range places {
		c := take(place.read(s))
		found = append(found, layered.add(place.agent, c.defs)...)
		projects, refused = append(projects, c.projects...), append(refused, c.refused...)
	}
	allowed, err := readApprovals(p.approvalsPath())
	if err != nil {
		all.problems = append(all.problems, fs.Problem{What: err.Error(), Mend: "trust them anew: ctxfs trust DIR"})
	}
	for folder := range allowed.Projects {
		if real, ok := s.projectFolder(folder); ok && real == folder {
			projects = append(projects, folder)
		}
	}
	slices.Sort(projects)
	all.projects = slices.Compact(projects)
	for _, folder := range all.projects {
		for _, place := range projectPlaces(folder, places) {
			c := take(place.read(s))
			for _, d := range c.defs {
				d.trust = allowed.of(folder, d.file, c.sum)
				for _, r := range refused {
					if r.project == folder && r.name == d.name && d.client == claudeCode().name {
						d.disabled, d.enable = true, r.enable
					}
				}
			}
			found = append(found, layered.add(place.agent, c.defs)...)
		}
	}
	all.merge(own.defs, found)
	return all
}

// layers finds entries that hide others of a client with several files.
type layers struct {
	all  *discovery
	tops map[string]*definition
}

func newLayers(all *discovery) *layers { return &layers{all, make(map[string]*definition)} }

// add takes the entries of a client's next file, of those with one scope the
// one with precedence first, and returns those that are not hidden.
func (l *layers) add(a agent, defs []*definition) (seen []*definition) {
	for _, d := range defs {
		key := strings.Join([]string{a.name, d.project, d.name}, "\x00")
		top := l.tops[key]
		switch {
		case !a.layers:
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
			l.all.pass(d, a.name+" uses "+top.entry()+" in its place")
		}
	}
	return seen
}

func (all *discovery) pass(d *definition, why string) {
	all.passed = append(all.passed, passedOver{d, why})
}

// merge puts together what the files say: ctxfs's own entries replace, disable
// or change others of their name, and one server in several files is one
// definition.
func (all *discovery) merge(own, found []*definition) {
	own, found = all.withoutGateways(own), all.withoutGateways(found)
	ours := newOwnEntries(own, found)
	changes := make(map[*definition]bool)
	for _, d := range found {
		for _, o := range ours.changing(d) {
			d.apply(o)
			changes[o] = true
		}
		for _, o := range ours.limiting(d) {
			d.limit(o)
		}
		d.finish()
	}
	for _, o := range own {
		if changes[o] {
			all.pass(o, "it changes the servers of that name")
			continue
		}
		o.finish()
		all.defs = append(all.defs, o)
	}
	// An entry that is disabled in one file, or not trusted, does not hide that
	// the same server is wanted in another.
	slices.SortStableFunc(found, func(a, b *definition) int {
		return cmp.Or(btoi(a.disabled)-btoi(b.disabled), btoi(a.trust != trusted)-btoi(b.trust != trusted))
	})
	for _, d := range found {
		if twin := twinOf(d, all.defs); twin != nil {
			twin.also = append(twin.also, d.source)
			if !d.limits.IsEmpty() {
				twin.limits = twin.limits.And(d.limits)
				twin.notes = append(twin.notes, "the limits that ctxfs's own configuration sets to the tools of "+d.entry()+" hold for it too")
			}
			if twin.login.same(loginEntry{}) {
				twin.login = d.login
			}
			all.pass(d, "it is the same server as "+twin.entry())
			continue
		}
		switch o := ours.replacing(d); {
		case o == nil:
			all.defs = append(all.defs, d)
		case o.disabled:
			o.also = append(o.also, d.source)
			all.pass(d, "it is disabled by "+o.entry())
		default:
			all.pass(d, "it is replaced by "+o.entry())
		}
	}
	rank := make(map[*definition]int, len(all.defs))
	for i, d := range all.defs {
		rank[d] = i
	}
	clients := []string{"ctxfs"}
	for _, a := range agents() {
		clients = append(clients, a.name)
	}
	clientRank := func(d *definition) int { return slices.Index(clients, d.client) }
	slices.SortFunc(all.defs, func(a, b *definition) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)),
			btoi(a.project != "")-btoi(b.project != ""),
			cmp.Compare(clientRank(a), clientRank(b)),
			cmp.Compare(a.name, b.name),
			cmp.Compare(a.project, b.project),
			cmp.Compare(rank[a], rank[b]),
		)
	})
}

// withoutGateways leaves out the entries through which agents reach ctxfs: as a
// server it would only show ctxfs itself.
func (all *discovery) withoutGateways(defs []*definition) (servers []*definition) {
	for _, d := range defs {
		if d.isGateway() {
			all.pass(d, "it is ctxfs itself, for agents without a shell")
			continue
		}
		servers = append(servers, d)
	}
	return servers
}

// isGateway tells whether the entry starts `ctxfs serve`.
func (d *definition) isGateway() bool {
	return d.transport == stdio && filepath.Base(d.command) == "ctxfs" && len(d.args) > 0 && d.args[0] == "serve"
}

// twinOf finds the definition of the same server from another file.
func twinOf(d *definition, all []*definition) *definition {
	for _, o := range all {
		if o.origin() != d.origin() && o.same(d) && (o.dir == d.dir || !o.rooted() && !d.rooted()) {
			return o
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fileNames gives each definition the name of its folder.
func fileNames(all []*definition) []string {
	foreign := make([]string, len(all))
	for i, d := range all {
		foreign[i] = d.name
	}
	return names.Assign(foreign)
}

// current is a file as it counts: what it held when it was last good, as long
// as it is not; before it ever was, what the cache knows. The policy is never
// an earlier one: the file may have been emptied before it was written anew.
func (p *Provider) current(c configuration) configuration {
	switch good, ok := p.good[c.path]; {
	case c.bad == nil:
		p.good[c.path] = c
	case ok:
		good.bad, good.problems, good.policy = c.bad, nil, c.policy
		c = good
	default:
		c.defs = p.remembered(c.path, *c.bad)
	}
	defs := make([]*definition, len(c.defs)) // those that are kept stay as they were read
	for i, d := range c.defs {
		defs[i] = d.clone()
	}
	c.defs = defs
	return c
}

// remembered are the servers that the cache knows of a file that cannot be
// used.
func (p *Provider) remembered(path string, bad fs.Problem) (known []*definition) {
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	for _, cat := range p.cache.from(path) {
		known = append(known, &definition{
			source:    source{client: cat.Client, scope: cat.Scope, project: cat.Project, file: cat.Source, name: cat.Name, time: changed},
			transport: cat.Transport,
			lost:      bad,
		})
	}
	return known
}

// configFiles are the files whose change changes the servers.
func (p *Provider) configFiles(all *discovery) (files []string) {
	s := p.surroundings()
	installed, enabled := pluginFiles(s)
	files = []string{p.approvalsPath(), installed, enabled}
	for _, c := range all.files {
		files = append(files, c.path)
		for _, d := range c.defs {
			files = append(files, d.reads...)
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool { return f == "" })
}

// approvalsPath is where it is kept which projects are trusted, or "".
func (p *Provider) approvalsPath() string {
	if p.opts.StateDir == "" {
		return ""
	}
	return filepath.Join(p.opts.StateDir, "trusted.json")
}
