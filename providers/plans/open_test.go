package plans

import (
	"os"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestBoxesOfPlans: the open boxes of a plan are open tasks, unless it was rejected or
// superseded, or its session has done what it had to do.
func TestBoxesOfPlans(t *testing.T) {
	files := map[string]string{".claude/plans/alone.md": "# Alone\n\n- [x] find the cause\n- [ ] write down the cause\n"}
	plan := func(name string, state facts.PlanState, hour int) facts.Plan {
		text := "# " + name + "\n\n- [ ] the box of " + name
		files[".claude/plans/"+name+".md"] = text + "\n"
		return facts.Plan{Kind: facts.Proposal, State: state, Title: name, Text: text, Time: at(hour)}
	}
	old, rejected, kept, carried := plan("older", facts.PlanAccepted, 1), plan("rejected", facts.PlanRejected, 2), plan("kept", facts.PlanAccepted, 3), plan("carried", facts.PlanAccepted, 4)
	w := newWorld(t, files)
	for name := range files {
		fstest.Must(t, os.Chtimes(w.Path(name), at(0), at(0)))
	}
	w.session("claude-code", "s1", "src/shop", old)
	w.session("claude-code", "s2", "src/shop", rejected)
	w.session("claude-code", "s3", "src/shop", kept)
	w.session("claude-code", "s4", "src/cart", carried, list(at(5), "completed do all of it"))
	w.start(false)
	open := w.Cat("OPEN.md")
	fstest.Contains(t, open, "- [ ] write down the cause — claude-code, ", "- [ ] the box of kept — claude-code, ")
	fstest.ContainsNot(t, open, "find the cause", "box of older", "box of rejected", "box of carried")
}
