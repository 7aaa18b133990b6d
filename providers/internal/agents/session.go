package agents

import (
	"path"
	"strings"
)

// Variable is an environment variable, which counts where it has a value: any,
// or Value. With is another that must count too.
type Variable struct {
	Name, Value string
	With        *Variable
}

// named are variables with which any agent may say who it is.
var named = [...]string{"AGENT", "AI_AGENT"}

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
	for _, a := range All() {
		for _, v := range a.Session {
			if value := v.value(env); value != "" {
				claims = append(claims, Claim{Variable: v.Name, Agent: a.ID, Session: value})
				break
			}
		}
	}
	return claims
}

// SessionVariables are the names of the variables that Claims looks at.
func SessionVariables() (names []string) {
	for _, a := range All() {
		for _, v := range a.Session {
			names = append(names, v.Name)
		}
	}
	return names
}

// Of is the agent that an environment is of, "" if that is not known, and the id
// of its session, "" if it does not say that. Of several agents, one of which has
// started the other, the first in the order of the tree counts.
func Of(env Lookup) (agent, session string) {
	for _, a := range All() {
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
		for _, a := range All() {
			if a.ID == value {
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
	for _, a := range All() {
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
