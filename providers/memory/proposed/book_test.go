package proposed

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/memory/fact"
)

type part = facts.Part[facts.Statement]

// learn learns from all parts.
func (b *Book) learn(all []part) {
	b.Refresh(context.Background(), func(context.Context, func(string) string) iter.Seq[part] { return slices.Values(all) })
}

// TestSettledAfterAKill: what a killed writer has left half hides nothing that is settled
// later.
func TestSettledAfterAKill(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	b.learn([]part{{Name: "a", Version: "1", Facts: []facts.Statement{{Kind: "rule", Text: "always so"}}}})
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
	said := func(session, dir, text string) part {
		return part{
			Name: session, Version: "1", Agent: "pi", Session: session, Path: "x/" + session, Dir: dir,
			Facts: []facts.Statement{{Kind: "rule", Text: text, Time: time.Unix(int64(len(session)), 0)}},
		}
	}
	proposals := func() string {
		var all []string
		for _, p := range b.Proposals(func(dir string) string { return dir }, func(string, string) bool { return false }) {
			all = append(all, fmt.Sprintf("%s in %s, %d", p.Name, p.Scope, p.Sessions))
		}
		return strings.Join(all, "; ")
	}
	b.learn([]part{said("a", "/shop", "Nodes cache this"), said("bb", "/shop", "nodes cache this.")})
	fstest.Equal(t, proposals(), "nodes-cache-this in /shop, 2", "one project")
	b.learn([]part{said("a", "/shop", "Nodes cache this"), said("bb", "/shop", "nodes cache this."), said("ccc", "/lab", "Nodes cache this")})
	fstest.Equal(t, proposals(), "nodes-cache-this in user, 3", "two projects")
	fstest.Must(t, b.Settle("/shop", "nodes CACHE this"))
	fstest.Equal(t, proposals(), "nodes-cache-this in /lab, 1", "dismissed in one")
	fstest.Must(t, b.Settle(fact.User, "nodes CACHE this"))
	fstest.Equal(t, proposals(), "", "dismissed for all")
}
