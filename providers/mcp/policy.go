package mcp

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// ownPolicy is the table [mcp.policy]. Patterns are of "server/tool", by the
// names of entries or folders and those of tools or files; "*" is any text and
// "?" any letter.
type ownPolicy struct {
	// Allow are the tools that may be called; without it all may.
	Allow []string `toml:"allow"`
	// Deny are those that may not, whatever else is said.
	Deny []string `toml:"deny"`
	// Confirm are those that are called only with --yes: "destructive" for
	// all that their servers call that, or patterns, or both.
	Confirm any `toml:"confirm"`
	// LogArguments has the values of arguments written to the log of calls.
	LogArguments bool `toml:"log_arguments"`
}

// policy says which tools may be called. It never changes. The zero value
// allows everything.
type policy struct {
	path         string // of the file
	broken       error  // why it is not known what is allowed: nothing is then
	allow        []rule // nil allows all
	deny         []rule
	confirm      []rule
	destructive  bool // those are confirmed
	logArguments bool
}

// rule is a pattern with its place.
type rule struct {
	server, tool []rune
	text         string
	line         int
}

// destructive stands for all tools that their servers call that.
const destructive = "destructive"

// readPolicy reads the table. One that has a fault allows nothing: it is not
// known what it would deny.
func readPolicy(f *settings.File) (*policy, error) {
	p := &policy{path: f.Path()}
	var table ownPolicy
	err := f.Decode(&table, "mcp", "policy")
	if err == nil {
		err = p.take(f, table)
	}
	if err != nil {
		return brokenPolicy(f.Path(), err), err
	}
	return p, nil
}

func brokenPolicy(path string, err error) *policy { return &policy{path: path, broken: err} }

func (p *policy) take(f *settings.File, table ownPolicy) (err error) {
	rules := func(key string, patterns []string) (all []rule) {
		line := f.Line("mcp", "policy", key)
		for _, text := range patterns {
			server, tool, ok := strings.Cut(text, "/")
			if (!ok || server == "" || tool == "") && err == nil {
				err = fmt.Errorf("%s:%d: %s: %q is no pattern of the form \"server/tool\"", p.path, line, key, clean.Line(text))
			}
			all = append(all, rule{[]rune(server), []rune(tool), text, line})
		}
		return all
	}
	if table.Allow != nil {
		p.allow = append([]rule{}, rules("allow", table.Allow)...)
	}
	p.deny = rules("deny", table.Deny)
	var confirm []string
	switch is := table.Confirm.(type) {
	case nil:
	case string:
		confirm = []string{is}
	case []any:
		for _, one := range is {
			text, _ := one.(string) // "" is no pattern
			confirm = append(confirm, text)
		}
	default:
		return fmt.Errorf("%s:%d: \"confirm\" in [mcp.policy] is neither %q nor an array of patterns", p.path, f.Line("mcp", "policy", "confirm"), destructive)
	}
	p.destructive = slices.Contains(confirm, destructive)
	p.confirm = rules("confirm", slices.DeleteFunc(confirm, func(c string) bool { return c == destructive }))
	p.logArguments = table.LogArguments
	return err
}

// subject is a tool by all of its names.
type subject struct {
	servers, tools []string
}

// find is the first rule that holds for a tool, or nil.
func (s subject) find(rules []rule) *rule {
	for i, r := range rules {
		for _, server := range s.servers {
			if !matchGlob(r.server, []rune(server)) {
				continue
			}
			for _, tool := range s.tools {
				if matchGlob(r.tool, []rune(tool)) {
					return &rules[i]
				}
			}
		}
	}
	return nil
}

// check says why a tool may not be called, or nil.
func (p *policy) check(s subject) error {
	what := s.servers[0] + "/" + clean.Cut(clean.Line(s.tools[0]), summaryLength)
	if p.broken != nil {
		return &DeniedError{
			What: "no tool may be called, because it is not known what the policy allows: " + clean.Line(p.broken.Error()),
			Mend: "correct " + p.path + "; it is read again at once",
		}
	}
	if r := s.find(p.deny); r != nil {
		return &DeniedError{
			What: fmt.Sprintf("%s may not be called: deny %q in %s:%d", what, r.text, p.path, r.line),
			Mend: "if it is to be allowed, change [mcp.policy] there; it is read again at once",
		}
	}
	if p.allow != nil && s.find(p.allow) == nil {
		return &DeniedError{
			What: fmt.Sprintf("%s may not be called: nothing in \"allow\" of [mcp.policy] in %s is it", what, p.path),
			Mend: fmt.Sprintf("if it is to be allowed, add %q there; it is read again at once", what),
		}
	}
	return nil
}

// confirmed says why a tool wants to be confirmed, or nil.
func (p *policy) confirmed(s subject, isDestructive bool) error {
	what := s.servers[0] + "/" + clean.Cut(clean.Line(s.tools[0]), summaryLength)
	const mend = "if it is meant, call it with --yes"
	if r := s.find(p.confirm); r != nil {
		return &DeniedError{What: fmt.Sprintf("%s is to be confirmed: confirm %q in %s:%d", what, r.text, p.path, r.line), Mend: mend, Confirm: true}
	}
	if p.destructive && isDestructive {
		return &DeniedError{What: what + " is to be confirmed: its server calls it destructive", Mend: mend, Confirm: true}
	}
	return nil
}
