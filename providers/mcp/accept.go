package mcp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/catalogue"
)

// Accepted is what Accept has pinned.
type Accepted struct {
	// Server is the name of its folder.
	Server string `json:"server"`
	// Tools are those whose pinned definition was another one, in their order.
	Tools []AcceptedTool `json:"tools"`
}

// AcceptedTool is a tool whose definition is now pinned as it is shown.
type AcceptedTool struct {
	Tool  string    `json:"tool"`  // the name of its file, without ".json"
	Since time.Time `json:"since"` // when this definition was first seen
}

var errNoPins = errors.New("there is no folder for pinned definitions")

// Accept pins the definitions of a server's tools as they are shown now: those
// named, by the tools' names or their files', or all. The server is named as
// Restart names it, and is neither asked nor started. What is pinned already
// stays as it is.
func (p *Provider) Accept(server string, tools ...string) (Accepted, error) {
	s, err := p.chooseOne(server)
	if err != nil {
		return Accepted{}, err
	}
	if p.pins.dir == "" {
		return Accepted{}, errNoPins
	}
	s.pinning.Lock()
	defer s.pinning.Unlock()
	s.mu.Lock()
	d, shown, file, known := s.def, s.shown, s.file, s.pins
	s.mu.Unlock()
	result := Accepted{Server: file, Tools: []AcceptedTool{}}
	if shown == nil {
		return result, &UseError{Server: file, What: "none of its tools is known", Mend: "see why: ctxfs cat mcps/" + file + "/STATUS.md"}
	}
	chosen, err := chooseTools(shown, file, tools)
	if err != nil {
		return result, err
	}
	all := p.pins.also(&known, catalogue.KeysOf(d), true)
	if all.fault != "" && len(tools) > 0 {
		return result, &UseError{Server: file, What: all.fault, Mend: "pin all of its tools as they are shown now: " + acceptCommand(file)}
	}
	now := p.env.Now().UTC()
	forgotten := len(tools) == 0 && known.left > 0
	if forgotten {
		shows := make(map[pinKey]bool)
		for _, key := range pinKeys(shown) {
			shows[key] = true
		}
		maps.DeleteFunc(all.of, func(key pinKey, _ pin) bool { return !shows[key] })
	}
	drifted := make(map[string]bool)
	for _, d := range p.pins.drifts(catalogue.KeysOf(d), all, shown) {
		drifted[d.tool.File] = true
	}
	for i, key := range pinKeys(shown) {
		tool := shown.Tools()[i]
		_, pinned := all.of[key]
		if !chosen[tool.File] || pinned && !drifted[tool.File] {
			continue
		}
		delete(all.of, key)
		result.Tools = append(result.Tools, AcceptedTool{tool.File, tool.Since})
	}
	if len(result.Tools) == 0 && !forgotten && all.fault == "" {
		return result, nil
	}
	damaged := all.damaged
	all.fault, all.damaged, all.accepted = "", nil, now
	all.add(shown, now)
	if err := p.pins.save(catalogue.KeyOf(d.Source), all); err != nil {
		return Accepted{Server: file, Tools: []AcceptedTool{}}, fmt.Errorf("the pinned definitions cannot be saved: %w", err)
	}
	for _, path := range damaged { // that of another source would stay
		if path != p.pins.path(catalogue.KeyOf(d.Source)) {
			if err := os.Remove(path); err != nil {
				return result, err
			}
		}
	}
	drifts := p.pins.drifts(catalogue.KeysOf(d), all, shown)
	s.update(func() { s.setPins(all, drifts) })
	return result, nil
}

// choose finds the tools that are meant by names, or all, by their files.
func chooseTools(s *catalogue.Snapshot, server string, named []string) (map[string]bool, error) {
	chosen := make(map[string]bool)
	var known []string
	for _, i := range s.Tools() {
		chosen[i.File] = len(named) == 0
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
		fault := &UseError{Server: server, What: fmt.Sprintf("no tool is called %q", clean.Line(name)), Mend: "see what there is: ctxfs ls mcps/" + server + "/tools"}
		if near := nearest.Of(name, known); near != "" {
			fault.Mend = fmt.Sprintf("did you mean %q?", clean.Line(near))
		}
		return nil, fault
	}
	return chosen, nil
}
