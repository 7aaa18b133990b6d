package server

import (
	"bytes"
	"cmp"
	"context"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/kept"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/serverlog"
	"ctxfs/providers/mcp/wire"
)

// Server is one configured server: its folder, what is known of it, and the instance
// that runs it. It is safe for concurrent use. Its instance is not called with mu
// held, since the instance shows its condition with its own lock held.
type Server struct {
	o        *Options
	replaces bool
	dir      *fs.Folder
	dirs     [catalogue.NumFolders]*fs.Folder // in dir

	Kept *kept.Resources // its own lock may be taken with mu held
	main *instance.Instance
	gone chan struct{} // closed when the server has ended with all its instances
	log  *serverlog.Log

	mu        sync.Mutex
	def       *config.Server
	file      string               // the name of its folder
	namedAs   string               // file when the definitions were last shown: they say it
	namesakes []string             // remarks about servers of the same name
	condition instance.Condition   // of main
	memory    int64                // of main's processes, in bytes, rounded; 0 if it is not known
	placed    map[Place]*Placed    // the instances besides main
	shown     *catalogue.Snapshot  // nil where there is no catalogue
	unsaved   *catalogue.Catalogue // the catalogue, if it could not be saved
	login     *oauth.Session       // of the run under way, or nil
	texts     map[string]shownText
	toolCache calls.ToolCache
	bin       bin          // in dir
	calls     *drop.Folder // in dir, or nil
	asked     waiting      // the folder of open questions
	left      waiting      // the folder of tasks
	ended     bool         // no more calls are accepted

	pinning     sync.Mutex // serializes changes of pins; locked before mu
	pins        pins.State
	pinsChanged bool // since they were last shown
}

// shownText is the content of a text file and its time.
type shownText struct {
	body []byte
	time time.Time
}

// New returns a server whose folder shows what is known without starting it.
// Namesakes are remarks on servers of the same name; replaces says that the server
// replaces one with another configuration, whose catalogue may not fit.
func New(o *Options, d *config.Server, file string, namesakes []string, replaces bool) *Server {
	s := &Server{
		o: o, def: d, file: file, namesakes: namesakes, replaces: replaces,
		dir:  new(fs.Folder),
		gone: make(chan struct{}), placed: make(map[Place]*Placed),
		asked: waiting{name: QuestionsName}, left: waiting{name: tasksName},
		texts: make(map[string]shownText),
	}
	contents := make(map[string]*catalogue.Kept)
	if !d.Disabled {
		s.shown = o.Cache.Snapshot(catalogue.KeysOf(d)).Filtered(d.Tools.And(d.Limits))
		s.pins = o.Pins.Load(catalogue.KeysOf(d), s.shown)
		contents = o.Cache.Kept(catalogue.KeysOf(d))
	}
	s.Kept = kept.New(kept.Options{
		Env: o.Env, Cache: o.Cache, Timing: o.Instances.Timing, Definition: s.Definition,
		Unanswered: func(c *wire.Connection, err error, limit time.Duration) error {
			return s.main.Unanswered(c, err, limit)
		},
		Changed: s.Show,
	}, contents)
	s.log = s.newLog()
	s.condition = AtRest(d, s.shown)
	s.main = s.newMain(s.condition)
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := cmp.Or(s.condition.Since, o.Env.Now())
	nodes := make(map[string]fs.Node)
	for f := range catalogue.NumFolders {
		s.dirs[f] = new(fs.Folder)
		nodes[f.Name()] = s.dirs[f]
	}
	if n := s.log.Node(); n != nil {
		nodes[logName] = n
	}
	s.dir.Replace(begun, nodes)
	s.publishSections(nil, begun)
	s.publishTexts(begun)
	s.publishPrograms(begun)
	s.publishWaiting(begun)
	return s
}

