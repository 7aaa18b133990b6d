package sqlite

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
)

// Own opens a database of ours for reading and writing, and makes it where there
// is none, for its owner alone (0600, and so are the files that SQLite keeps beside
// it). The folder must exist. It has a write-ahead log; what was committed
// may be lost when the machine loses power, never when the program dies.
func Own(path string) (*sql.DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return open(path, url.Values{"mode": {"rwc"}, "_pragma": {
		"busy_timeout(3000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)",
	}})
}

// Damaged tells whether an error of a database of ours says that its file is no
// database, or has damaged pages.
func Damaged(err error) bool { return errors.Is(translate(err), ErrDamaged) }
