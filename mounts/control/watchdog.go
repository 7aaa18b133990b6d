package control

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// The times when a process that has not answered is sampled, and judged.
const (
	checkAfter = 500 * time.Millisecond // soon enough for a caller that waits; on an idle machine every answer comes earlier
	lookEvery  = 250 * time.Millisecond
	lookSlowly = time.Second
	stillAfter = 500 * time.Millisecond // stopped for so long, it is not merely about to be
	noteAfter  = 2 * time.Second
	hungAfter  = 15 * time.Second // without any processor time, though asked for an answer
	blindAfter = time.Minute      // where nothing can be seen of it
)

// wait is what a client waits for.
type wait int

const (
	forGreeting wait = iota // its greeting; nothing has been asked yet
	starting                // a new process to report that it is ready
	promptReply             // an answer that a healthy process gives at once
	slowReply               // an answer that may take time
	stayBegin               // the first reply of a request that lasts as long as the conversation
	stayEnd                 // the end of such a request
)

// asked reports whether the process has received a request. Then the client does
// not give up because the process is stopped: the process would still do the work.
func (w wait) asked() bool { return w != forGreeting && w != starting }

// fails names what the process fails to do.
func (w wait) fails() string {
	if w == starting {
		return "does not start"
	}
	return "does not answer"
}

// isPrompt reports whether a healthy process would have answered by now.
func (w wait) isPrompt() bool { return w == forGreeting || w == promptReply || w == stayBegin }

// watchdog samples a process while a client waits for it, and reports what the
// process is doing. The first sample is taken after [checkAfter]: a client that
// is answered sooner pays only for a timer.
type watchdog struct {
	home Home
	pid  int
	wait wait
	// limit is how long a process that has received a request may be stopped; 0
	// means forever.
	limit time.Duration
	end   func() // ends the waiting

	mu      sync.Mutex
	timer   *time.Timer
	over    bool
	verdict error

	begun     time.Time
	last      sample
	seen      time.Time // when it was sampled last
	still     time.Time // since when it has stood still
	idle      time.Time // since when it has been idle
	lastNote  time.Time // when the last line was written
	toldStill bool
}

// watch starts a watchdog. It may call end, which ends the waiting, at any time
// until close.
func (h Home) watch(pid int, w wait, limit time.Duration, end func()) *watchdog {
	v := &watchdog{home: h, pid: pid, wait: w, limit: limit, end: end, begun: time.Now()}
	v.mu.Lock()
	v.timer = time.AfterFunc(checkAfter, v.check)
	v.mu.Unlock()
	return v
}

// close stops the watchdog and returns its verdict, or nil.
func (v *watchdog) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
	v.timer.Stop()
	return v.verdict
}

func (v *watchdog) check() {
	s := sampleOf(v.pid)
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
	if !v.wait.isPrompt() {
		every = lookSlowly
	}
	v.timer.Reset(every)
}

// judge evaluates a sample of the process, and returns an error if waiting is
// pointless.
func (v *watchdog) judge(now time.Time, s sample) error {
	first := v.seen.IsZero()
	worked := !first && s.cpu != v.last.cpu                 // also less: a thread that worked has ended
	busy := !first && s.cpu-v.last.cpu > now.Sub(v.seen)/50 // timers alone take less
	v.last, v.seen = s, now
	state := s.state()
	if !s.isStill() || worked {
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
		fault := newSilent(v.pid, state, v.wait.fails())
		if !v.wait.asked() || v.limit > 0 && now.Sub(v.still) > v.limit {
			return fault
		}
		if !v.toldStill {
			v.toldStill = true
			v.home.note("%s; %s", fault.Fault.Message, fault.Fault.Hint)
		}
	case state == Killed && waited >= noteAfter:
		return newSilent(v.pid, Killed, v.wait.fails())
	case !v.idle.IsZero() && now.Sub(v.idle) > hungAfter && v.wait.isPrompt():
		return newSilent(v.pid, Hung, "does not answer")
	case state == Unknown && waited > blindAfter && v.wait.isPrompt():
		return newSilent(v.pid, Unknown, "does not answer")
	case v.wait == starting && waited > startTime:
		return newSilent(v.pid, state, v.wait.fails())
	case v.wait.isPrompt() || v.wait == starting:
		v.report(now, state)
	}
	return nil
}

// report writes, now and then, what the client is waiting for.
func (v *watchdog) report(now time.Time, state State) {
	waited := now.Sub(v.begun)
	if waited < noteAfter || !v.lastNote.IsZero() && now.Sub(v.lastNote) < v.lastNote.Sub(v.begun) {
		return
	}
	v.lastNote = now
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

// brokenOff returns the error of a conversation that broke off.
func brokenOff(ctx context.Context, verdict, err error) error {
	switch {
	case verdict != nil:
		return verdict
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w (%v)", ErrGone, err)
}

// Silence samples a background process that has not answered within a limit of the
// caller, and describes it.
func (h Home) Silence() error {
	pid := h.record().Pid
	if holder := h.Holder(); holder != 0 {
		pid = holder
	}
	state := sampleOf(pid).state()
	if state == Asleep {
		state = Hung
	}
	return newSilent(pid, state, "does not answer")
}
