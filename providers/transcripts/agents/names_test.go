package agents

import (
	"testing"

	known "ctxfs/providers/internal/agents"
)

// TestNames: the agents are those that are known everywhere, in the same order.
func TestNames(t *testing.T) {
	all := All()
	if len(all) != len(known.All()) {
		t.Fatalf("%d agents have histories, %d are known", len(all), len(known.All()))
	}
	for i, a := range known.All() {
		if all[i].Name != a.ID {
			t.Errorf("%s stands where %s is known", all[i].Name, a.ID)
		}
	}
}
