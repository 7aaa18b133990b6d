package instance

import (
	"time"

	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/wire"
)

// The states of an instance, as they are written in STATUS.md, besides those of
// package config and [wire.StateNeedsAuth].
const (
	StateStarting   = "starting"   // it has not answered yet
	StateInstalling = "installing" // it has not answered yet, and makes progress
	StateReady      = "ready"      // it runs and its lists are shown
	StateCached     = "cached"     // its lists are known, it is not running
	StateStopped    = "stopped"    // it has never been started
	StateDisabled   = "disabled"   // by configuration
)

// Condition is the condition of an instance, as STATUS.md shows it.
type Condition struct {
	State string
	Since time.Time
	What  string // the error, one line
	Fix   string // the command or change that fixes it
	// FixHere replaces Fix in STATUS.md itself; "" is Fix.
	FixHere  string
	Next     time.Time // when it is retried
	Failures int       // how many times in a row it has failed, 0 while a start is under way
	Reported bool      // the error is that of a whole file, which is reported once
	LastSaid string    // the last line that it printed while installing
	Lapsed   bool      // the user's trust in it has lapsed
	// Stderr is the end of its standard error, cleaned.
	Stderr string
	// Remarks are about this run.
	Remarks []string
}

// Failing reports whether there is something for the user to fix.
func (c *Condition) Failing() bool {
	return c.State == config.StateError || c.State == wire.StateNeedsAuth || c.State == config.StateUnresolved || c.Lapsed
}

// Starting reports whether a start is under way.
func (c *Condition) Starting() bool { return IsStarting(c.State) }

// IsStarting reports whether a state is that of a start under way.
func IsStarting(state string) bool { return state == StateStarting || state == StateInstalling }
