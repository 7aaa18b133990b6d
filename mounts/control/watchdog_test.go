package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestWatchdog: the verdict on what is seen of a process over time; each case
// repeats its samples until a verdict or the end.
func TestWatchdog(t *testing.T) {
	const quarter = 250 * time.Millisecond
	runs := func(code byte, each time.Duration) func(int) sample {
		return func(i int) sample {
			return sample{code: code, cpu: time.Duration(i) * each, wants: code == 'R', kernel: code == 'D'}
		}
	}
	for _, c := range []struct {
		name  string
		wait  wait
		limit time.Duration
		sees  func(i int) sample
		until time.Duration // nothing is decided
		state State         // then this is; "" is never
		notes string        // a word of what is said; "" is nothing
	}{
		{name: "stopped", wait: forGreeting, sees: runs('T', 0), until: stillAfter, state: Stopped},
		{name: "stopped, and asked", wait: slowReply, sees: runs('T', 0), notes: "kill -CONT 7"},
		{name: "stopped, and asked, with a limit", wait: slowReply, limit: 5 * time.Second, sees: runs('T', 0), until: 5 * time.Second, state: Stopped, notes: "it is stopped"},
		{name: "stopped now and then", wait: forGreeting, sees: runs('T', 1000), notes: "still waiting for process 7"},
		{name: "held by a debugger", wait: forGreeting, sees: runs('t', 0), until: stillAfter, state: Traced},
		{name: "frozen", wait: forGreeting, sees: func(int) sample { return sample{code: 'S', frozen: true} }, until: stillAfter, state: Frozen},
		{name: "killed", wait: forGreeting, sees: runs('Z', 0), until: noteAfter, state: Killed},
		{name: "killed while it works", wait: slowReply, sees: runs('Z', 0), until: noteAfter, state: Killed},
		{name: "wants a processor", wait: forGreeting, sees: runs('R', 0), notes: "which is busy"},
		{name: "works between looks", wait: forGreeting, sees: runs('S', quarter/2), notes: "which is busy"},
		{name: "waits in the kernel", wait: promptReply, sees: runs('D', 0), notes: "state D"},
		{name: "asleep", wait: forGreeting, sees: runs('S', 0), until: hungAfter, state: Hung, notes: "still waiting"},
		{name: "asleep but for its timers", wait: promptReply, sees: runs('S', quarter/1000), until: hungAfter, state: Hung, notes: "still waiting"},
		{name: "asleep while its tool works", wait: slowReply, sees: runs('S', 0)},
		{name: "cannot be seen", wait: forGreeting, sees: func(int) sample { return sample{} }, until: blindAfter, state: Unknown, notes: "does not answer yet"},
		{name: "starting", wait: starting, sees: runs('S', 0), until: startTime, state: Asleep, notes: "which is starting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var notes []string
			begun := time.Now()
			v := &watchdog{
				home: Home{Note: func(line string) { notes = append(notes, line) }},
				pid:  7, wait: c.wait, limit: c.limit, begun: begun,
			}
			var verdict error
			waited := time.Duration(0)
			for i := 0; verdict == nil && waited < 2*startTime; i++ {
				waited = checkAfter + time.Duration(i)*quarter
				verdict = v.judge(begun.Add(waited), c.sees(i))
			}
			silent := (*Silent)(nil)
			switch {
			case c.until == 0 && verdict != nil:
				t.Errorf("after %v: %v", waited, verdict)
			case c.until > 0 && (!errors.As(verdict, &silent) || silent.State != c.state):
				t.Errorf("after %v: %v", waited, verdict)
			case c.until > 0 && (waited < c.until || waited > c.until+2*time.Second):
				t.Errorf("%v after %v, not %v", verdict, waited, c.until)
			}
			said := strings.Join(notes, "\n")
			if (said == "") != (c.notes == "") || !strings.Contains(said, c.notes) {
				t.Errorf("said is %q", said)
			}
			if len(notes) > 12 {
				t.Errorf("%d lines are said", len(notes))
			}
			if fault := (*Fault)(nil); verdict != nil && (!errors.As(verdict, &fault) || fault.Hint == "") {
				t.Errorf("%v does not say what to do", verdict)
			}
		})
	}
}

// TestAdvice: kill -9 is only advised where it helps.
func TestAdvice(t *testing.T) {
	for _, state := range []State{Unknown, Busy, Waiting, Stopped, Traced, Frozen, Killed, Hung, Asleep} {
		hint := newSilent(7, state, "does not answer").Fault.Hint
		fstest.Equal(t, strings.Contains(hint, ": kill -9"), (state == Hung), state, hint)
	}
}
