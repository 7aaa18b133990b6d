package server

import (
	"context"
	"path/filepath"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/serverlog"
	"ctxfs/providers/mcp/wire"
)

// newMain returns the instance of the server that fetches its catalogue.
func (s *Server) newMain(is instance.Condition) *instance.Instance {
	return instance.New(s.o.Instances, instance.Owner{
		Name: s.Folder, Definition: s.Definition, Dialer: s.dialer, Clean: s.Clean,
		Listed:  s.adopt,
		Changed: s.showing(&s.condition, &s.memory),
		Retries: true,
		Follow:  s.Kept.Follow,
		IsKept:  s.Kept.Any,
	}, is)
}

// showing returns what takes the condition of an instance, and shows it. Memory is that of
// its processes.
func (s *Server) showing(condition *instance.Condition, memory *int64) func(is instance.Condition, show func()) {
	return func(is instance.Condition, show func()) {
		s.update(func() {
			if *condition = is; is.State != instance.StateReady {
				*memory = 0
			}
			if show != nil {
				show()
			}
		})
		s.o.Sample()
	}
}

// Folder returns the name of the server's folder.
func (s *Server) Folder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

func (s *Server) Definition() *config.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.def
}

// dialer returns how the server is connected to. Its root is its own project, or the
// folder that its entry names: it may ask for no other, since all share it.
func (s *Server) dialer(d *config.Server) *wire.Dialer {
	login := s.o.Logins.Session(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.login = login
	roots := []string{} // as a client in which no folder is open
	switch {
	case d.Project != "":
		roots = []string{d.Project}
	case d.Transport == config.Stdio && d.Dir != "" && d.Dir != s.o.Home:
		roots = []string{d.Dir}
	}
	era := wire.Unknown
	if s.shown != nil && s.shown.Command == d.CommandHash() {
		if era = wire.Modern; s.shown.Legacy {
			era = wire.Legacy
		}
	}
	return &wire.Dialer{
		Def: d, Login: login, HTTP: s.o.HTTP, Home: s.o.Home, Environ: s.o.Environ, Timing: s.o.Instances.Timing.Timing, Now: s.o.Env.Now, Roots: roots,
		Log: s.logTo(""), LogLevel: s.def.LogLevel,
		Samples: s.o.Sampling.Answers(), Era: era,
	}
}

// wantsStart reports whether the server is to start without being used: its
// catalogue is not known, is of another configuration or was fetched when another
// answer held to whether it may ask a language model, or it has kept resources.
func (s *Server) wantsStart() bool {
	samples := s.o.Sampling.Answers()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaces || s.shown == nil || !s.shown.Fits(s.def) || s.shown.Samples != samples || s.Kept.Any()
}

// logName is the file of a server's logging messages.
const logName = "log.txt"

// newLog returns the log of the server. Its file is there as soon as there is a
// message.
func (s *Server) newLog() *serverlog.Log {
	return serverlog.New(serverlog.Options{
		Path: filepath.Join(s.o.Logs, catalogue.KeyOf(s.def.Source).FileName(16)+".txt"), Now: s.o.Env.Now, Written: s.logged,
		Clean: func(text string) string { return s.o.Questions.Redact(s, s.Clean(s.Definition(), text)) },
	})
}

// logged shows that the log has grown.
func (s *Server) logged(first bool) {
	s.mu.Lock()
	file := s.file
	if first {
		s.dir.Set(s.o.Env.Now(), logName, s.log.Node())
	}
	s.mu.Unlock()
	s.o.Env.Changed(file + "/" + logName)
}

// setLogLevel asks the running instances of the server for logging messages of another level. Those
// that start later are asked then.
func (s *Server) setLogLevel(level string) {
	for _, i := range s.Instances() {
		c := i.Connection()
		if c == nil {
			continue
		}
		c.Go(func() {
			ctx, stop := context.WithTimeout(c.Context, s.o.Instances.Timing.Call)
			defer stop()
			if err := c.SetLogLevel(ctx, level); err != nil {
				s.o.Env.Log.Warn("a server does not change the level of its log", "server", s.Folder(), "err", err)
			}
		})
	}
}

// Instances returns the instances of the server, the shared one first.
func (s *Server) Instances() []*instance.Instance {
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
func (s *Server) logTo(project string) func(wire.LogMessage) {
	return func(m wire.LogMessage) { s.log.Post(m, wording.Tilde(project, s.o.Home)) }
}
