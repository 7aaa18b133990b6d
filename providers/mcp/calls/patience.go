package calls

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// ErrSilent and ErrEndless are the causes for which a call is given up.
var (
	ErrSilent  = fmt.Errorf("the tool is silent: %w", context.DeadlineExceeded)
	ErrEndless = fmt.Errorf("the tool does not finish: %w", context.DeadlineExceeded)
)

// Patience gives a call up when its tool is silent for too long, or does not finish.
// While a question waits for its answer, the tool has reason to be silent. It is
// safe for concurrent use; the zero value waits for nothing yet.
type Patience struct {
	mu              sync.Mutex
	silent, endless *time.Timer // nil until Start
	quiet, longest  time.Duration
	paused          bool
}

// Start begins to wait: giveUp is called with [ErrSilent] after quiet without a sign
// of the tool, or with [ErrEndless] after longest, until Stop is called.
func (p *Patience) Start(quiet, longest time.Duration, giveUp context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet, p.longest = quiet, longest
	p.silent = time.AfterFunc(quiet, func() { giveUp(ErrSilent) })
	p.endless = time.AfterFunc(longest, func() { giveUp(ErrEndless) })
}

// Heard reports that the tool was not silent.
func (p *Patience) Heard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != nil && !p.paused {
		p.silent.Reset(p.quiet)
	}
}

// Pause reports that a question waits, or no longer does: both times then start
// again.
func (p *Patience) Pause(paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.paused = paused; {
	case p.silent == nil:
	case paused:
		p.silent.Stop()
		p.endless.Stop()
	default:
		p.silent.Reset(p.quiet)
		p.endless.Reset(p.longest)
	}
}

// Stop ends waiting.
func (p *Patience) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent.Stop()
	p.endless.Stop()
	p.silent, p.endless = nil, nil
}
