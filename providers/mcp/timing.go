package mcp

import (
	"time"

	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// timing holds the timeouts and delays of a provider; tests have shorter ones.
type timing struct {
	instance.Timing
	slot    time.Duration // after which a starting server makes room for the next one
	hold    time.Duration // how long load may delay a start that no caller waits for
	tool    time.Duration // timeout of a tool without progress, unless configured
	toolMax time.Duration // timeout of a tool with progress, unless a longer one is configured
	sample  time.Duration // between samples of what processes use; 0 takes none
}

func usualTiming() timing {
	return timing{
		Timing: instance.Timing{
			Timing: wire.Timing{
				Discover: 2 * time.Second, Deaf: 30 * time.Second, Relisten: 5 * time.Second,
				Grace: supervise.Grace{EOF: 2 * time.Second, Term: 2 * time.Second, Work: 30 * time.Second, Kill: 2 * time.Second},
			},
			Start: 30 * time.Second, Fetch: 150 * time.Second, Install: 10 * time.Minute, Settle: 200 * time.Millisecond, Calm: 30 * time.Second,
			Retry: 5 * time.Second, RetryMax: 10 * time.Minute, Call: time.Minute,
		},
		slot: 15 * time.Second, hold: 3 * time.Second, tool: 5 * time.Minute, toolMax: time.Hour,
		sample: time.Minute,
	}
}
