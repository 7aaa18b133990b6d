package fstest

import (
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs"
)

// Patience is how long a test waits for anything: long enough for the busiest
// machine.
const Patience = 2 * time.Minute

// The pauses between two looks at a condition: short ones at first, for what is
// about to happen, and longer ones then. After a look that took long, as one that
// runs a program does, the pause is as long again: more than half of the processor
// is left to what is under test.
const (
	shortestPause = time.Millisecond
	longestPause  = 20 * time.Millisecond
)

// Eventually waits until holds returns true, and ends the test if it does not
// within [Patience]. It is for states of the outside world that no channel and no
// signal announces: another process, the kernel, the runtime. The text says what
// is awaited, as in "the server is ready".
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Becomes(holds) {
		t.Fatalf("not within %v: %s", Patience, what)
	}
}

// Becomes waits until holds returns true, and reports whether it does within
// [Patience]. It is Eventually for a test that has more to report about its
// failure.
func Becomes(holds func() bool) bool {
	begun := time.Now()
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		look := time.Now()
		if holds() {
			return true
		}
		if time.Since(begun) > Patience {
			return false
		}
		time.Sleep(max(pause, time.Since(look)))
	}
}

// Settled waits until what s has noticed, or was told, so far is shown.
func Settled(t testing.TB, s fs.Settler) {
	t.Helper()
	if err := s.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Settles waits as [Settled] does, and ends the test if holds then returns false. The text
// says what is expected, as in "the new rule is shown".
func Settles(t testing.TB, s fs.Settler, what string, holds func() bool) {
	t.Helper()
	Settled(t, s)
	if !holds() {
		t.Fatalf("it has settled, and this does not hold: %s", what)
	}
}

// Race reports whether this program was built with the race detector, which makes
// code take about ten times as long and ten times the memory.
func Race() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// DefaultSignals restores, for the programs that tests start, the default action of
// the signals that this process was started to ignore: SIGHUP by nohup and some
// runners, SIGINT and SIGQUIT in the background of a script. In this process they
// still have no effect. A TestMain calls it before it runs tests.
func DefaultSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a child process inherits ignored signals, not handled ones
		}
	}
}
