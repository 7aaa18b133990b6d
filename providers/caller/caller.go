// Package caller finds out which agent has started a program, and in which of its
// sessions, from the program's environment. Agents set variables for the programs
// that they start; package agents lists those that they document, or that they were
// observed to set.
//
// It is the only package that tells commands about agents; providers ask package
// agents. It imports next to
// nothing, since commands that must start at once use it.
package caller

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/agents"
)

// Lookup returns a function that looks up variables in an environment.
func Lookup(environ []string) func(name string) (string, bool) {
	return agents.Lookup(func() []string { return environ })
}

// Claims returns what an environment says about the session that its program runs
// in; see [agents.Claims].
func Claims(lookupEnv func(string) (string, bool)) []agents.Claim { return agents.Claims(lookupEnv) }

// Of returns the agent that an environment belongs to and the id of its session; see
// [agents.Of].
func Of(lookupEnv func(string) (string, bool)) (agent, session string) { return agents.Of(lookupEnv) }

// Marks returns a function that reports whether a variable of a name is set only in
// shells that an agent has started for itself. It is for the variables of a whole
// environment: the agents are listed once.
func Marks() func(variable string) bool {
	all := agents.All()
	return func(variable string) bool {
		if variable == "AI_AGENT" {
			return true
		}
		named := func(v agents.Variable) bool { return v.Name == variable && v.With == nil }
		return slices.ContainsFunc(all, func(a agents.Agent) bool {
			if a.Prefix != "" && strings.HasPrefix(variable, a.Prefix) {
				return !slices.Contains(a.Settings, variable)
			}
			return slices.ContainsFunc(a.Marks, named) || slices.ContainsFunc(a.Session, named)
		})
	}
}

// Agent is what a command shows of an agent.
type Agent struct {
	// Name is how people write its name.
	Name string
	// Shells is set if its shells have a variable that names the session, Hooks if
	// only its hooks do.
	Shells, Hooks bool
	// Events are the events whose hooks may ask for the history of the session.
	Events []string
}

// Agents returns the agents, in the order of [agents.All].
func Agents() (all []Agent) {
	for _, a := range agents.All() {
		hooksOnly := len(a.Session) > 0 && !slices.ContainsFunc(a.Session, func(v agents.Variable) bool { return !v.HooksOnly })
		all = append(all, Agent{Name: a.Name, Shells: len(a.Session) > 0 && !hooksOnly, Hooks: hooksOnly, Events: a.Hooks.Events})
	}
	return all
}
