package server

import (
	"errors"
	"fmt"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/pins"
)

// Accepted is the outcome of Accept.
type Accepted struct {
	// Server is the name of its folder.
	Server string `json:"server"`
	// Tools are those whose pinned definition was replaced, in the order of the
	// folder.
	Tools []AcceptedTool `json:"tools"`
}

// AcceptedTool is a tool whose definition is now pinned as it is shown.
type AcceptedTool struct {
	Tool  string    `json:"tool"`  // the name of its file, without ".json"
	Since time.Time `json:"since"` // when this definition was first seen
}

// Accept pins the definitions of a server's tools as they are shown now: those of
// the tools named, by their own names or those of their files, or all. The server
// is neither started nor asked. Definitions that have not changed keep the time of
// their pins.
func (s *Server) Accept(tools ...string) (Accepted, error) {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	s.mu.Lock()
	d, shown, file, known := s.def, s.shown, s.file, s.pins
	s.mu.Unlock()
	result := Accepted{Server: file, Tools: []AcceptedTool{}}
	if shown == nil {
		return result, &calls.UseError{Server: file, What: "none of its tools is known", Mend: "see why: ctxfs cat mcps/" + file + "/STATUS.md"}
	}
	chosen, err := chooseTools(shown, file, tools)
	if err != nil {
		return result, err
	}
	state, accepted, err := s.o.Pins.Accept(known, catalogue.KeysOf(d), shown, chosen, s.o.Env.Now().UTC())
	if unreadable := (*pins.UnreadableError)(nil); errors.As(err, &unreadable) {
		return result, &calls.UseError{Server: file, What: unreadable.Reason, Mend: "pin all of its tools as they are shown now: " + pins.AcceptCommand(file)}
	}
	if err != nil {
		return result, fmt.Errorf("the pinned definitions cannot be saved: %w", err)
	}
	for _, tool := range accepted {
		result.Tools = append(result.Tools, AcceptedTool{tool.File, tool.Since})
	}
	s.update(func() { s.setPins(state) })
	return result, nil
}

// chooseTools returns the file names of the tools that are named; nil stands for
// all.
func chooseTools(s *catalogue.Snapshot, server string, named []string) (map[string]bool, error) {
	if len(named) == 0 {
		return nil, nil
	}
	chosen := make(map[string]bool)
	var known []string
	for _, i := range s.Tools() {
		chosen[i.File] = false
		known = append(known, i.Name, i.File)
	}
	for _, name := range named {
		found := false
		if _, ok := chosen[name]; ok {
			chosen[name], found = true, true
		}
		for _, i := range s.Tools() {
			if !found && i.Name == name {
				chosen[i.File], found = true, true
			}
		}
		if found {
			continue
		}
		fault := &calls.UseError{Server: server, What: fmt.Sprintf("no tool is called %q", clean.Line(name)), Mend: "see what there is: ctxfs ls mcps/" + server + "/tools"}
		if meant := nearest.Of(name, known); meant != "" {
			fault.Mend = fmt.Sprintf("did you mean %q?", clean.Line(meant))
		}
		return nil, fault
	}
	return chosen, nil
}

// setPins replaces the state of the pins. It must be called within update.
func (s *Server) setPins(state pins.State) {
	s.pinsChanged = s.pinsChanged || !s.pins.SameDrifts(&state)
	s.pins = state
}
