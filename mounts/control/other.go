//go:build !linux

package control

import "net"

// Other systems have no /proc: the process ID in its record is all that is known
// about an unresponsive process.

func sampleOf(int) sample { return sample{} }

func peer(net.Conn) int { return 0 }

// sharesMounts reports true: there are no sandboxes with mounts of their own here.
func sharesMounts(int) bool { return true }

func (h Home) Holder() int { return h.record().Pid }

// HomeOf returns the zero value: the home of a process cannot be seen here.
func HomeOf(int) Home { return Home{} }

// unreachable finds nothing: only Linux reports which process serves a mount.
func (h Home) unreachable() error { return nil }

// ConnectionHolder returns 0: only Linux reports which process serves a mount.
func ConnectionHolder(string) int { return 0 }

// takesFiles reports whether files in the mount can call tools here.
func (h Home) takesFiles() bool { return false }
