package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/transcripts/agents/historytest"
)

// TestNames: the agents with histories are those that are described in
// providers/internal/agents as having sessions, in the same order.
func TestNames(t *testing.T) {
	var names, described []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	for _, a := range agents.All() {
		if len(a.Sessions) > 0 {
			described = append(described, a.ID)
		}
	}
	fstest.EqualSlices(t, names, described, "histories are read")
}

// TestFixtures: every agent has one fixture, testdata/<name>.txt, and its reader
// passes the common checks with it; every fixture is of an agent.
func TestFixtures(t *testing.T) {
	fixtures, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	fstest.Must(t, err)
	for _, a := range All() {
		fixture := filepath.Join("testdata", a.Name+".txt")
		t.Run(a.Name, func(t *testing.T) { historytest.Conform(t, a, fixture) })
		fixtures = slices.DeleteFunc(fixtures, func(f string) bool { return f == fixture })
	}
	if len(fixtures) > 0 {
		t.Errorf("fixtures of no agent: %s", strings.Join(fixtures, ", "))
	}
}
