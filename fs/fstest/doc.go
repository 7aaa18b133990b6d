// Package fstest tests what must hold for every provider and every way of showing a
// tree, so that a provider's own test is short:
//
//	func TestConforms(t *testing.T) {
//		p := newProvider(t)
//		fstest.Check(t, fs.NewTree(p.Root(), fs.TreeOptions{}), fstest.Expect("INDEX.md"))
//	}
//
// The order of its parts: check.go ([Check]), file.go and concurrent.go (what it checks of
// files, and by many readers), nodes.go (nodes that misbehave or count, for testing what is
// between a node and its readers), text.go (reading a tree by path, and what a text says),
// busy.go (waiting on a busy machine), program.go (files that are executed), port.go (a
// port for a program that is told one), node.go (programs of npm), must.go and equal.go
// (checks in a line), optin.go (opt-in sets of tests), pipe.go and network.go (pipes and a
// network in memory, for bubbles of testing/synctest).
package fstest
