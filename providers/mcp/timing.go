package mcp

import (
	"time"

	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// timing holds the timeouts and delays of a provider; tests have shorter ones.
type timing struct {
	start    time.Duration // timeout of a start without progress, unless configured
	discover time.Duration // timeout of the probe for the new era
	slot     time.Duration // after which a starting server makes room for the next one
	hold     time.Duration // how long load may delay a start that no caller waits for
	install  time.Duration // timeout of a start with progress, unless configured
	settle   time.Duration // delay from a notification to requesting the lists; doubles while notifications keep coming
	calm     time.Duration // the longest such delay
	retry    time.Duration // delay before the first retry; doubles with each
	retryMax time.Duration
	call     time.Duration // timeout of a request
	tool     time.Duration // timeout of a tool without progress, unless configured
	toolMax  time.Duration // timeout of a tool with progress, unless a longer one is configured
	deaf     time.Duration // how long a process may read nothing of a message
	relisten time.Duration // delay before a stream of notifications that ended is reopened
	settled  time.Duration // from the end of the last start to calling Settled
	eof      time.Duration // from the end of its input to SIGTERM
	term     time.Duration // from SIGTERM to SIGKILL
	kill     time.Duration // from SIGKILL to giving up
	undo     time.Duration // from SIGTERM to SIGKILL, for a process that was installing and still works
	sample   time.Duration // between samples of what processes use; 0 takes none
}

func usualTiming() timing {
	return timing{
		start:    30 * time.Second,
		discover: 2 * time.Second,
		slot:     15 * time.Second,
		hold:     3 * time.Second,
		install:  10 * time.Minute,
		settle:   200 * time.Millisecond,
		calm:     30 * time.Second,
		retry:    5 * time.Second,
		retryMax: 10 * time.Minute,
		call:     time.Minute,
		tool:     5 * time.Minute,
		toolMax:  time.Hour,
		deaf:     30 * time.Second,
		relisten: 5 * time.Second,
		settled:  5 * time.Second,
		eof:      2 * time.Second,
		term:     2 * time.Second,
		kill:     2 * time.Second,
		undo:     30 * time.Second,
		sample:   time.Minute,
	}
}

func (t timing) grace() supervise.Grace {
	return supervise.Grace{EOF: t.eof, Term: t.term, Work: t.undo, Kill: t.kill}
}

func (t timing) wire() wire.Timing {
	return wire.Timing{Discover: t.discover, Deaf: t.deaf, Relisten: t.relisten, Grace: t.grace()}
}

func (t timing) instance() instance.Timing {
	return instance.Timing{
		Start: t.start, Install: t.install, Settle: t.settle, Calm: t.calm, Retry: t.retry, RetryMax: t.retryMax,
		Call: t.call, Grace: t.grace(),
	}
}
