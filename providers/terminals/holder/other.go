//go:build !linux

package holder

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getAttributes = unix.TIOCGETA
	setAttributes = unix.TIOCSETA
)

func selfPath(*os.File) string { return "" }

// sameOpenFile reports whether two of our descriptors are one open file.
func sameOpenFile(first, second int) bool { return sharesOffset(first, second) }

// orphans are the descendants of this process whose parent has exited. This system
// does not make them its children: how the program ends without its holder is
// unknown.
type orphans struct{}

func takeOrphans() *orphans { return new(orphans) }

func (o *orphans) ended(int) <-chan syscall.WaitStatus { return nil }

func (o *orphans) stop() {}
