package cell

import (
	"errors"
	"strings"
	"testing"
)

func breaks(with any) func() { return func() { panic(with) } }

// TestRun: a panic is an error that names the place, and is remembered once for each.
func TestRun(t *testing.T) {
	if err := Run(func() {}); err != nil {
		t.Errorf("without a panic: %v", err)
	}
	for range 2 {
		var fault *Fault
		if err := Run(breaks("no sun")); !errors.As(err, &fault) || !strings.Contains(err.Error(), "no sun") || !strings.HasPrefix(fault.Place, "fs/cell.") {
			t.Errorf("a panic: %v", err)
		}
	}
	if err := Run(func() { panic(nil) }); err == nil {
		t.Error("a panic with nil")
	}
	all := Faults()
	if len(all) != 2 || all[0].Times != 2 || all[0].At.IsZero() || !strings.Contains(all[0].Place, "breaks") {
		t.Errorf("faults: %+v", all)
	}
	done := make(chan struct{})
	Go(func() { defer close(done); panic("in a goroutine") })
	<-done
}

// TestMaxFaults: the latest places are remembered.
func TestMaxFaults(t *testing.T) {
	for i := range 2 * maxFaults {
		remember(Fault{Place: strings.Repeat("x", i), Times: 1})
	}
	if all := Faults(); len(all) != maxFaults || len(all[maxFaults-1].Place) != 2*maxFaults-1 {
		t.Errorf("%d faults", len(all))
	}
}
