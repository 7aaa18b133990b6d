package policy

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/nearest"
)

// Server is what rules are matched against: a configured server and its tools.
type Server struct {
	Names    []string // the name of its folder first
	Disabled bool
	Tools    []ToolNames // empty where they are not known
}

// ToolNames are the two names of a tool: its own and that of its file.
type ToolNames struct{ Own, File string }

// Ineffective reports the rules that match no known tool.
func (p *Policy) Ineffective(servers []Server) (problems []fs.Problem) {
	all := make([]candidate, len(servers))
	for i, s := range servers {
		all[i] = newCandidate(s)
	}
	for _, rules := range [][]rule{p.deny, p.confirm, p.allow} {
		for _, r := range rules {
			if what := r.ineffective(all); what != "" {
				problems = append(problems, fs.Problem{
					What: fmt.Sprintf("%s %q in %s:%d has no effect: %s", r.key, clean.Line(r.text), p.path, r.line, what),
					Mend: "correct it in [mcp.policy] of " + p.path + ", or take it out; the names: ctxfs tools",
				})
			}
		}
	}
	return problems
}

// candidate is a server that a rule may be about.
type candidate struct {
	file     string
	disabled bool
	servers  []string // its names, that of its folder first
	subjects []Subject
	tools    []string // their own names and those of their files
	known    bool     // its tools are known
}

func newCandidate(s Server) candidate {
	c := candidate{file: s.Names[0], disabled: s.Disabled, servers: s.Names}
	for _, t := range s.Tools {
		c.known = true
		c.subjects = append(c.subjects, NewSubject(c.servers, t.Own, t.File))
		c.tools = append(c.tools, clean.Line(t.Own), t.File)
	}
	return c
}

// ineffective returns why the rule matches no known tool, or "". A rule for the
// tools of any server is a precaution; it is reported only where it seems to be
// misspelt.
func (r rule) ineffective(all []candidate) string {
	holds := rule.covers
	if r.key == "allow" {
		holds = rule.names
	}
	var concerned []candidate
	var servers, tools []string
	unknown, unseen := false, false
	for _, c := range all {
		for _, s := range c.subjects {
			if s.find([]rule{r}, holds) != nil {
				return ""
			}
		}
		servers = append(servers, c.servers...)
		if r.concernsAny(c.servers) {
			concerned = append(concerned, c)
			tools = append(tools, c.tools...)
			unknown = unknown || !c.known
			unseen = unseen || !c.known && !c.disabled
		}
	}
	anywhere := r.splits[0][0][0] == '*' && len(r.splits[0][0]) == 1
	switch {
	case anywhere && (unseen || strings.ContainsAny(string(r.splits[0][1]), "*?")):
		return ""
	case anywhere:
		if meant := r.nearest(tools, 1); meant != "" {
			return fmt.Sprintf("no known server has such a tool; did you mean %q?", clean.Line(meant))
		}
		return ""
	case len(concerned) == 0:
		text := "no known server is called that"
		if meant := r.nearest(servers, 0); meant != "" {
			text += fmt.Sprintf("; did you mean %q?", clean.Line(meant))
		}
		return text
	case unknown:
		return ""
	}
	text := fmt.Sprintf("server %s has no such tool", concerned[0].file)
	if len(concerned) > 1 {
		text = fmt.Sprintf("none of the %d servers that it covers has such a tool", len(concerned))
	}
	if meant := r.nearest(tools, 1); meant != "" {
		text += fmt.Sprintf("; did you mean %q?", clean.Line(meant))
	}
	return text
}

// concernsAny reports whether the rule could cover some tool of a server with
// one of these names.
func (r rule) concernsAny(servers []string) bool {
	return slices.ContainsFunc(servers, func(server string) bool {
		return slices.ContainsFunc(spellings(server), r.concerns)
	})
}

// nearest returns the known name that one side of the rule probably meant: 0 is
// the server, 1 the tool.
func (r rule) nearest(known []string, side int) string {
	folded := make([]string, len(known))
	for i, name := range known {
		folded[i] = names.Fold(name)
	}
	for _, split := range r.splits {
		if meant := nearest.Of(string(split[side]), folded); meant != "" {
			return known[slices.Index(folded, meant)]
		}
	}
	return ""
}
