// Package agents is what is known of each coding agent: once, for all who need
// it. What a provider reads of an agent's own files stands with the provider.
//
// A program that an agent starts can tell by its environment who that was, and
// in which session. The variables are those that the agents document or were
// seen to set.
package agents

import (
	"path"
	"strings"
)

// Agent is a coding agent.
type Agent struct {
	// ID is its name everywhere in the tree.
	ID string
	// Session are the variables that name the session: by its id, or by the path
	// of its log.
	Session []Variable
	// Marks are further variables that only its shells have.
	Marks []Variable
	// Prefix begins the names of all its variables, but for those of Settings,
	// which users set for themselves; "" where they have nothing in common.
	Prefix   string
	Settings []string
}

// Variable is an environment variable, which counts where it has a value: any,
// or Value. With is another that must count too.
type Variable struct {
	Name, Value string
	With        *Variable
}

// all is in the order in which the tree names them. It is never written to.
var all = [...]Agent{
	{ID: "claude-code", Session: []Variable{{Name: "CLAUDE_CODE_SESSION_ID"}}, Marks: []Variable{{Name: "CLAUDECODE"}}},
	{
		ID: "codex", Session: []Variable{{Name: "CODEX_THREAD_ID"}}, Marks: []Variable{{Name: "CODEX_SANDBOX"}},
		Prefix: "CODEX_", Settings: []string{"CODEX_HOME"},
	},
	{ID: "cursor", Session: []Variable{{Name: "CURSOR_TRANSCRIPT_PATH"}}, Marks: []Variable{{Name: "CURSOR_AGENT"}}},
	{ID: "gemini", Session: []Variable{{Name: "GEMINI_SESSION_ID"}}, Marks: []Variable{{Name: "GEMINI_CLI"}}},
	{ID: "opencode", Marks: []Variable{{Name: "OPENCODE"}}},
	{ID: "copilot", Session: []Variable{{Name: "COPILOT_AGENT_SESSION_ID"}}},
	{ID: "vscode"},
	{ID: "cline"},
	{ID: "roo"},
	// The session's variable has a name that others use, too.
	{ID: "goose", Session: []Variable{{Name: "AGENT_SESSION_ID", With: &Variable{Name: "AGENT", Value: "goose"}}}},
	{ID: "zed"},
	{ID: "crush", Session: []Variable{{Name: "CRUSH_SESSION_ID"}}},
	{ID: "aider"},
	{ID: "continue"},
	{ID: "pi", Session: []Variable{{Name: "PI_SESSION_ID"}}},
	{ID: "droid"},
	{ID: "kiro"},
	{ID: "amp", Session: []Variable{{Name: "AMP_CURRENT_THREAD_ID"}}},
}

// named are variables with which any agent may say who it is.
var named = [...]string{"AGENT", "AI_AGENT"}

// All are the agents, in the order in which the tree names them.
func All() []Agent { return all[:] }

// Lookup is os.LookupEnv, or one like it.
type Lookup func(name string) (string, bool)

func (v Variable) value(env Lookup) string {
	value, _ := env(v.Name)
	if v.Value != "" && value != v.Value || v.With != nil && v.With.value(env) == "" {
		return ""
	}
	return value
}

// Claim is what the environment of a program says of the session that it runs
// in.
type Claim struct {
	// Variable is the name of the variable, Agent that of the agent that sets it.
	Variable string `json:"variable"`
	Agent    string `json:"agent"`
	// Session is the variable's value: an id, or the path of the agent's log.
	Session string `json:"session"`
}

// ID is the id of the session, also where the claim is the path of its log.
func (c Claim) ID() string {
	if !strings.Contains(c.Session, "/") {
		return c.Session
	}
	name := path.Base(c.Session)
	return strings.TrimSuffix(name, path.Ext(name))
}

// Claims finds what an environment says. There are several where an agent was
// started by another.
func Claims(env Lookup) (claims []Claim) {
	for i := range all {
		for _, v := range all[i].Session {
			if value := v.value(env); value != "" {
				claims = append(claims, Claim{Variable: v.Name, Agent: all[i].ID, Session: value})
				break
			}
		}
	}
	return claims
}

// SessionVariables are the names of the variables that Claims looks at.
func SessionVariables() (names []string) {
	for i := range all {
		for _, v := range all[i].Session {
			names = append(names, v.Name)
		}
	}
	return names
}

// Of is the agent that an environment is of, "" if that is not known, and the id
// of its session, "" if it does not say that. Of several agents, one of which has
// started the other, the first in the order of the tree counts.
func Of(env Lookup) (agent, session string) {
	for i := range all {
		a := &all[i]
		for _, v := range a.Session {
			if value := v.value(env); value != "" {
				return a.ID, Claim{Session: value}.ID()
			}
		}
		for _, v := range a.Marks {
			if v.value(env) != "" {
				return a.ID, ""
			}
		}
	}
	for _, name := range named {
		value, _ := env(name)
		for i := range all {
			if all[i].ID == value {
				return value, ""
			}
		}
	}
	return "", ""
}

// Marks reports whether a variable of that name is one that only the shells of
// agents have.
func Marks(name string) bool {
	if name == "AI_AGENT" {
		return true
	}
	for i := range all {
		a := &all[i]
		if a.Prefix != "" && strings.HasPrefix(name, a.Prefix) {
			for _, own := range a.Settings {
				if name == own {
					return false
				}
			}
			return true
		}
		for _, v := range a.Marks {
			if v.Name == name {
				return true
			}
		}
		for _, v := range a.Session {
			if v.Name == name && v.With == nil {
				return true
			}
		}
	}
	return false
}
