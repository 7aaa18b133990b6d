// Package host is what every provider is given.
package host

import (
	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
)

// Host is the surroundings of a provider.
type Host struct {
	Env fs.Env
	agents.Machine
	// Hide reports whether a path is to be left out, such as one of our own mounts; it
	// may be nil.
	Hide func(path string) bool
	// AgentOf returns the agent and the session that a process belongs to, "" where that is
	// not known. It may be nil.
	AgentOf func(pid int) (agent, session string)
	// SettingsPath is the path of config.toml, State the provider's folder for what cannot
	// be made again, Cache that for what can.
	SettingsPath, State, Cache string
	// Watch keeps the provider current, once it is started. Without it, for a command
	// that reads once, things are looked for when they are first asked for, and nothing
	// is started.
	Watch bool
}

// Hides reports whether a path is hidden, or in a folder that is, by the path alone.
func (h *Host) Hides(path string) bool { return fs.Hides(h.Hide, path) }
