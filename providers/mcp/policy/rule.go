package policy

import (
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// rule is a pattern for "server/tool" and where it is written. In a pattern "*"
// matches any text, slashes included, and "?" any one character; letter case is
// ignored. Either side may be any name by which a call accepts a server or a
// tool: its own, or that of its folder or file. Names may contain slashes
// ("microsoft/playwright-mcp"), so any slash may be the one that separates them.
type rule struct {
	key    string // "allow", "deny" or "confirm"
	text   string // as it is written
	line   int
	whole  []rune
	splits [][2][]rune // server and tool, for each slash with text on both sides
}

func newRule(key, text string, line int) rule {
	folded := names.Fold(text)
	r := rule{key: key, text: text, line: line, whole: []rune(folded)}
	for i, c := range folded {
		if c == '/' && i > 0 && i+1 < len(folded) {
			r.splits = append(r.splits, [2][]rune{[]rune(folded[:i]), []rune(folded[i+1:])})
		}
	}
	return r
}

// covers reports whether the pattern matches the two names as one text. It is for
// deny and confirm, which should rather match too much: "microsoft/*" covers all
// tools of microsoft/playwright-mcp.
func (r rule) covers(server, tool string) bool { return matchGlob(r.whole, []rune(server+"/"+tool)) }

// names reports whether one side of the pattern matches the server and the other
// the tool. It is for allow, which should rather match too little.
func (r rule) names(server, tool string) bool {
	for _, split := range r.splits {
		if matchGlob(split[0], []rune(server)) && matchGlob(split[1], []rune(tool)) {
			return true
		}
	}
	return false
}

// concerns reports whether the rule could cover some tool of the server.
func (r rule) concerns(server string) bool { return matchesPrefix(r.whole, []rune(server+"/")) }

// Subject is a tool to be called, with every name that a call accepts for its
// server and for itself.
type Subject struct {
	server, tool   string   // for messages
	servers, tools []string // case-folded
}

// NewSubject returns the subject with the names of a server, that of its folder
// first, and those of a tool, its own first.
func NewSubject(servers []string, tools ...string) Subject {
	s := Subject{server: servers[0], tool: tools[0]}
	for _, name := range servers {
		s.servers = append(s.servers, spellings(name)...)
	}
	for _, name := range tools {
		s.tools = append(s.tools, spellings(name)...)
	}
	return s
}

// spellings returns the folded forms of a name: as it is, and as it is shown.
func spellings(name string) []string {
	own, shown := names.Fold(name), names.Fold(clean.Line(name))
	if own == shown {
		return []string{own}
	}
	return []string{own, shown}
}

// maxName is the longest name of a tool in a message, in bytes.
const maxName = 160

// name returns the subject as messages name it.
func (s Subject) name() string { return s.server + "/" + clean.Cut(clean.Line(s.tool), maxName) }

// find returns the first rule that holds for the tool, or nil.
func (s Subject) find(rules []rule, holds func(r rule, server, tool string) bool) *rule {
	for i, r := range rules {
		for _, server := range s.servers {
			for _, tool := range s.tools {
				if holds(r, server, tool) {
					return &rules[i]
				}
			}
		}
	}
	return nil
}
