package providers

import (
	"os"
	"strings"
	"testing"

	"ctxfs/providers/find"
)

func TestResultsOfTools(t *testing.T) {
	s := open(t, "[results]\nlimit = '5 KB'\n")
	kept := toolResults{s.Results()}
	if kept.Limit() != 5000 {
		t.Errorf("limit %d", kept.Limit())
	}
	saved, err := kept.Save("zoo", "walk.agentctx", "", []byte(`{"agentctx":"walk"}`))
	if err != nil || saved.Lines != 3 || saved.Bytes != 25 || !strings.HasSuffix(saved.Path, ".json") {
		t.Errorf("%+v, %v", saved, err)
	}
	if text, err := os.ReadFile(saved.Path); err != nil || string(text) != "{\n  \"agentctx\": \"walk\"\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
	// What a tool has answered does not stand before the tool.
	got, err := s.Find(t.Context(), "agentctx", find.Options{})
	if err != nil || len(got) != 1 || got[0].Path != "skills/agentctx/SKILL.md" {
		t.Errorf("%+v, %v", got, err)
	}
}
