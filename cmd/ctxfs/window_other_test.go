//go:build !linux

package main

import "golang.org/x/sys/unix"

// getAttributes asks a terminal for its attributes.
const getAttributes = unix.TIOCGETA
