//go:build !linux

package holder

import "syscall"

// orphans are the processes below ours whose parent has ended. They cannot be
// had here: how the program ends without its holder is not known.
type orphans struct{}

func takeOrphans() *orphans { return new(orphans) }

func (o *orphans) ended(int) <-chan syscall.WaitStatus { return nil }

func (o *orphans) stop() {}
