package find

import (
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// tool is a match that can be called.
func tool(name string, score float64) facts.Match {
	return facts.Match{
		Path: "mcps/hub/tools/" + name + ".json", Title: "hub/" + name, Kind: "tool", Why: "Does " + name + ".", Score: score,
		Signature: "hub/" + name + "(title, labels?[])", Use: "ctxfs call hub " + name + " --title …",
	}
}

func TestList(t *testing.T) {
	said := facts.Match{Path: "transcripts/pi/work/x/blocks/00001.md", Why: "2026-01-02 03:04 user in ~/src: the token expires", Score: .5, Kind: "session", More: 2, In: "transcripts/pi/work/x"}
	skill := facts.Match{Path: "skills/pdf/SKILL.md", Whole: "skills/pdf", Why: "Fills forms.", Score: .9, Kind: "skill"}
	far := tool("far", .1)
	far.More, far.In = 4, "mcps/hub"
	for name, c := range map[string]struct {
		answers []Answer
		want    string
	}{
		"the best is told whole, others less": {
			[]Answer{{"make", []facts.Match{tool("make", 1), skill, tool("build", .7), said, tool("plan", .3), far}}},
			"hub/make(title, labels?[]) — Does make.\n  ctxfs call hub make --title …\n" +
				"skills/pdf/SKILL.md — Fills forms.\n" +
				"hub/build(title, labels?[]) — Does build.\n" +
				"transcripts/pi/work/x/blocks/00001.md — 2026-01-02 03:04 user in ~/src: the token expires\n" +
				"also: hub/plan, hub/far, 2 more in transcripts/pi/work/x, 4 more in mcps/hub\n",
		},
		"where nothing is good it says so": {
			[]Answer{{"x", []facts.Match{tool("far", GoodScore/2)}}},
			"nothing good; nearest:\nhub/far(title, labels?[]) — Does far.\n  ctxfs call hub far --title …\n",
		},
		"what is told once is only named again": {
			[]Answer{{"make", []facts.Match{tool("make", 1)}}, {"no\u202ene", nil}, {"plan", []facts.Match{tool("plan", 1), tool("make", .9)}}},
			"# make\nhub/make(title, labels?[]) — Does make.\n  ctxfs call hub make --title …\n\n" +
				"# none\nnothing fits\n\n" +
				"# plan\nhub/plan(title, labels?[]) — Does plan.\n  ctxfs call hub plan --title …\nalso: hub/make\n",
		},
	} {
		fstest.Equal(t, List(c.answers, true), c.want, name)
		if got := List(c.answers, false); strings.Contains(got, "ctxfs call") || !strings.Contains(got, "(title, labels?[])") {
			t.Errorf("%s, without commands:\n%s", name, got)
		}
	}
}
