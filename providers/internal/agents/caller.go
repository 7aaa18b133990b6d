package agents

import "slices"

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
