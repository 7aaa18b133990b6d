// Package policy decides which tools of MCP servers are shown and which may be
// called. It is the lowest package of providers/mcp: the readers of
// configurations fill it in, and calls ask it.
//
//   - [Filter] (filter.go) are the allow and deny lists of one server: they
//     decide which tools are shown.
//   - [Policy] (policy.go) is the table [mcp.policy] of ctxfs's config.toml: it
//     decides which tools may be called, and which must be confirmed.
//   - Both match names by glob patterns (filter.go); a rule of the policy
//     matches "server/tool" in every spelling that a call accepts (rule.go).
//   - A rule or pattern that matches nothing is reported (ineffective.go):
//     misspelt, it would protect nothing, unnoticed.
package policy

import (
	"fmt"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// table is the table [mcp.policy] as it is written. Its patterns match
// "server/tool"; see [rule].
type table struct {
	// Allow lists the tools that may be called; without it all may.
	Allow []string `toml:"allow"`
	// Deny lists those that may not be called; it takes precedence over Allow.
	Deny []string `toml:"deny"`
	// Confirm selects the tools that are called only with --yes: "destructive"
	// for every tool that its server marks so, or patterns, or both.
	Confirm any `toml:"confirm"`
	// LogArguments writes the values of arguments to the log of calls.
	LogArguments bool `toml:"log_arguments"`
}

// Policy decides which tools may be called. It is immutable. The zero value
// allows every call.
type Policy struct {
	path        string // of the configuration file
	broken      error  // why the table could not be read; then nothing is allowed
	allow       []rule // nil allows all
	deny        []rule
	confirm     []rule
	destructive bool // tools that are marked destructive must be confirmed

	// LogArguments reports that the log of calls holds the values of arguments.
	LogArguments bool
}

// destructive is the keyword for all tools that their servers mark so.
const destructive = "destructive"

// Read reads the table from a configuration file. With an error it returns a
// policy that denies every call, since what the table was meant to deny is not
// known.
func Read(f *settings.File) (*Policy, error) {
	p := &Policy{path: f.Path()}
	var t table
	err := f.Decode(&t, "mcp", "policy")
	if err == nil {
		err = p.fill(f, t)
	}
	if err != nil {
		return Broken(f.Path(), err), err
	}
	return p, nil
}

// Broken returns the policy of a file that cannot be read: it denies every
// call, with err as the reason.
func Broken(path string, err error) *Policy { return &Policy{path: path, broken: err} }

// fill takes over the table, with the line of each rule.
func (p *Policy) fill(f *settings.File, t table) (err error) {
	rules := func(key string, patterns []string) (all []rule) {
		line := f.Line("mcp", "policy", key)
		for _, text := range patterns {
			r := newRule(key, text, line)
			if len(r.splits) == 0 && err == nil {
				err = fmt.Errorf("%s:%d: %s: %q is not a pattern of the form \"server/tool\"", p.path, line, key, clean.Line(text))
			}
			all = append(all, r)
		}
		return all
	}
	if t.Allow != nil {
		p.allow = append([]rule{}, rules("allow", t.Allow)...)
	}
	p.deny = rules("deny", t.Deny)
	var confirm []string
	switch is := t.Confirm.(type) {
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
	p.LogArguments = t.LogArguments
	return err
}

// Check returns nil if the tool may be called, else a [*DeniedError]. In this
// order: the policy could not be read; a deny rule covers the tool; there is an
// allow list and no rule of it names the tool.
func (p *Policy) Check(s Subject) error {
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

// NeedsConfirmation returns nil if the tool may be called without confirmation,
// else a [*DeniedError] whose Confirm is set.
func (p *Policy) NeedsConfirmation(s Subject, isDestructive bool) error {
	what := s.name()
	const mend = "to confirm, call it with --yes"
	if r := s.find(p.confirm, rule.covers); r != nil {
		return &DeniedError{What: fmt.Sprintf("%s requires confirmation: confirm %q in %s:%d", what, r.text, p.path, r.line), Mend: mend, Confirm: true}
	}
	if p.destructive && isDestructive {
		return &DeniedError{What: what + " requires confirmation: its server calls it destructive", Mend: mend, Confirm: true}
	}
	return nil
}

// Confined is the error of a call by a program that may only read, to a tool that is not
// known to only read, for a reason.
func (s Subject) Confined(by *fs.Confined, why, mend string) error {
	return &DeniedError{What: fmt.Sprintf("%s may not be called: %s; %v", s.name(), why, by), Mend: mend}
}

// DeniedError reports which rule of the policy forbids a call.
type DeniedError struct {
	What string // one sentence
	Mend string // the command or change that fixes it
	// Confirm reports that the call would be made if the caller confirmed it.
	Confirm bool
}

func (e *DeniedError) Error() string { return e.What }

// Fix returns the command or change that fixes it.
func (e *DeniedError) Fix() string { return e.Mend }
