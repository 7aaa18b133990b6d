package fulltext

import (
	"errors"
	"os"
	"syscall"
)

// errInUse says that the lock of a database is held by another process.
var errInUse = errors.New("another process is using it")

// lock is a lock on the database's files. Every process that has the database open
// shares it; one that creates or removes the files holds it alone. Without it, a
// process would remove the files, or their journals, from under another: SQLite
// deletes journals by name.
//
// Where files cannot be locked, lock holds nothing and does not fail.
type lock struct{ file *os.File }

// lockStore takes the lock of the database at path, alone or shared, without
// waiting: its error is errInUse.
func lockStore(path string, alone bool) (lock, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return lock{}, nil
	}
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil {
			return lock{f}, nil
		}
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return lock{}, errInUse
		}
		return lock{}, nil
	}
}

// share lets other processes open the database from now on.
func (l lock) share() {
	if l.file != nil {
		_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_SH)
	}
}

// release gives the lock up.
func (l lock) release() {
	if l.file != nil {
		_ = l.file.Close()
	}
}
