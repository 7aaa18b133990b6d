//go:build !linux

package gateway

import "net"

// checkPeer lets through who can reach the loopback address: this system does
// not tell a program whose a connection is.
func checkPeer(_, _ net.Addr) error { return nil }
