package mcp

import (
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
)

// rule is a pattern of "server/tool" with its place. In a pattern "*" is any
// text, slashes included, and "?" any letter; letter case does not count.
// Either side may be any name by which a call accepts a server or a tool: its
// own, or that of its folder or file. Names hold slashes themselves
// ("microsoft/playwright-mcp"), so that each slash may be the one between the
// two.
type rule struct {
	key    string // "allow", "deny" or "confirm"
	text   string // as it is written
	line   int
	whole  []rune
	splits [][2][]rune // at each slash that has something on both sides
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

// covers reports whether the rule holds for a tool where it is better to hold
// for too many: for the two names as one text. So "microsoft/*" holds for all
// tools of microsoft/playwright-mcp.
func (r rule) covers(server, tool string) bool {
	return matchGlob(r.whole, []rune(server+"/"+tool))
}

// names reports whether the rule holds for a tool where it is better to hold
// for too few: one side names the server, the other the tool.
func (r rule) names(server, tool string) bool {
	for _, split := range r.splits {
		if matchGlob(split[0], []rune(server)) && matchGlob(split[1], []rune(tool)) {
			return true
		}
	}
	return false
}

// concerns reports whether the rule covers any tool that the server could have.
func (r rule) concerns(server string) bool {
	return beginsGlob(r.whole, []rune(server+"/"))
}

// subject is a tool by every name that a call accepts for its server and for
// itself, folded.
type subject struct {
	server, tool   string // for messages
	servers, tools []string
}

// newSubject makes a subject of the names of a server, that of its folder
// first, and those of a tool, its own first.
func newSubject(servers []string, tools ...string) subject {
	s := subject{server: servers[0], tool: tools[0]}
	for _, name := range servers {
		s.servers = append(s.servers, spellings(name)...)
	}
	for _, name := range tools {
		s.tools = append(s.tools, spellings(name)...)
	}
	return s
}

// spellings are the ways in which a name is written: as it is, and as it is
// shown.
func spellings(name string) []string {
	own, shown := names.Fold(name), names.Fold(clean.Line(name))
	if own == shown {
		return []string{own}
	}
	return []string{own, shown}
}

// name is the subject for a message.
func (s subject) name() string { return s.server + "/" + clean.Cut(clean.Line(s.tool), summaryLength) }

// find is the first rule that holds for a tool, or nil.
func (s subject) find(rules []rule, holds func(r rule, server, tool string) bool) *rule {
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
