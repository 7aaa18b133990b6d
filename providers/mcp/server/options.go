// Package server has a configured server: its folder, what is known of it, and the
// instances that run it.
//
// What is known changes in update, which publishes what has changed, and then notifies:
// adopt.go takes the lists of an instance, accept.go pins definitions, package kept
// follows resources. status.go, bin.go, filecalls.go and waiting.go make the files
// of the folder. placed.go is an instance for a project or a session, and differ.go says
// where its tools are other ones.
package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/logins"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/tasks"
)

// Options are what all servers share.
type Options struct {
	Env     fs.Env
	Home    string
	Environ func() []string // of the user
	HTTP    http.RoundTripper
	Logs    string // the folder of what servers log
	Offline bool   // nothing is started or written

	// Program is the path of ctxfs, for the programs that call tools; with "" these
	// are not shown. ProgramEnv is the environment through which it reaches this
	// process.
	Program    string
	ProgramEnv []string

	Cache     catalogue.Cache
	Pins      pins.Store
	Questions *questions.Store
	Tasks     *tasks.Store
	Sampling  *questions.Sampling
	Logins    *logins.Logins

	Instances instance.Options
	Pool      *instance.Pool // of the instances for projects and sessions
	Tool      time.Duration  // timeout of a tool without progress, unless configured
	Running   *cell.Group    // of what goes on after a server has ended
	// Publishing is read-locked from a change of a server until it is told.
	Publishing *sync.RWMutex

	// FileCalls reports whether tools may be called by files.
	FileCalls func() bool
	// FileCall judges a call, and returns the function that makes it, which is called at
	// most once, and what its caller is to be told.
	FileCall func(c calls.Call) (call func(context.Context) (*calls.Result, error), note string, err error)
	// Shown is called after a change of a server is shown, and Sample when memory is to
	// be measured soon.
	Shown, Sample func()
}
