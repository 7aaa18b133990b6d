//go:build !linux

package mounts

import (
	"errors"

	"ctxfs/mounts/control"
)

// free fails: only Linux can abort a connection.
func (p Point) free() error { return errors.New("this system cannot end a mount that hangs") }

// Rescue does nothing: only on Linux can a thread keep a killed process.
func Rescue(control.Home) (freed bool, err error) { return false, nil }
