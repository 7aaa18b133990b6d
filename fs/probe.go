package fs

import (
	"errors"
	"sync"
	"time"
)

// Limits of a [Prober].
const (
	// maxProbes is how many probes run at a time within their deadline.
	maxProbes = 16
	// maxLate is how many probes may run beyond it. Each holds a thread of this
	// process until its file system answers.
	maxLate = 64
)

// ErrNoAnswer is the error of a [Probe] that did not end in time.
var ErrNoAnswer = errors.New("no answer in time")

// Prober bounds the time of looking at folders whose file systems may not answer. A
// place that has not answered in time is not asked again until it has.
type Prober struct {
	// Answered is called with a place that has answered after all, and is asked again from
	// then on. It must only enqueue, and is set before the first probe; it may be nil.
	Answered func(place string)

	deadline time.Duration
	running  chan struct{} // has an element for each probe within its deadline

	mu   sync.Mutex
	late map[string]int // probes beyond their deadline, by place
	lost int            // and all of them
}

// NewProber returns a Prober whose probes have a deadline.
func NewProber(deadline time.Duration) *Prober {
	return &Prober{deadline: deadline, running: make(chan struct{}, maxProbes), late: make(map[string]int)}
}

// Probe returns what look returns, or [ErrNoAnswer] at the deadline; look then goes
// on, and its answer is discarded. Place names what is looked at.
func Probe[T any](p *Prober, place string, look func() (T, error)) (T, error) {
	var none T
	deadline := time.After(p.deadline)
	select {
	case p.running <- struct{}{}:
	case <-deadline:
		return none, ErrNoAnswer
	}
	defer func() { <-p.running }()
	p.mu.Lock()
	hopeless := p.late[place] > 0 || p.lost >= maxLate
	p.mu.Unlock()
	if hopeless {
		return none, ErrNoAnswer
	}
	var (
		answer T
		err    error
		gaveUp bool
		done   = make(chan struct{})
	)
	go func() {
		found, failed := look()
		p.mu.Lock()
		if !gaveUp {
			answer, err = found, failed
			close(done)
			p.mu.Unlock()
			return
		}
		p.late[place]--
		answers := p.late[place] == 0
		if answers {
			delete(p.late, place)
		}
		p.lost--
		p.mu.Unlock()
		if answers && p.Answered != nil {
			p.Answered(place)
		}
	}()
	select {
	case <-done:
		return answer, err
	case <-deadline:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-done:
		return answer, err
	default:
	}
	gaveUp = true
	p.late[place]++
	p.lost++
	return none, ErrNoAnswer
}
