package control

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// When a process that has not answered is looked at, and what follows.
const (
	lookAfter  = 500 * time.Millisecond // quick enough for who waits; no answer takes as long on an idle machine
	lookEvery  = 250 * time.Millisecond
	lookSlowly = time.Second
	stillAfter = 500 * time.Millisecond // stopped for so long: not only on its way
	noteAfter  = 2 * time.Second
	hungAfter  = 15 * time.Second // without any processor time, though asked for an answer
	blindAfter = time.Minute      // where nothing can be seen of it
)

// wait is what is waited for.
type wait int

const (
	before   wait = iota // to be heard at all: who gives up has asked for nothing
	starting             // a process that was started to say that it is there
	quick                // an answer that takes a process that is well no time
	working              // an answer that may take its time
	lasting              // the first reply of what lasts as long as the conversation
	staying              // the end of that
)

// asked reports whether the process has been asked for something. Then nobody
// gives up because it is stopped: it would be done all the same.
func (w wait) asked() bool { return w != before && w != starting }

// fails says what a process does not do that is waited for.
func (w wait) fails() string {
	if w == starting {
		return "does not start"
	}
	return "does not answer"
}

// soon reports whether a process that is well would have answered by now.
func (w wait) soon() bool { return w == before || w == quick || w == lasting }

// vigil looks at a process while somebody waits for it, and tells him what it
// is doing. Its first look comes after [lookAfter]: who is answered sooner pays
// for a timer only.
type vigil struct {
	home Home
	pid  int
	wait wait
	// limit is how long a process that was asked may be stopped; 0 is for ever.
	limit time.Duration
	end   func() // ends the waiting

	mu      sync.Mutex
	timer   *time.Timer
	over    bool
	verdict error

	begun     time.Time
	last      sample
	seen      time.Time // when
	still     time.Time // since when it has been seen to stand still
	idle      time.Time // since when it has been seen to do nothing
	told      time.Time // when a line was said last
	toldStill bool
}

// watch begins a vigil. What it calls to end the waiting may be called at any
// time until close.
func (h Home) watch(pid int, w wait, limit time.Duration, end func()) *vigil {
	v := &vigil{home: h, pid: pid, wait: w, limit: limit, end: end, begun: time.Now()}
	v.mu.Lock()
	v.timer = time.AfterFunc(lookAfter, v.look)
	v.mu.Unlock()
	return v
}

// close ends the vigil and returns its verdict, nil if there was none.
func (v *vigil) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
	v.timer.Stop()
	return v.verdict
}

func (v *vigil) look() {
	s := look(v.pid)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return
	}
	if err := v.judge(time.Now(), s); err != nil {
		v.verdict, v.over = err, true
		v.end()
		return
	}
	every := lookEvery
	if !v.wait.soon() {
		every = lookSlowly
	}
	v.timer.Reset(every)
}

// judge takes in what is seen of the process, and returns an error where there
// is nothing to wait for.
func (v *vigil) judge(now time.Time, s sample) error {
	first := v.seen.IsZero()
	worked := !first && s.cpu != v.last.cpu                 // also less: a thread that worked has ended
	busy := !first && s.cpu-v.last.cpu > now.Sub(v.seen)/50 // timers alone take less
	v.last, v.seen = s, now
	state := s.state()
	if !s.still() || worked {
		v.still, v.toldStill = time.Time{}, false
	} else if v.still.IsZero() {
		v.still = now
	}
	if state != Asleep || busy {
		v.idle = time.Time{}
	} else if v.idle.IsZero() {
		v.idle = now
	}
	waited := now.Sub(v.begun)
	switch {
	case !v.still.IsZero() && now.Sub(v.still) >= stillAfter:
		fault := silent(v.pid, state, v.wait.fails())
		if !v.wait.asked() || v.limit > 0 && now.Sub(v.still) > v.limit {
			return fault
		}
		if !v.toldStill {
			v.toldStill = true
			v.home.note("%s; %s", fault.Fault.Message, fault.Fault.Hint)
		}
	case state == Killed && waited >= noteAfter:
		return silent(v.pid, Killed, v.wait.fails())
	case !v.idle.IsZero() && now.Sub(v.idle) > hungAfter && v.wait.soon():
		return silent(v.pid, Hung, "does not answer")
	case state == Unknown && waited > blindAfter && v.wait.soon():
		return silent(v.pid, Unknown, "does not answer")
	case v.wait == starting && waited > startTime:
		return silent(v.pid, state, v.wait.fails())
	case v.wait.soon() || v.wait == starting:
		v.tell(now, state)
	}
	return nil
}

// tell says who is being waited for, now and then.
func (v *vigil) tell(now time.Time, state State) {
	waited := now.Sub(v.begun)
	if waited < noteAfter || !v.told.IsZero() && now.Sub(v.told) < v.told.Sub(v.begun) {
		return
	}
	v.told = now
	who := fmt.Sprintf("process %d", v.pid)
	if v.pid == 0 {
		who = "the background process"
	}
	doing := "which is busy"
	switch {
	case v.wait == starting:
		doing = "which is starting"
	case state == Waiting:
		doing = "which waits in the kernel (state D: a disk or a network file system)"
	case state == Unknown:
		doing = "which does not answer yet"
	}
	v.home.note("still waiting for %s, %s (for %d s now)", who, doing, int(waited.Seconds()))
}

// broken is the error of a conversation that broke off.
func broken(ctx context.Context, verdict, err error) error {
	switch {
	case verdict != nil:
		return verdict
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w (%v)", ErrGone, err)
}

// Silence words that the background process has not answered within a limit of
// the caller's. It looks at the process for that.
func (h Home) Silence() error {
	pid := h.record().Pid
	if holder := h.Holder(); holder != 0 {
		pid = holder
	}
	state := look(pid).state()
	if state == Asleep {
		state = Hung
	}
	return silent(pid, state, "does not answer")
}
