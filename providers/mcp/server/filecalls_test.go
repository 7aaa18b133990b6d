package server

import (
	"testing"

	"ctxfs/providers/mcp/calls"
)

// TestOutcomesOfFilesSayWhatDoesNotFit: what does not fit the output schema is no failure.
func TestOutcomesOfFilesSayWhatDoesNotFit(t *testing.T) {
	for _, r := range []*calls.Result{{}, {Misfit: "it does not fit"}, {Failed: true}} {
		if o := callOutcome("x", r, nil); o.Misfit != r.Misfit || o.OK == r.Failed {
			t.Errorf("%+v: %+v", r, o)
		}
	}
}
