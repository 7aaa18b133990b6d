package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/serverlog"
	"ctxfs/providers/mcp/wire"
)

// newMain returns the instance of the server that fetches its catalogue.
func (s *server) newMain(is instance.Condition) *instance.Instance {
	return instance.New(s.p.instances, instance.Owner{
		Name: s.folder, Definition: s.definition, Dialer: s.dialer, Clean: s.clean,
		Listed: s.adopt,
		Changed: func(is instance.Condition, show func()) {
			s.update(func() {
				if s.condition = is; is.State != instance.StateReady {
					s.memory = 0
				}
				if show != nil {
					show()
				}
			})
			s.p.sample()
		},
		Retries: true,
		Follow:  s.keepCurrent,
		IsKept:  s.isKept,
	}, is)
}

// folder returns the name of the server's folder.
func (s *server) folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

func (s *server) definition() *config.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.def
}

// dialer returns how the server is connected to. Its root is its own project, or the
// folder that its entry names: it may ask for no other, since all share it.
func (s *server) dialer(d *config.Server) *wire.Dialer {
	login := s.p.logins.Session(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.login = login
	roots := []string{} // as a client in which no folder is open
	switch {
	case d.Project != "":
		roots = []string{d.Project}
	case d.Transport == config.Stdio && d.Dir != "" && d.Dir != s.p.opts.Home:
		roots = []string{d.Dir}
	}
	era := wire.Unknown
	if s.shown != nil && s.shown.Command == d.CommandHash() {
		if era = wire.Modern; s.shown.Legacy {
			era = wire.Legacy
		}
	}
	return &wire.Dialer{
		Def: d, Login: login, HTTP: s.p.opts.HTTP, Home: s.p.opts.Home, Lookup: s.p.opts.LookupEnv, Timing: s.p.timing.wire(), Now: s.p.env.Now, Roots: roots,
		Log: s.logTo(""), LogLevel: s.def.LogLevel,
		Samples: s.p.sampling.Answers(), Era: era,
	}
}

// wantsStart reports whether the server is to start without being used: its
// catalogue is not known, is of another configuration or was fetched when another
// answer held to whether it may ask a language model, or it has kept resources.
func (s *server) wantsStart() bool {
	samples := s.p.sampling.Answers()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaces || s.shown == nil || !s.shown.Fits(s.def) || s.shown.Samples != samples || len(s.kept) > 0
}

// use starts a server if necessary, and keeps it running until the session is
// released. It may be called whether or not Start was. A limit of 0 is the timeout
// of a tool. Errors are those of [instance.Instance.Use], and errNotHere.
func (p *Provider) use(ctx context.Context, s *server, w instance.Waiting) (*instance.Session, error) {
	if err := p.ensureBegun(s); err != nil {
		return nil, err
	}
	if w.Limit == 0 {
		w.Limit = s.patience(0)
	}
	return s.main.Use(ctx, w)
}

// chooseOne returns the one server with a name.
func (p *Provider) chooseOne(name string) (*server, error) {
	chosen, err := p.choose(name)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 {
		var files []string
		for _, s := range chosen {
			files = append(files, s.folder())
		}
		return nil, fmt.Errorf("%q is the name of several servers; name the folder of one: %s", clean.Line(name), strings.Join(files, ", "))
	}
	return chosen[0], nil
}

// ensureBegun starts the goroutine of a server that Start has not started.
func (p *Provider) ensureBegun(s *server) error {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.closed || p.opts.Offline {
		return errNotHere
	}
	for _, is := range p.all() {
		if is == s {
			p.begin([]*server{s})
		}
	}
	if s.def.Startable() && !s.main.Begun() {
		return instance.ErrEnded
	}
	return nil
}

var errNotHere = errors.New("ctxfs does not run servers here; start it: ctxfs mount")

// logName is the file of a server's logging messages.
const logName = "log.txt"

// newLog returns the log of the server. Its file is there as soon as there is a
// message.
func (s *server) newLog() *serverlog.Log {
	o := serverlog.Options{Now: s.p.env.Now, Written: s.logged}
	o.Clean = func(text string) string { return s.p.questions.Redact(s, s.clean(s.definition(), text)) }
	if s.p.opts.StateDir != "" {
		o.Path = serverlog.Path(filepath.Join(s.p.opts.StateDir, "logs"), catalogue.KeyOf(s.def.Source))
	}
	return serverlog.New(o)
}

// logged shows that the log has grown.
func (s *server) logged(first bool) {
	s.mu.Lock()
	file := s.file
	if first {
		s.dir.Set(s.p.env.Now(), logName, s.log.Node())
	}
	s.mu.Unlock()
	s.p.env.Changed(file + "/" + logName)
}

// setLogLevel asks the running instances of the server for logging messages of another level. Those
// that start later are asked then.
func (s *server) setLogLevel(level string) {
	for _, i := range s.instances() {
		c := i.Connection()
		if c == nil {
			continue
		}
		c.Go(func() {
			ctx, stop := context.WithTimeout(c.Context, s.p.timing.call)
			defer stop()
			if err := c.SetLogLevel(ctx, level); err != nil {
				s.p.env.Log.Warn("a server does not change the level of its log", "server", s.folder(), "err", err)
			}
		})
	}
}

// instances returns the instances of the server, the shared one first.
func (s *server) instances() []*instance.Instance {
	all := []*instance.Instance{s.main}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.places() {
		all = append(all, x.run)
	}
	return all
}

// logTo returns what keeps the logging messages of the instance of a project, or of
// that of all.
func (s *server) logTo(project string) func(wire.LogMessage) {
	return func(m wire.LogMessage) { s.log.Post(m, wording.Tilde(project, s.p.opts.Home)) }
}
