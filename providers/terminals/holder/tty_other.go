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
