//go:build !linux

package sockets

import "net/netip"

// Listeners finds out where processes listen. This system does not tell.
type Listeners struct{}

// Of returns nothing.
func (*Listeners) Of(int) []string { return nil }

// Connected returns nothing: this system does not tell.
func Connected(_, _ netip.AddrPort) []int { return nil }

// ListensAt returns "": this system does not tell.
func ListensAt(int) string { return "" }
