package agents

import (
	"path"
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
