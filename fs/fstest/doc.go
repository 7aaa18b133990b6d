// Package fstest is what every provider and every way of showing a tree must
// pass, so that a provider's own test is short:
//
//	func TestConforms(t *testing.T) {
//		p := newProvider(t)
//		fstest.Check(t, fs.NewTree(p.Root(), fs.TreeOptions{}), fstest.Expect("INDEX.md"))
//	}
//
// It also has nodes that misbehave, for testing what stands between a node
// and its readers.
package fstest
