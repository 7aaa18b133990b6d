//go:build !linux

package control

// unseen finds nothing: only Linux tells who serves a mount.
func (h Home) unseen() error { return nil }

// ConnectionHolder is not known: only Linux tells who serves a mount.
func ConnectionHolder(string) int { return 0 }

// takesFiles reports whether tools can be called here by files in the mount.
func (h Home) takesFiles() bool { return false }
