package server

import (
	"encoding/json"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
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
	switch {
	case given > 0:
		return given
	case s.def.CallTimeout > 0:
		return s.def.CallTimeout
	}
	return s.o.Tool
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
