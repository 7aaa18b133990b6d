package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
)

// statusText returns the text of STATUS.md.
func (s *Server) statusText() []byte {
	var out strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\n", key, value)
		}
	}
	c := s.condition
	line("state", c.State)
	line("since", wording.Time(c.Since))
	if s.shown != nil {
		line("catalogue", "taken at "+wording.Time(s.shown.Time)+", "+counts(s.shown))
	}
	if by := s.def.Sharing; by.By != "" && !s.def.Disabled {
		line("scope", by.By+" — "+clean.Line(by.Why))
	}
	if s.memory > 0 {
		line("memory", wording.Size(s.memory))
	}
	line("last said", c.LastSaid)
	line("error", clean.Line(c.What))
	if !c.Next.IsZero() {
		line("next try", wording.Time(c.Next))
	}
	line("fix", clean.Line(cmp.Or(c.FixHere, c.Fix)))
	for _, q := range s.questionLines() {
		line("question", q)
	}

	notes := s.notes()
	if len(notes) > 0 {
		out.WriteString("\n")
	}
	for _, n := range notes {
		fmt.Fprintf(&out, "- %s\n", clean.Line(n))
	}
	out.WriteString(s.placesText())
	if stderr := strings.TrimRight(c.Stderr, "\n"); stderr != "" {
		fence := fenceFor(stderr)
		fmt.Fprintf(&out, "\nend of its standard error:\n\n%stext\n%s\n%s\n", fence, stderr, fence)
	}
	return []byte(out.String())
}

// placesText returns the part of STATUS.md about the instances besides the shared
// one, or "".
func (s *Server) placesText() string {
	all := slices.DeleteFunc(s.places(), func(x *Placed) bool {
		return x.condition.State == instance.StateStopped || x.condition.State == instance.StateCached
	})
	if len(all) == 0 {
		return ""
	}
	out := new(strings.Builder)
	fmt.Fprintf(out, "\nprocesses for projects and sessions (at most %d of all servers at once: max_instances in ctxfs's config.toml):\n\n", s.o.Pool.Max())
	var notes []string
	for _, x := range all {
		c := x.condition
		fmt.Fprintf(out, "- %s: %s since %s", clean.Line(x.at.String()), c.State, wording.Time(c.Since))
		if c.State == instance.StateReady && !x.used.IsZero() {
			fmt.Fprintf(out, ", last used about %s", wording.Time(x.used.Truncate(time.Minute)))
		}
		if x.memory > 0 {
			out.WriteString(", " + wording.Size(x.memory))
		}
		for _, text := range []string{c.LastSaid, c.What, cmp.Or(c.FixHere, c.Fix)} {
			if text != "" {
				out.WriteString("; " + clean.Line(text))
			}
		}
		out.WriteByte('\n')
		notes = append(notes, x.differ().notes(x.at)...)
	}
	for _, n := range notes {
		fmt.Fprintf(out, "- %s\n", clean.Line(n))
	}
	fmt.Fprintf(out, "\nThey stop when they are not used (idle_timeout), or: ctxfs restart %s\n", s.file)
	return out.String()
}

// notes returns all remarks on the server.
func (s *Server) notes() []string {
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
	notes = append(notes, s.condition.Remarks...)
	notes = append(notes, s.Kept.Notes(s.def.Redact)...)
	return append(notes, s.namesakes...)
}

// counts returns how much a catalogue holds.
func counts(s *catalogue.Snapshot) string {
	return strings.Join([]string{
		wording.Count(len(s.Tools()), "tools"),
		wording.Count(len(s.Sections[catalogue.ResourceFolder].Items), "resources"),
		wording.Count(len(s.Sections[catalogue.PromptFolder].Items), "prompts"),
	}, ", ")
}

// fenceFor returns a Markdown fence that the text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// metadata is SERVER_METADATA.json. It holds neither variables nor headers, and of
// an address only the host, since all of them carry tokens. Arguments distinguish
// servers of one package; secrets in them are masked.
type metadata struct {
	// Name is the server's name as it is configured.
	Name      string         `json:"name"`
	Server    string         `json:"server,omitempty"` // how it names itself
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

// configuredIn is an entry that configures the server.
type configuredIn struct {
	Client  string `json:"client"`
	Scope   string `json:"scope"`
	Project string `json:"project,omitempty"`
	File    string `json:"file"`
	Name    string `json:"name"`
}

// metadataText returns the text of SERVER_METADATA.json.
func metadataText(d *config.Server, shown *catalogue.Snapshot) ([]byte, error) {
	m := metadata{
		Name: d.Name, Transport: d.Transport, Command: d.Redact(d.Program()), Arguments: d.Arguments(), Address: d.Redact(d.Address()), Scope: d.Scope, Project: d.Project,
	}
	for _, from := range d.Sources() {
		m.Sources = append(m.Sources, configuredIn{Client: from.Client, Scope: from.Scope, Project: from.Project, File: from.File, Name: from.Name})
	}
	if c := shown; c != nil {
		m.Server, m.Title, m.Version = clean.Line(c.Server.Name), clean.Line(c.Server.Title), clean.Line(c.Server.Version)
		m.Protocol = c.Protocol
		if c.Transport == config.SSE && d.Transport == config.StreamableHTTP { // it turned out to speak the older transport
			m.Transport = config.SSE
		}
	}
	compact, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return rawjson.Indent(compact)
}

// signaturesText returns the text of SIGNATURES.md: what each tool and prompt of a
// server takes, and how that is called; or nil. Server is the name of its folder.
func signaturesText(server string, shown *catalogue.Snapshot) []byte {
	if shown == nil {
		return nil
	}
	var out strings.Builder
	for _, f := range []catalogue.Folder{catalogue.ToolFolder, catalogue.PromptFolder} {
		items := shown.Sections[f].Items
		if len(items) == 0 {
			continue
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "# %s: what its tools take\n\nFirst what is needed; ? may be left out, [] is a list, {} an object; unmarked is text.\n", server)
		}
		word := wording.ShellWord(server)
		if f == catalogue.ToolFolder {
			fmt.Fprintf(&out, "\n## %s: ctxfs call %s TOOL --name value\n\n", wording.Count(len(items), "tools"), word)
		} else {
			fmt.Fprintf(&out, "\n## %s: ctxfs prompt-get %s PROMPT --arg name=value\n\n", wording.Count(len(items), "prompts"), word)
		}
		for i := range items {
			out.WriteString(items[i].Signature())
			if items[i].Summary != "" {
				out.WriteString(" — " + items[i].Summary)
			}
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}
