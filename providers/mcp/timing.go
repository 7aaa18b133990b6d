package mcp

import (
	"time"

	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// timing are the waits of a provider; tests have shorter ones.
type timing struct {
	start    time.Duration // until a server has answered, unless configured
	discover time.Duration // for an answer to the modern probe
	slot     time.Duration // after which a silent server makes room for the next one
	hold     time.Duration // for which load may hold back a start that nobody waits for
	install  time.Duration // until a server has answered that makes progress, unless configured
	settle   time.Duration // from the news of a change to asking for the lists; doubles while there is news after news
	calm     time.Duration // the longest of these
	retry    time.Duration // before the first new try; doubles with each
	retryMax time.Duration
	call     time.Duration // until a request has been answered that a user makes
	tool     time.Duration // until a tool has answered or told of progress, unless configured
	toolMax  time.Duration // until a tool has answered, whatever it tells of, unless more is configured
	deaf     time.Duration // for which a process may take nothing of a message
	relisten time.Duration // before a stream of notifications that ended is opened again
	settled  time.Duration // from the end of the last start to calling Settled
	eof      time.Duration // from the end of its input to SIGTERM
	term     time.Duration // from SIGTERM to SIGKILL
	kill     time.Duration // from SIGKILL to giving up
	undo     time.Duration // from SIGTERM to SIGKILL, for what was installing and still works
	refresh  time.Duration // after which a catalogue is fetched again, give or take a quarter
	rest     time.Duration // before the first of these, and between looks whether there is time for one
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
		refresh:  24 * time.Hour,
		rest:     10 * time.Minute,
	}
}

func (t timing) grace() supervise.Grace {
	return supervise.Grace{EOF: t.eof, Term: t.term, Work: t.undo, Kill: t.kill}
}

func (t timing) wire() wire.Timing {
	return wire.Timing{Discover: t.discover, Deaf: t.deaf, Relisten: t.relisten, Grace: t.grace()}
}
