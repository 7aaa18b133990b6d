//go:build !linux

package gateway

import "net"

// checkPeer accepts every program that can reach the loopback address: this
// system does not report the owner of a connection.
func checkPeer(_, _ net.Addr) error { return nil }
