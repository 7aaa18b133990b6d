// Package sqlite reads databases that belong to other programs, while those
// run, and keeps databases of our own.
//
// A foreign database is read with [View] so that its owner never notices: no file
// is created beside it, nothing is written, and if the format allows, no lock is
// held that could make the owner fail. What View reads is one state of the
// database, never half a transaction.
//
//   - A database with a write-ahead log that is in use is read through that
//     log: readers of such a database block no writer.
//   - Any other is read without locks, and what was read counts only if neither
//     the file nor its journal has changed meanwhile; else it is read again.
//
// This is the only importer of the SQLite library, which works without cgo and
// has FTS5. Formats: sqlite.org/fileformat2.html and sqlite.org/wal.html.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
)

// The errors of a foreign database; View wraps one of these, or an error of
// package io/fs.
var (
	// ErrDamaged reports that the file is not a database, or has damaged pages.
	ErrDamaged = errors.New("not a SQLite database, or a damaged one")
	// ErrBusy reports that its owner kept writing for as long as View waited.
	ErrBusy = errors.New("the database is being written; it is read again when it changes")
	// ErrUnfinished reports that a writer is in, or has left behind, a transaction
	// that only a program with write access can roll back.
	ErrUnfinished = errors.New("an unfinished transaction lies beside the database; the program that it belongs to repairs it when it starts again")
	// ErrSchema reports that a table or a column is missing.
	ErrSchema = errors.New("of an unknown version")
)

// attempts is how often View retries a database that changes while it is read.
const attempts = 5

// pause is the time between attempts: an agent's transaction takes less.
const pause = 20 * time.Millisecond

// View calls read with one state of a foreign database. It may call it several
// times, each time from the beginning, and only the last call counts: read must
// reset its results each time, and nothing may use them before View has returned
// nil. If the database did not change meanwhile, the error of read is returned as
// it is, with the path.
func View(ctx context.Context, path string, read func(*Snapshot) error) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		err := attempt(ctx, path, read)
		if !errors.Is(err, errMoved) && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrUnfinished) || n == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// errMoved reports that the file has changed while it was read without locks.
var errMoved = fmt.Errorf("it changed while it was read: %w", ErrBusy)

func attempt(ctx context.Context, path string, read func(*Snapshot) error) error {
	before, err := statFiles(path)
	if err != nil {
		return err
	}
	how, locked, err := before.how()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	err = transaction(ctx, path, how, read)
	if !locked {
		// Without locks the data may be inconsistent, so an error counts only if
		// the files are still the same.
		after, lookErr := statFiles(path)
		if lookErr != nil {
			return lookErr
		}
		if !before.unchangedSince(after) {
			return fmt.Errorf("%s: %w", path, errMoved)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, translate(err))
	}
	return nil
}

// transaction calls read in one transaction of one connection.
func transaction(ctx context.Context, path string, how url.Values, read func(*Snapshot) error) error {
	// What the file itself defines (views, triggers, functions in its schema)
	// is not trusted, and nothing can be written.
	how.Add("_pragma", "busy_timeout(3000)")
	how.Add("_pragma", "query_only(1)")
	how.Add("_pragma", "trusted_schema(0)")
	how.Add("_pragma", "cell_size_check(1)")
	db, err := open(path, how)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return read(&Snapshot{ctx: ctx, tx: tx})
}

// open opens the database with one connection.
func open(path string, how url.Values) (*sql.DB, error) {
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: how.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// The primary result codes of SQLite that have an error of ours.
const (
	codeBusy     = 5
	codeLocked   = 6
	codeCorrupt  = 11
	codeCantOpen = 14
	codeNotADB   = 26
)

// translate wraps an error of the library in one of ours.
func translate(err error) error {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return err
	}
	switch fault.Code() & 0xff {
	case codeBusy, codeLocked:
		return fmt.Errorf("%w (%v)", ErrBusy, err)
	case codeCorrupt, codeNotADB:
		return fmt.Errorf("%w (%v)", ErrDamaged, err)
	case codeCantOpen:
		return fmt.Errorf("the database cannot be opened: %w", err)
	}
	return err
}

// Own opens a database of ctxfs's own for reading and writing, and creates it if
// necessary, for its owner alone (0600, as are the files that SQLite keeps beside
// it). The folder must exist. It has a write-ahead log; what was committed may be
// lost when the machine loses power, never when the program dies.
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

// Damaged reports whether an error from one of ctxfs's own databases means that its
// file is not a database, or has damaged pages.
func Damaged(err error) bool { return errors.Is(translate(err), ErrDamaged) }
