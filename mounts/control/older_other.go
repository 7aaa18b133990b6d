//go:build !linux

package control

import (
	"context"
	"net"
)

// There was no version before this one on other systems.

func (h Home) connectOlder(context.Context) (net.Conn, int, error) { return nil, 0, ErrNotRunning }

// OlderFolders returns the folders in which versions before this one keep their
// sockets.
func (h Home) OlderFolders() []string { return nil }
