// Package dispatch makes the calls of tools, and reads resources and prompts.
//
// A call is judged by what is known and for the project in which its caller
// stands (call.go), and is then under way (underway.go), which goes on when its caller
// leaves it: as a task (tasks.go). Its server may ask questions meanwhile.
package dispatch

import (
	"sync"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/server"
)

// Options are the settings of a dispatcher.
type Options struct {
	*server.Options // of all servers
	Fleet           *fleet.Fleet
	Projects        *project.Resolver
	Log             *calls.Log
	// Results stores what is too long to return; if it is nil, everything is
	// returned whole.
	Results calls.Results
	ToolMax time.Duration // timeout of a tool with progress, unless a longer one is configured
	// Logged is called after a call was logged.
	Logged func()
}

// Dispatcher makes calls. It is safe for concurrent use.
type Dispatcher struct {
	o        Options
	running  cell.Group
	resuming sync.Mutex // serializes resumptions of tasks

	mu      sync.Mutex
	under   map[*underway]bool // the calls under way
	stopped bool               // no more calls are made
}

// New returns a dispatcher without calls.
func New(o Options) *Dispatcher { return &Dispatcher{o: o, under: make(map[*underway]bool)} }

// Ready makes the log of calls ready, in the background.
func (d *Dispatcher) Ready() { d.running.Go(d.o.Log.Prepare) }

// Wait waits for the end of all calls.
func (d *Dispatcher) Wait() { d.running.Wait() }
