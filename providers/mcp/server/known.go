package server

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/policy"
)

// Tool returns the tool with a name.
func (s *Server) Tool(name string) (*calls.Tool, error) {
	s.mu.Lock()
	shown, file := s.shown, s.file
	s.mu.Unlock()
	return s.toolCache.Find(shown, file, name)
}

// IsKnown reports whether the server's tools are known.
func (s *Server) IsKnown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown != nil
}

// Vouch returns why a tool that is marked as one that only reads is not called for a
// program that may do no more: the mark counts if the tool had it when it was pinned, too.
func (s *Server) Vouch(t *calls.Tool, by *fs.Confined) error {
	s.mu.Lock()
	doubt, file := s.pins.Doubt(t.File, calls.OnlyReads), s.file
	s.mu.Unlock()
	if doubt == "" {
		return nil
	}
	is := policy.NewSubject(s.Names(), t.Name, t.File)
	return is.Confined(by, doubt, "whoever has started the agent can look at it, and accept it: "+pins.AcceptCommand(file, t.File))
}

// Patience returns how long a tool of the server may be silent: the given time,
// or else the configured one.
func (s *Server) Patience(given time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(given, s.def.CallTimeout, s.o.Tool)
}

// NamesByFile returns the URIs or names of what a folder of the server lists, by
// the names of their files. Templates are left out.
func (s *Server) NamesByFile(folder catalogue.Folder) (file string, known map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known = make(map[string]string)
	if s.shown == nil {
		return s.file, known
	}
	for _, i := range s.shown.Sections[folder].Items {
		var shown struct{ URI, Name string }
		if json.Unmarshal(i.Body, &shown) != nil {
			continue
		}
		switch {
		case folder != catalogue.ResourceFolder:
			known[i.File] = i.Name
		case shown.URI != "":
			known[i.File] = shown.URI
		}
	}
	return s.file, known
}

// Protocol returns the version of the protocol that the server last spoke, or "".
func (s *Server) Protocol() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil {
		return ""
	}
	return s.shown.Protocol
}

// Names returns the names by which commands know the server, that of its folder
// first.
func (s *Server) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	called := []string{s.file}
	for _, from := range s.def.Sources() {
		called = append(called, from.Name)
	}
	return called
}

// Summary is what the index and the provider's status say about a server.
type Summary struct {
	File      string // the name of its folder
	Condition instance.Condition
	About     string
	Catalogue time.Time // or zero
	Tools     []catalogue.Item
	Sections  [catalogue.NumFolders]catalogue.Section
	Drifted   *fs.Problem         // the problem of its pins, or nil
	Questions []string            // those that are open, a line each
	Clients   []string            // the ids of the agents that are configured to use it
	Project   string              // the folder of the one project that it belongs to, or ""
	Node      fs.Node             // its folder
	Shown     *catalogue.Snapshot // nil where its tools are not known
}

// Summary returns the one-line description of the server that other pages show.
func (s *Server) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Summary{File: s.file, Condition: s.condition, About: s.shown.Summary(), Drifted: s.pins.Problem(s.file), Questions: s.questionLines(), Clients: s.def.Clients(), Node: s.dir, Shown: s.shown}
	if len(s.def.Projects) == 1 {
		b.Project = s.def.Projects[0]
	}
	if s.shown != nil {
		b.Catalogue, b.Tools, b.Sections = s.shown.Time, s.shown.Tools(), s.shown.Sections
	}
	if b.Drifted == nil {
		b.Drifted = s.placedProblem()
	}
	return b
}

// Cost returns what the definitions of the server's tools take in a request.
func (s *Server) Cost() facts.Cost {
	s.mu.Lock()
	def, file, shown, cat := s.def, s.file, s.shown, s.unsaved
	s.mu.Unlock()
	one := facts.Cost{Kind: facts.ServerCost, Name: file, Agents: askedBy(def)}
	if cat == nil && shown != nil {
		cat = s.o.Cache.Catalogue(catalogue.KeysOf(def))
	}
	if cat == nil {
		one.Unknown = "it was never started"
		return one
	}
	names := make(map[string]bool)
	for _, t := range shown.Tools() {
		names[t.Name] = true
	}
	one.Count = len(names)
	one.Tokens = cat.Tokens(func(name string) bool { return names[name] })
	return one
}

// askedBy returns the ids of the agents whose configuration has a server; nil if it
// is in that of ctxfs, which is for all.
func askedBy(def *config.Server) (agents []string) {
	if slices.ContainsFunc(def.Sources(), func(s config.Source) bool { return s.Client == "ctxfs" }) {
		return nil
	}
	return def.Clients()
}

// ForgetResource removes the file of a kept resource, which is named by its URI or by
// the name of its file. It does not start the server.
func (s *Server) ForgetResource(uri string) error {
	file, known := s.NamesByFile(catalogue.ResourceFolder)
	was, err := s.Kept.Forget(uri)
	if !was {
		was, err = s.Kept.Forget(known[uri])
	}
	switch {
	case err != nil:
		return err
	case !was:
		return &calls.UseError{Server: file, What: "this resource is not kept", Mend: "see what is: ctxfs ls mcps/" + file + "/resources"}
	}
	s.main.Touch()
	return nil
}
