//go:build !linux

package control

import (
	"context"
	"net"
)

// Other systems have no /proc: nothing is known of a process that does not
// answer but its number, from its record.

func look(int) sample { return sample{} }

func peer(net.Conn) int { return 0 }

func (h Home) Holder() int { return h.record().Pid }

// HomeOf is the home of a process, the zero value if that cannot be seen.
func HomeOf(int) Home { return Home{} }

// There was no version before this one on other systems.

func (h Home) connectOlder(context.Context) (net.Conn, int, error) { return nil, 0, ErrNotRunning }

// OlderFolders returns the folders in which versions before this one keep their
// sockets.
func (h Home) OlderFolders() []string { return nil }

// unseen finds nothing: only Linux tells who serves a mount.
func (h Home) unseen() error { return nil }

// ConnectionHolder is not known: only Linux tells who serves a mount.
func ConnectionHolder(string) int { return 0 }

// takesFiles reports whether tools can be called here by files in the mount.
func (h Home) takesFiles() bool { return false }