// AtRest returns the condition of a server that has not been started, given what is
// shown of it, or nil. Its time is that of the facts, so that it is the same after a
// restart of ctxfs.
func AtRest(d *config.Server, shown *catalogue.Snapshot) instance.Condition {
	switch {
	case d.Disabled:
		return instance.Condition{State: instance.StateDisabled, Since: d.Time, Fix: "to use it, " + d.EnableHint}
	case d.Fault != nil && d.Fault.WantsProject: // nothing is wrong
		c := instance.Condition{State: instance.StateStopped, Since: d.Time, Remarks: []string{d.Fault.What}, Fix: d.Fault.Fix}
		if shown != nil {
			c.State, c.Since = instance.StateCached, shown.Time
		}
		return c
	case d.Fault != nil:
		return instance.Condition{State: d.Fault.State, Since: d.Time, What: d.Fault.What, Fix: d.Fault.Fix, Reported: d.Fault.Reported, Lapsed: d.Fault.Lapsed}
	case shown != nil:
		return instance.Condition{State: instance.StateCached, Since: shown.Time, Remarks: []string{knownRemark}}
	}
	return instance.Condition{State: instance.StateStopped, Since: d.Time, Fix: "start it: ctxfs mount"}
}

const knownRemark = "known from an earlier run, and not running: its first call starts it"

// update calls change with mu held, then publishes what has changed.
func (s *Server) update(change func()) {
	s.o.Publishing.RLock()
	defer s.o.Publishing.RUnlock()
	file, changed := s.publish(change)
	for _, path := range changed {
		s.o.Env.Changed(file + "/" + path)
	}
	s.o.Shown()
}

// publish calls change with mu held, and shows what has changed: it returns the paths, and
// the folder that they are in.
func (s *Server) publish(change func()) (file string, changed []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.shown
	change()
	now := s.o.Env.Now()
	changed = append(s.publishSections(before, now), s.publishTexts(now)...)
	changed = append(changed, s.publishPrograms(now)...)
	return s.file, append(changed, s.publishWaiting(now)...)
}

// publishSections updates the folders of definitions whose content differs from
// that of the snapshot before, with kept resources and drifts, and returns their
// names. The caller holds mu.
func (s *Server) publishSections(before *catalogue.Snapshot, now time.Time) (changed []string) {
	beside := [catalogue.NumFolders]bool{catalogue.ToolFolder: s.pinsChanged, catalogue.ResourceFolder: s.Kept.TakeChanged()}
	s.pinsChanged = false
	renamed := s.namedAs != s.file
	s.namedAs = s.file
	if s.shown == before && before != nil && beside == [catalogue.NumFolders]bool{} && !renamed {
		return nil
	}
	for f := range catalogue.NumFolders {
		var is, was catalogue.Section
		if s.shown != nil {
			is = s.shown.Sections[f]
		}
		if before != nil {
			was = before.Sections[f]
			if is.Equal(was) && !beside[f] && !renamed {
				continue
			}
		}
		t, nodes := cmp.Or(is.Changed, now), is.Nodes(s.file, f)
		var newest time.Time
		switch f {
		case catalogue.ToolFolder:
			newest = s.pins.AddFiles(nodes)
		case catalogue.ResourceFolder:
			newest = s.Kept.AddFiles(nodes, is.Items)
		}
		if t = wording.Later(t, newest); beside[f] {
			t = now
		}
		s.dirs[f].Replace(t, nodes)
		if before != nil || len(is.Items) > 0 || beside[f] {
			changed = append(changed, f.Name())
		}
	}
	return changed
}

