//go:build !linux

package fusefs

import (
	"errors"
	"fmt"
	"runtime"
)

// Supported reports whether this system can mount. The protocol extensions that
// the mapping relies on, and the tests of it, are those of Linux.
const Supported = false

// maxRead is the size in bytes of the largest READ.
const maxRead = 128 << 10

var errLinuxOnly = fmt.Errorf("mounting works on Linux only, not on %s: %w", runtime.GOOS, errors.ErrUnsupported)

func attach(string) (int, error) { return -1, errLinuxOnly }

func unmount(string, bool) error { return errLinuxOnly }

// passage is what was seen of a thread that may be in the kernel: only Linux
// shows that.
type passage struct{}

func (p *passage) hasLeft(uint32) bool { return true }

func setNow(string) error { return errLinuxOnly }

func refusePoll(string) {}
