package proposed

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/facts"
	"ctxfs/providers/memory/fact"
)

// TestSettledAfterAKill: what a killed writer has left half hides nothing that is settled
// later.
func TestSettledAfterAKill(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	b.Learn([]facts.StatementPart{{Name: "a", Version: "1", Statements: []facts.Statement{{Kind: "rule", Text: "always so"}}}})
	fstest.Must(t, os.WriteFile(filepath.Join(dir, settledName), []byte(`{"scope":"user","te`), 0o600))
	fstest.Must(t, b.Settle(fact.User, "Always so."))
	if all := b.Proposals(func(string) string { return fact.User }, func(string, string) bool { return false }); len(all) != 0 || len(b.Problems()) != 0 {
		t.Errorf("%+v, %v", all, b.Problems())
	}
}

// TestScopes: what was said in several projects would hold for the user; what was
// dismissed in one is proposed in the other alone.
func TestScopes(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	said := func(session, dir, text string) facts.StatementPart {
		return facts.StatementPart{
			Name: session, Version: "1", Agent: "pi", Session: session, Path: "x/" + session, Dir: dir,
			Statements: []facts.Statement{{Kind: "rule", Text: text, Time: time.Unix(int64(len(session)), 0)}},
		}
	}
	proposals := func() string {
		var all []string
		for _, p := range b.Proposals(func(dir string) string { return dir }, func(string, string) bool { return false }) {
			all = append(all, fmt.Sprintf("%s in %s, %d", p.Name, p.Scope, p.Sessions))
		}
		return strings.Join(all, "; ")
	}
	b.Learn([]facts.StatementPart{said("a", "/shop", "Nodes cache this"), said("bb", "/shop", "nodes cache this.")})
	fstest.Equal(t, proposals(), "nodes-cache-this in /shop, 2", "one project")
	b.Learn([]facts.StatementPart{said("a", "/shop", "Nodes cache this"), said("bb", "/shop", "nodes cache this."), said("ccc", "/lab", "Nodes cache this")})
	fstest.Equal(t, proposals(), "nodes-cache-this in user, 3", "two projects")
	fstest.Must(t, b.Settle("/shop", "nodes CACHE this"))
	fstest.Equal(t, proposals(), "nodes-cache-this in /lab, 1", "dismissed in one")
	fstest.Must(t, b.Settle(fact.User, "nodes CACHE this"))
	fstest.Equal(t, proposals(), "", "dismissed for all")
}

// TestLearn: what is unchanged is kept, and the book is the same after a restart.
func TestLearn(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	part := facts.StatementPart{Name: "a", Version: "1", Path: "x", Statements: []facts.Statement{{Kind: "rule", Text: "always so"}}}
	for i, step := range []struct {
		all  []facts.StatementPart
		said int
	}{
		{nil, 0},
		{[]facts.StatementPart{part}, 1},
		{[]facts.StatementPart{{Name: "a", Version: "1", Path: "x", Unchanged: true}}, 1},
		{[]facts.StatementPart{{Name: "a", Version: "2", Path: "y", Unchanged: true}, {Name: "b", Version: "", Unchanged: true}}, 1},
		{nil, 0},
	} {
		b.Learn(step.all)
		said := 0
		for _, p := range b.parts {
			said += len(p.Statements)
		}
		if said != step.said || said > 0 && b.Version("a") != step.all[0].Version {
			t.Errorf("step %d: %v", i, b.parts)
		}
		fstest.Must(t, b.Save())
		again := Open(dir, dir)
		again.Version("")
		fstest.Equal(t, fmt.Sprint(again.parts), fmt.Sprint(b.parts), "after a restart", i, again.parts, b.parts)
		b = again
	}
}
