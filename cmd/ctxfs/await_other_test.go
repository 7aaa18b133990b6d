//go:build !linux

package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"ctxfs/providers/terminals/record"
)

// getAttributes asks a terminal for its attributes.
const getAttributes = unix.TIOCGETA

// Elsewhere these tests do not run: they look into /proc.

func awaitFiles(t testing.TB, _, _ string, _ func() bool) { t.Skip("this needs Linux") }
func awaitMounts(t testing.TB, _ string, _ func() bool)   { t.Skip("this needs Linux") }
func awaitExit(t testing.TB, _ ...int)                    { t.Skip("this needs Linux") }
func (b *box) gone(...func(process) bool)                 { b.Skip("this needs Linux") }

func (b *box) recorded(_, _ string, _ func(*record.Terminal) bool) { b.Skip("this needs Linux") }
