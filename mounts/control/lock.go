package control

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// ErrRunning says that this user's background process is there already.
var ErrRunning = errors.New("ctxfs is already running")

// lockTime is how long a new server waits for one that is ending.
const lockTime = 15 * time.Second

// Lock takes the lock of the user's one background process, which ends with the
// process or with the closing of the file; ErrRunning if a process that answers
// has it. One that is ending is waited for.
func Lock(runtime string) (*os.File, error) {
	deadline := time.Now().Add(lockTime)
	for {
		held, err := lock(lockPath(runtime), false)
		if !errors.Is(err, errLocked) {
			if err == nil {
				sign(held)
			}
			return held, err
		}
		if c, err := Dial(runtime); err == nil {
			c.Close()
			return nil, ErrRunning
		}
		if time.Now().After(deadline) {
			pid := LockHolder(runtime)
			return nil, &Fault{
				Message: fmt.Sprintf("process %s has the lock of ctxfs but does not answer", pid),
				Hint:    "end it: kill -9 " + pid,
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// sign writes the number of this process into the lock file, for the messages
// of others: that it cannot is no reason not to serve.
func sign(held *os.File) {
	if held.Truncate(0) == nil {
		_, _ = held.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
}

// errLocked says that another process holds a lock.
var errLocked = errors.New("locked by another process")

// lock takes an exclusive lock, which ends with the process or with the
// closing of the file. Without wait, a lock held elsewhere is errLocked.
func lock(path string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return f, nil
}