// publishTexts updates the text files that have changed, and returns their names.
// Each has the time of its facts, or now if it changed for another reason. The
// caller holds mu.
func (s *Server) publishTexts(now time.Time) (changed []string) {
	described, listed := cmp.Or(s.def.Time, now), time.Time{}
	if s.shown != nil {
		described, listed = s.shown.Described, s.shown.Sections[catalogue.ToolFolder].Changed
	}
	set := func(name string, body []byte, t time.Time) {
		old, had := s.texts[name]
		switch {
		case len(body) == 0 && had:
			delete(s.texts, name)
			s.dir.Remove(now, name)
		case bytes.Equal(old.body, body):
			return
		default:
			if !t.After(old.time) {
				t = now
			}
			s.texts[name] = shownText{body, t}
			s.dir.Set(now, name, fs.NewText(t, body))
		}
		changed = append(changed, name)
	}
	set("STATUS.md", s.statusText(), cmp.Or(s.condition.Since, now))
	if text, err := metadataText(s.def, s.shown); err == nil {
		set("SERVER_METADATA.json", text, described)
	}
	var instructions []byte
	if s.shown != nil {
		if text := clean.Text(s.shown.Instructions); text != "" {
			instructions = []byte(text)
			if text[len(text)-1] != '\n' {
				instructions = append(instructions, '\n')
			}
		}
	}
	set("INSTRUCTIONS.md", instructions, described)
	set("SIGNATURES.md", signaturesText(s.file, s.shown), cmp.Or(listed, described))
	return changed
}

// SetDefinition replaces the definition by one of the same server, which may have
// other sources, the name of the folder, and the remarks.
func (s *Server) SetDefinition(d *config.Server, file string, namesakes []string) {
	s.mu.Lock()
	moved := s.file != file
	leveled := s.def.LogLevel != d.LogLevel
	s.def, s.file, s.namesakes = d, file, namesakes
	now := s.o.Env.Now()
	changed := append(s.publishTexts(now), s.publishPrograms(now)...)
	if moved {
		s.publishSections(s.shown, now)
	}
	s.mu.Unlock()
	s.redefine(d)
	if leveled {
		s.setLogLevel(d.LogLevel)
	}
	if moved {
		return // the provider notifies of the whole folder
	}
	for _, path := range changed {
		s.o.Env.Changed(file + "/" + path)
	}
}

// End ends the instances and the calls by files, and withdraws the questions,
// without waiting for them: gone is closed when the instances have ended.
func (s *Server) End(why instance.Interruption) {
	s.o.Questions.Withdraw(s)
	s.mu.Lock()
	again := s.ended
	s.ended = true
	s.publishCalls(s.o.Env.Now())
	placed := s.places()
	s.mu.Unlock()
	if again {
		return
	}
	s.main.End(why)
	for _, x := range placed {
		x.run.End(why)
	}
	s.o.Running.Go(func() {
		if s.main.Begun() {
			<-s.main.Done()
		}
		for _, x := range placed {
			<-x.run.Done()
		}
		close(s.gone)
	})
}

// Named returns the definition, the folder's name and the state of a server.
func (s *Server) Named() (d *config.Server, file, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.def, s.file, s.condition.State
}

// Begin lets the server run, unless it does or cannot: when before is closed, unless
// that is nil. One whose catalogue is not known starts, others wait until they are used.
func (s *Server) Begin(before <-chan struct{}) {
	if !s.Definition().Startable() || s.main.Begun() {
		return
	}
	why := instance.NoReason
	if s.wantsStart() {
		why = instance.Unrequested
	}
	s.main.Begin(before, why)
}

// Begun reports whether the server may run.
func (s *Server) Begun() bool { return s.main.Begun() }

// Replaces reports whether the server replaces one with another configuration.
func (s *Server) Replaces() bool { return s.replaces }

// Use uses the instance that all share, and starts it if necessary: see
// [instance.Instance.Use]. A limit of 0 is the timeout of a tool.
func (s *Server) Use(ctx context.Context, w instance.Waiting) (*instance.Session, error) {
	if w.Limit == 0 {
		w.Limit = s.Patience(0)
	}
	return s.main.Use(ctx, w)
}

// Wake starts the instance that all share, if it does not run.
func (s *Server) Wake() error { return s.main.Restart(instance.RestartRequested) }

// Restart restarts the server, and stops its instances for projects and sessions.
func (s *Server) Restart(why instance.Reason) error {
	if s.stopPlaced() && s.WantsProject() {
		return nil
	}
	return s.main.Restart(why)
}

// Touch lets the server look again how long it is to run without users.
func (s *Server) Touch() { s.main.Touch() }

// Gone returns a channel that is closed when the server has ended.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Close waits until the server has ended.
func (s *Server) Close() {
	<-s.gone
	s.log.Close()
}
