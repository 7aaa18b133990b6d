package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/wire"
)

// The states of a server, as they are written in STATUS.md.
const (
	stateStarting   = "starting"   // it has not answered yet
	stateInstalling = "installing" // it has not answered yet, and works on it
	stateReady      = "ready"      // it runs and its lists are shown
	stateCached     = "cached"     // its lists are known, it does not run
	stateStopped    = "stopped"    // it was never started
	stateDisabled   = "disabled"   // by configuration
)

// condition is how a server is, as its STATUS.md tells it.
type condition struct {
	state string
	since time.Time
	what  string // the error, one line
	fix   string // the command or change that mends it
	// fixHere is that in STATUS.md itself; "" is mend.
	fixHere  string
	next     time.Time // when it is tried again
	reported bool      // the error is that of a whole file, which is told of once
	lastSaid string    // what it has last said, while it installs
	lapsed   bool      // what the user has allowed holds no more
	// stderr is the end of its standard error, clean.
	stderr string
	// remarks are of this run of the server.
	remarks []string
}

// failing reports whether a user has something to mend.
func (c condition) failing() bool {
	return c.state == config.StateError || c.state == wire.StateNeedsAuth || c.state == config.StateUnresolved || c.lapsed
}

// statusText is the text of STATUS.md.
func (s *server) statusText() []byte {
	var out strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\n", key, value)
		}
	}
	c := s.condition
	line("state", c.state)
	line("since", wording.Time(c.since))
	if s.shown != nil {
		line("catalogue", "taken at "+wording.Time(s.shown.Time)+", "+counts(s.shown))
	}
	line("last said", c.lastSaid)
	line("error", clean.Line(c.what))
	if !c.next.IsZero() {
		line("next try", wording.Time(c.next))
	}
	line("mend", clean.Line(cmp.Or(c.fixHere, c.fix)))

	notes := s.notes()
	if len(notes) > 0 {
		out.WriteString("\n")
	}
	for _, n := range notes {
		fmt.Fprintf(&out, "- %s\n", clean.Line(n))
	}
	if stderr := strings.TrimRight(c.stderr, "\n"); stderr != "" {
		fence := fenceFor(stderr)
		fmt.Fprintf(&out, "\nend of its standard error:\n\n%stext\n%s\n%s\n", fence, stderr, fence)
	}
	return []byte(out.String())
}

// notes are all remarks on the server.
func (s *server) notes() []string {
	notes := s.pins.Notes(s.file)
	if s.shown != nil {
		if s.def.Fault == nil && s.shown.Command != s.def.CommandHash() {
			notes = append(notes, "the catalogue is from an earlier command of this server")
		}
		notes = append(notes, s.shown.Notes...)
		if n := len(s.shown.LeftOut); n > 0 {
			notes = append(notes, wording.Count(n, "tools")+" left out by the configuration")
		}
		for _, pattern := range s.shown.Unmatched {
			notes = append(notes, fmt.Sprintf("the configuration allows or denies %q, which is the name of no tool of this server", clean.Cut(clean.Line(pattern), catalogue.SummaryLength)))
		}
	}
	notes = append(notes, s.def.Notes...)
	notes = append(notes, s.condition.remarks...)
	notes = append(notes, s.keptNotes()...)
	return append(notes, s.namesakes...)
}

// counts tells how much a catalogue holds.
func counts(s *catalogue.Snapshot) string {
	return strings.Join([]string{
		wording.Count(len(s.Tools()), "tools"),
		wording.Count(len(s.Sections[catalogue.ResourceFolder].Items), "resources"),
		wording.Count(len(s.Sections[catalogue.PromptFolder].Items), "prompts"),
	}, ", ")
}

// fenceFor is a fence that the text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

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
