package fstest

import (
	"testing"
)

// TestOptIn: a test of a set runs if the variable lists it or "all"; a benchmark always does.
func TestOptIn(t *testing.T) {
	for listed, want := range map[string]bool{"": false, "npm": false, "chaos": true, "npm,chaos": true, "all": true} {
		t.Setenv(optInVariable, listed)
		runs := false
		t.Run("listed: "+listed, func(t *testing.T) {
			OptIn(t, "chaos")
			runs = true
		})
		if runs != want {
			t.Errorf("%s=%s: it runs: %v", optInVariable, listed, runs)
		}
		if full := Rounds(100) == 100; full != (want && !Race() && !testing.Short()) {
			t.Errorf("%s=%s: %d rounds of 100", optInVariable, listed, Rounds(100))
		}
	}
	t.Setenv(optInVariable, "")
	b := testing.Benchmark(func(b *testing.B) {
		OptIn(b, "chaos")
		for b.Loop() {
		}
	})
	if b.N == 0 {
		t.Error("a benchmark is skipped")
	}
}
