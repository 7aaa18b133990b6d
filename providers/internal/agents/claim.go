package agents

import (
	"path"
	"slices"
	"strings"
)

// Claim is what the environment of a program says about the session that it runs
// in.
type Claim struct {
	// Variable is the name of the variable, Agent the id of the agent that sets it.
	Variable string `json:"variable"`
	Agent    string `json:"agent"`
	// Session is the variable's value: an id, or the path of the agent's log.
	Session string `json:"session"`
}

// ID returns the id of the session, even if the claim has the path of its log.
func (c Claim) ID() string {
	if !strings.Contains(c.Session, "/") {
		return c.Session
	}
	name := path.Base(c.Session)
	return strings.TrimSuffix(name, path.Ext(name))
}

// Claims returns what an environment says, in the order of [All]. There are
// several claims if one agent was started by another.
func Claims(lookupEnv func(string) (string, bool)) (claims []Claim) {
	for _, a := range all() {
		for _, v := range a.Session {
			if value := v.Value(lookupEnv); value != "" {
				claims = append(claims, Claim{Variable: v.Name, Agent: a.ID, Session: value})
				break
			}
		}
	}
	return claims
}

// Variables returns the names of the variables that name a session.
func Variables() (names []string) {
	for _, a := range all() {
		for _, v := range a.Session {
			names = append(names, v.Name)
		}
	}
	return names
}

// common returns the variables that any agent may use to name itself, by its id.
func common() []string { return []string{"AGENT", "AI_AGENT"} }

// Of returns the agent that an environment belongs to and the id of its session.
// The outcome is one of these:
//
//  1. a variable of a session is set: that agent, and the session's id;
//  2. a mark is set: that agent, and "";
//  3. a variable that any agent may use to name itself has the id of one: that
//     agent, and "";
//  4. otherwise: "" and "".
//
// If one agent has started another, the first one in the order of [All] is
// returned.
func Of(lookupEnv func(string) (string, bool)) (agent, session string) {
	all := all()
	for _, a := range all {
		for _, v := range a.Session {
			if value := v.Value(lookupEnv); value != "" {
				return a.ID, Claim{Session: value}.ID()
			}
		}
		for _, v := range a.Marks {
			if v.Value(lookupEnv) != "" {
				return a.ID, ""
			}
		}
	}
	for _, name := range common() {
		id, _ := lookupEnv(name)
		if slices.ContainsFunc(all, func(a Agent) bool { return a.ID == id }) {
			return id, ""
		}
	}
	return "", ""
}
