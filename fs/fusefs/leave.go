package fusefs

import (
	"maps"
	"time"
)

// A reader that has asked for the size of a growing file may still be on its
// way out of the kernel with a page that has been dropped since. A thread needs
// some instructions for that, but if it is preempted, or its processor taken
// away, it may need any time. Therefore growth does not rely on time alone: it
// waits until every thread that was answered has been seen elsewhere.

// longestWay is how long growth waits for a thread at most, and how long a
// thread that was answered is remembered.
const longestWay = time.Second

// leaveTime is how long after a page was dropped growth waits for readers that
// cannot be identified: those that splice.
const leaveTime = 6 * time.Millisecond

// strangerTime is how long growth waits for readers about which nothing is known:
// threads of other namespaces, whose numbers the kernel does not send, and all
// threads if the kernel did not ask for the size each time.
const strangerTime = 20 * time.Millisecond

// maxAnswered is how many threads are remembered before those that were answered
// longer ago than longestWay are removed.
const maxAnswered = 64

// noteThread records that a thread is being answered. The kernel numbers threads as
// this process sees them; zero stands for those that it does not see. The
// caller holds mu.
func (f *file) noteThread(thread uint32) {
	t := now()
	if f.answered == nil {
		f.answered = make(map[uint32]time.Time)
	}
	if len(f.answered) >= maxAnswered {
		maps.DeleteFunc(f.answered, func(_ uint32, at time.Time) bool { return t.Sub(at) > longestWay })
	}
	f.answered[thread] = t
}

// awaitLeft waits until no reader can still have a page that was dropped: a fixed
// time for readers that cannot be identified, and for each thread answered so far
// until it has left the kernel, but at most longestWay.
func (f *file) awaitLeft() {
	inside := make(map[uint32]*passage)
	f.mu.Lock()
	begun := now()
	leave := leaveTime
	if !grows(f.shown) {
		leave = strangerTime // its readers are known only from now on
	}
	rest := max(leave-begun.Sub(f.dropped), strangerTime-begun.Sub(f.answered[0]))
	for thread, at := range f.answered {
		if begun.Sub(at) < longestWay && thread != 0 {
			inside[thread] = new(passage)
		}
	}
	f.mu.Unlock()
	time.Sleep(rest)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		maps.DeleteFunc(inside, func(thread uint32, p *passage) bool { return p.hasLeft(thread) })
		if len(inside) == 0 || now().Sub(begun) > longestWay {
			return
		}
		time.Sleep(pause)
	}
}
