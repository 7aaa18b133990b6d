// Package cell keeps a panic where it happens. What runs in a cell may fail: that is logged
// with its stack, is told by status, and ends nothing else. Providers, servers and sessions
// each run in cells of their own; whoever owns a cell begins it again, after a pause.
package cell

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is a panic that was caught.
type Fault struct {
	// Place is the function that panicked, such as "providers/skills.(*Provider).look".
	Place string
	Value any
	At    time.Time
	// Times is how often the place has failed, At the last time.
	Times int
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("a fault of ctxfs itself in %s: %v", f.Place, f.Value)
}

// maxFaults is how many places are remembered that have failed.
const maxFaults = 20

var (
	mu     sync.Mutex
	faults []Fault
)

// Run runs f. A panic is logged and remembered, and returned as a [*Fault].
func Run(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			fault := remember(Fault{Place: place(string(stack)), Value: v, At: time.Now(), Times: 1})
			slog.Error("a part of ctxfs has failed; the others go on", "in", fault.Place, "fault", v, "stack", string(stack))
			err = fault
		}
	}()
	f()
	return nil
}

// Value is Run for a function with a value: its error is that of f, or a [*Fault].
func Value[T any](f func() (T, error)) (value T, err error) {
	if fault := Run(func() { value, err = f() }); fault != nil {
		return value, fault
	}
	return value, err
}

// Go runs f in a goroutine and a cell.
func Go(f func()) { go func() { _ = Run(f) }() }

// Group is a [sync.WaitGroup] whose goroutines are cells.
type Group struct{ sync.WaitGroup }

// Go runs f in a goroutine and a cell.
func (g *Group) Go(f func()) { g.WaitGroup.Go(func() { _ = Run(f) }) }

// Faults returns the places that have failed, the latest last.
func Faults() []Fault {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(faults)
}

func remember(f Fault) *Fault {
	mu.Lock()
	defer mu.Unlock()
	if i := slices.IndexFunc(faults, func(old Fault) bool { return old.Place == f.Place }); i >= 0 {
		f.Times += faults[i].Times
		faults = slices.Delete(faults, i, i+1)
	} else if len(faults) == maxFaults {
		faults = slices.Delete(faults, 0, 1)
	}
	faults = append(faults, f)
	return &f
}

// place returns the function of ours that panicked, or whose library did.
func place(stack string) string {
	_, after, _ := strings.Cut(stack, "\npanic(")
	for line := range strings.Lines(after) {
		if name, ok := strings.CutPrefix(line, "ctxfs/"); ok {
			return name[:max(0, strings.LastIndexByte(name, '('))]
		}
	}
	return "ctxfs"
}
