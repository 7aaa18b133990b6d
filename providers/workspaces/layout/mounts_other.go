//go:build !linux

package layout

// mountsBelow returns nothing: on this system other file systems are noticed when they are
// opened.
func mountsBelow(string) map[string]bool { return nil }
