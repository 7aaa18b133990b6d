//go:build !linux

package fusefs

import (
	"errors"
	"fmt"
	"runtime"
)

// Supported reports whether this system can mount. The protocol's extensions
// that the mapping relies on, and the tests that hold it, are those of Linux.
const Supported = false

// maxRead is the size in bytes of the largest READ.
const maxRead = 128 << 10

var errLinuxOnly = fmt.Errorf("mounting works on Linux only, not on %s: %w", runtime.GOOS, errors.ErrUnsupported)

func attach(string) (int, error) { return -1, errLinuxOnly }

func unmount(string, bool) error { return errLinuxOnly }
