package call

import (
	"os"

	"ctxfs/providers/caller"
)

// NewCaller describes this process.
func NewCaller(lookupEnv func(string) (string, bool)) Caller {
	c := Caller{PID: os.Getpid()}
	c.Dir, _ = os.Getwd() // may be gone
	c.Agent, c.Session = caller.Of(lookupEnv)
	return c
}
