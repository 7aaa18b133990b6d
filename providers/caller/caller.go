// Package caller tells by its environment which agent has started a program. It
// imports next to nothing: commands that must start at once use it.
package caller

import "ctxfs/providers/internal/agents"

// Of is the agent that an environment is of and the id of its session, "" where
// that is not known.
func Of(lookupEnv func(string) (string, bool)) (agent, session string) { return agents.Of(lookupEnv) }

// Marks reports whether a variable of that name says that an agent has started
// the shell for itself.
func Marks(variable string) bool { return agents.Marks(variable) }
