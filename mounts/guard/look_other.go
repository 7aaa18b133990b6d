//go:build !linux

package guard

// Look cannot tell: only Linux keeps a killed process for what it waits for.
func Look(string) State { return Alive }
