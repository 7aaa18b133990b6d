package fleet

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/server"
)

// discover reads all configuration files: those of the user, of known projects and
// of the given folders. The caller holds f.changing.
func (f *Fleet) discover(folders ...string) *clients.Discovery {
	path := f.o.SettingsPath
	shut := func(err error) fs.Problem {
		return fs.Problem{
			What: clean.Line(err.Error()) + "; until it is corrected no tool may be called",
			Mend: "correct " + path + "; it is read again at once",
		}
	}
	own := clients.OwnFile{Path: path}
	var problems []fs.Problem
	file, err := settings.Load(path)
	if err != nil {
		bad := shut(err)
		own.Fault = &bad
		f.policy.Store(policy.Broken(path, err))
	} else {
		own.Settings = file
		allowed, err := policy.Read(file)
		if err != nil {
			problems = append(problems, shut(err))
		}
		f.policy.Store(allowed)
	}
	all := f.finder.Discover(own, folders...)
	all.Problems = append(problems, all.Problems...)
	f.o.Server.Logins.Set(all.Settings)
	f.storeIdle(all.Settings.IdleTimeout)
	f.storeQuestions(all.Settings)
	f.fileCalls.Store(all.Settings.FileCalls)
	f.o.Server.Pool.SetMax(all.Settings.MaxInstances)
	if len(folders) == 0 { // further ones are only looked at
		f.o.Projects.SetKnown(all.Projects)
	}
	return all
}

// remembered returns the servers of a file that the cache knows.
func (f *Fleet) remembered(file string) (known []config.Server) {
	for _, cat := range f.o.Server.Cache.From(file) {
		known = append(known, config.Server{
			Source:    config.Source{Client: cat.Client, Scope: cat.Scope, Project: cat.Project, File: cat.Source, Name: cat.Name},
			Transport: cat.Transport,
		})
	}
	return known
}

// storeQuestions applies the settings of questions. Servers learn when they are
// connected to whether they may ask a language model, and may list other tools then:
// where that has changed they are connected to again once they are unused.
func (f *Fleet) storeQuestions(settings clients.Settings) {
	if !f.o.Server.Sampling.Set(settings.Sampler, settings.QuestionTimeout) {
		return
	}
	for _, s := range f.All() {
		for _, i := range s.Instances() {
			i.Renew()
		}
	}
}

// storeIdle applies the configured time after which unused servers are stopped.
func (f *Fleet) storeIdle(idle time.Duration) {
	if f.idle.Swap(int64(idle)) == int64(idle) {
		return
	}
	for _, s := range f.All() {
		s.Touch()
	}
}

// apply replaces the set of servers: those with the same definition keep running,
// others are stopped and their folders removed, new ones start.
func (f *Fleet) apply(all *clients.Discovery) {
	defs := all.Servers
	maps.DeleteFunc(f.leaving, func(_ string, s *server.Server) bool { return rounds.IsClosed(s.Gone()) })
	old := make(map[string]*server.Server)
	for _, s := range f.All() {
		old[s.Definition().Identity()] = s
	}
	files := clients.FolderNames(defs)
	remarks := namesakes(defs, files)
	servers := make([]*server.Server, len(defs))
	var fresh []*server.Server
	var making cell.Group // catalogues are large, and a mount waits for them
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, d := range defs {
		id := d.Identity()
		s := old[id]
		if s != nil && s.Definition().Unchanged(d) {
			delete(old, id)
			s.SetDefinition(d, files[i], remarks[i])
			servers[i] = s
			continue
		}
		cores <- struct{}{}
		making.Go(func() {
			defer func() { <-cores }()
			servers[i] = server.New(f.o.Server, d, files[i], remarks[i], s != nil && s.Begun())
		})
	}
	making.Wait()
	servers = slices.DeleteFunc(servers, func(s *server.Server) bool { return s == nil }) // a fault of ours
	started := f.hasStarted()
	for _, s := range servers {
		if !s.Begun() && (started || s.Replaces()) {
			fresh = append(fresh, s)
		}
	}
	for id, s := range old {
		s.End(instance.Reconfigured)
		f.leaving[id] = s
	}
	f.mu.Lock()
	f.servers, f.problems, f.files = servers, all.Problems, f.finder.WatchedFiles(all)
	f.mu.Unlock()
	f.o.Changed()
	f.begin(fresh)
}

// begin lets servers run, each after the server that it replaces has ended.
func (f *Fleet) begin(servers []*server.Server) {
	for _, s := range servers {
		s.Begin(f.before(s))
	}
}

// before returns a channel that is closed when the server has ended that another one
// replaces, or nil.
func (f *Fleet) before(s *server.Server) <-chan struct{} {
	if l := f.leaving[s.Definition().Identity()]; l != nil {
		return l.Gone()
	}
	return nil
}

// prune removes the cached catalogues of servers that are no longer configured,
// unless their file cannot be read.
func (f *Fleet) prune() {
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.closed {
		return
	}
	configured := make(map[catalogue.Key]bool)
	for _, s := range f.All() {
		for _, k := range catalogue.KeysOf(s.Definition()) {
			configured[k] = true
		}
	}
	keep := func(k catalogue.Key) bool {
		file, _, _ := strings.Cut(k.Origin, "\x00")
		return configured[k] || !f.finder.WasRead(file)
	}
	f.o.Server.Cache.Prune(keep)
}

// namesakes returns remarks for servers whose names become the same file name:
// each names the others and where they are configured.
func namesakes(defs []*config.Server, files []string) [][]string {
	groups := make(map[string][]int)
	for i, file := range files {
		base, _, _ := strings.Cut(strings.ToLower(file), "~")
		groups[base] = append(groups[base], i)
	}
	remarks := make([][]string, len(defs))
	for _, group := range groups {
		for _, i := range group {
			for _, j := range group {
				if i != j {
					remarks[i] = append(remarks[i], fmt.Sprintf("%s is another server of this name, %s in %s",
						files[j], defs[j].QuotedName(), defs[j].File))
				}
			}
		}
	}
	for i, d := range defs {
		for _, other := range d.AlsoIn {
			remarks[i] = append(remarks[i], fmt.Sprintf("%s configures the same server as %q", other.File, clean.Line(other.Name)))
		}
	}
	return remarks
}
