package mcp

import (
	"encoding/json"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/config"
)

// metadata is SERVER_METADATA.json. It tells neither variables nor headers, and
// of an address only the host: all of them carry tokens. Arguments tell servers of
// one package apart; what of them is secret is masked.
type metadata struct {
	// Name is the server's name as it is configured.
	Name      string         `json:"name"`
	Server    string         `json:"server,omitempty"` // what it calls itself
	Title     string         `json:"title,omitempty"`
	Version   string         `json:"version,omitempty"`
	Transport string         `json:"transport,omitempty"`
	Command   string         `json:"command,omitempty"`
	Arguments []string       `json:"arguments,omitempty"`
	Address   string         `json:"address,omitempty"`
	Protocol  string         `json:"protocol,omitempty"`
	Scope     string         `json:"scope"`
	Project   string         `json:"project,omitempty"`
	Sources   []configuredIn `json:"sources"`
}

// configuredIn is a place that configures the server.
type configuredIn struct {
	Client  string `json:"client"`
	Scope   string `json:"scope"`
	Project string `json:"project,omitempty"`
	File    string `json:"file"`
	Name    string `json:"name"`
}

// metadataText is the text of SERVER_METADATA.json.
func (s *server) metadataText() ([]byte, error) {
	d := s.def
	m := metadata{
		Name: d.Name, Transport: d.Transport, Command: d.Redact(d.Program()), Arguments: d.Arguments(), Address: d.Redact(d.Address()), Scope: d.Scope, Project: d.Project,
	}
	for _, from := range d.Sources() {
		m.Sources = append(m.Sources, configuredIn{Client: from.Client, Scope: from.Scope, Project: from.Project, File: from.File, Name: from.Name})
	}
	if c := s.shown; c != nil {
		m.Server, m.Title, m.Version = clean.Line(c.Server.Name), clean.Line(c.Server.Title), clean.Line(c.Server.Version)
		m.Protocol = c.Protocol
		if c.Transport == config.SSE && d.Transport == config.StreamableHTTP { // it was found to be older than it is configured
			m.Transport = config.SSE
		}
	}
	compact, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return rawjson.Indent(compact)
}
