package mcp

import (
	"fmt"
	"slices"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// ownPolicy is the table [mcp.policy]. Its patterns are of "server/tool", see
// [rule].
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
			r := newRule(key, text, line)
			if len(r.splits) == 0 && err == nil {
				err = fmt.Errorf("%s:%d: %s: %q is no pattern of the form \"server/tool\"", p.path, line, key, clean.Line(text))
			}
			all = append(all, r)
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

// check says why a tool may not be called, or nil.
func (p *policy) check(s subject) error {
	what := s.name()
	if p.broken != nil {
		return &DeniedError{
			What: "no tool may be called, because it is not known what the policy allows: " + clean.Line(p.broken.Error()),
			Mend: "correct " + p.path + "; it is read again at once",
		}
	}
	if r := s.find(p.deny, rule.covers); r != nil {
		return &DeniedError{
			What: fmt.Sprintf("%s may not be called: deny %q in %s:%d", what, r.text, p.path, r.line),
			Mend: "if it is to be allowed, change [mcp.policy] there; it is read again at once",
		}
	}
	if p.allow != nil && s.find(p.allow, rule.names) == nil {
		return &DeniedError{
			What: fmt.Sprintf("%s may not be called: nothing in \"allow\" of [mcp.policy] in %s is it", what, p.path),
			Mend: fmt.Sprintf("if it is to be allowed, add %q there; it is read again at once", what),
		}
	}
	return nil
}

// confirmed says why a tool wants to be confirmed, or nil.
func (p *policy) confirmed(s subject, isDestructive bool) error {
	what := s.name()
	const mend = "if it is meant, call it with --yes"
	if r := s.find(p.confirm, rule.covers); r != nil {
		return &DeniedError{What: fmt.Sprintf("%s is to be confirmed: confirm %q in %s:%d", what, r.text, p.path, r.line), Mend: mend, Confirm: true}
	}
	if p.destructive && isDestructive {
		return &DeniedError{What: what + " is to be confirmed: its server calls it destructive", Mend: mend, Confirm: true}
	}
	return nil
}
