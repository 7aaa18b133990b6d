package sqlite

import (
	"database/sql"
	"errors"
	"net/url"
)

// Own opens a database of ours for reading and writing, and makes it where there
// is none. The folder must exist. It has a write-ahead log; what was committed
// may be lost when the machine loses power, never when the program dies.
func Own(path string) (*sql.DB, error) {
	return open(path, url.Values{"mode": {"rwc"}, "_pragma": {
		"busy_timeout(3000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)",
	}})
}

// Damaged tells whether an error of a database of ours says that its file is no
// database, or has damaged pages.
func Damaged(err error) bool { return errors.Is(translate(err), ErrDamaged) }
