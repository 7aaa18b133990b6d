package fstest

import (
	"os"
	"syscall"
)

// WriteProgram writes a file that is to be executed, as [os.WriteFile] does. Nothing is
// started meanwhile: a process that is, here or in a parallel test, would have the file open
// for writing until it becomes another program, and who executes it then is told that it is
// busy (ETXTBSY).
func WriteProgram(path string, text []byte, perm os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, perm)
}
