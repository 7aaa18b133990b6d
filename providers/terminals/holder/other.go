//go:build !linux

package holder

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	getAttributes = unix.TIOCGETA
	setAttributes = unix.TIOCSETA
)

func selfPath(*os.File) string { return "" }

// sameOpenFile reports whether two of our descriptors are one open file.
func sameOpenFile(first, second int) bool { return sharesOffset(first, second) }
