//go:build !linux

package terminals

// holders would notice that processes end; here that is seen at the next look.
type holders struct{}

func newHolders(func(id string)) *holders { return &holders{} }

func (*holders) watch(string, int) bool { return true }
func (*holders) close()                 {}
