package fulltext

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/sqlite"
)

// format is the version of the database's format. A database of another version is
// rebuilt.
const format = 3

const schema = `
CREATE TABLE state(one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL);
INSERT INTO state VALUES (1, 0);
CREATE TABLE sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, generation INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE segments(id INTEGER PRIMARY KEY AUTOINCREMENT, text INTEGER NOT NULL, first_row INTEGER NOT NULL, rows INTEGER NOT NULL, names BLOB NOT NULL, pieces BLOB NOT NULL);
CREATE TABLE rows(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`

// store is the database: one connection writes, another reads meanwhile.
type store struct {
	path          string
	lock          *filelock.Lock
	writer, reads *sql.DB
}

// errVersion reports that the database is empty, or one of another version of ctxfs.
var errVersion = errors.New("an index of another version")

// How long opening waits for another process that creates or removes the database,
// and the interval between attempts.
const (
	openWait = 3 * time.Second
	openPoll = 5 * time.Millisecond
)

// openStore opens the database. If make is set, one that is missing, damaged or of
// another version is created, unless another process has it open; else the error of
// a missing one is fs.ErrNotExist.
func openStore(path string, make bool) (*store, error) {
	tick := time.NewTicker(openPoll)
	defer tick.Stop()
	for deadline := time.Now().Add(openWait); ; <-tick.C {
		s, err := tryStore(path, false)
		if make && unusable(err) {
			s, err = tryStore(path, true)
		}
		if !errors.Is(err, filelock.ErrHeld) || time.Now().After(deadline) {
			return s, err
		}
	}
}

// unusable reports whether an error means that the database has to be created.
func unusable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err != nil && damaged(err)
}

// removeStore deletes the database with its journals, unless another process has it
// open.
func removeStore(path string) error {
	l, err := lockStore(path, true)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer l.Release()
	return removeFiles(path)
}

func removeFiles(path string) error {
	for _, end := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// tryStore opens the database without waiting for other processes. If alone is set,
// no other process may have it open, and a file that cannot be used is replaced.
func tryStore(path string, alone bool) (*store, error) {
	if _, err := os.Stat(path); err != nil && !alone {
		return nil, err
	}
	l, err := lockStore(path, alone)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s, err := connect(path, alone)
	if alone && unusable(err) {
		if err = removeFiles(path); err == nil {
			s, err = connect(path, alone)
		}
	}
	if err != nil {
		l.Release()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.lock = l
	l.Share()
	return s, nil
}

// lockStore takes the lock on the files of the database at path, without waiting:
// its error is filelock.ErrHeld. Every process that has the database open shares the
// lock; one that creates or removes the files holds it alone. Without it, a process
// would remove the files, or their journals, from under another: SQLite deletes
// journals by name.
//
// Where files cannot be locked, the lock is nil and there is no error.
func lockStore(path string, alone bool) (*filelock.Lock, error) {
	mode := filelock.Shared
	if alone {
		mode = filelock.Exclusive
	}
	l, err := filelock.Try(path+".lock", mode)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, err
	}
	return l, nil
}

// connect opens the database, and creates the tables of an empty one if create is
// set. The caller holds the lock.
func connect(path string, create bool) (*store, error) {
	s := &store{path: path}
	var err error
	if s.writer, err = sqlite.Own(path); err != nil {
		return nil, err
	}
	if err = s.prepare(create); err == nil {
		s.reads, err = sqlite.Own(path)
	}
	if err != nil {
		_ = s.writer.Close()
		return nil, err
	}
	return s, nil
}

// prepare creates the tables of an empty database if create is set.
func (s *store) prepare(create bool) error {
	tx, err := s.writer.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	version, tables := 0, 0
	if err := tx.QueryRow("SELECT user_version FROM pragma_user_version").Scan(&version); err != nil {
		return err
	}
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	switch {
	case version == format:
		return nil
	case tables > 0 || !create:
		return errVersion
	}
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", format)); err != nil {
		return err
	}
	return tx.Commit()
}

// checkpoint writes the write-ahead log back into the database. If most of that is
// unused, because texts are gone or segments were merged, it is made smaller first.
func (s *store) checkpoint(ctx context.Context) error {
	var pages, unused int
	err := s.writer.QueryRowContext(ctx, "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count").Scan(&pages, &unused)
	if err == nil && unused > minUnused && unused > pages/2 {
		_, _ = s.writer.ExecContext(ctx, "VACUUM") // it can wait
	}
	_, err = s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// minUnused is how many pages may be unused in any case.
const minUnused = 16

func (s *store) close() error {
	defer s.lock.Release()
	return errors.Join(s.reads.Close(), s.writer.Close())
}

// indexedText records how much of a text is in the index.
type indexedText struct {
	id         int64
	generation uint32
	size       int64
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func version(ctx context.Context, q querier) (v int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT version FROM state").Scan(&v)
	return v, err
}

func readSessions(ctx context.Context, q querier) (map[string]indexedText, error) {
	rows, err := q.QueryContext(ctx, "SELECT name, id, generation, size FROM sessions")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := make(map[string]indexedText)
	for rows.Next() {
		var name string
		var one indexedText
		if err := rows.Scan(&name, &one.id, &one.generation, &one.size); err != nil {
			return nil, err
		}
		all[name] = one
	}
	return all, rows.Err()
}

// segment is the part of a segment that is in memory.
type segment struct {
	id, text       int64
	firstRow, rows int64
	names          []string // the first term of each row
	*table
}

// readSegments returns the segments; those in known are not read again.
func readSegments(ctx context.Context, q querier, known map[int64]*segment) (map[int64]*segment, error) {
	rows, err := q.QueryContext(ctx, "SELECT id FROM segments")
	if err != nil {
		return nil, err
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			_ = rows.Close()
			return nil, err
		}
		ids = append(ids, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	all := make(map[int64]*segment, len(ids))
	for _, id := range ids {
		if all[id] = known[id]; all[id] != nil {
			continue
		}
		s := &segment{id: id}
		var names, pieces []byte
		err := q.QueryRowContext(ctx, "SELECT text, first_row, rows, names, pieces FROM segments WHERE id = ?", id).
			Scan(&s.text, &s.firstRow, &s.rows, &names, &pieces)
		if err != nil {
			return nil, err
		}
		if s.table, err = unmarshalTable(pieces); err != nil {
			return nil, err
		}
		if s.names, err = unmarshalNames(names); err != nil || len(s.names) != int(s.rows) {
			return nil, errDamaged
		}
		all[id] = s
	}
	return all, nil
}

func marshalNames(names []string) []byte {
	var out []byte
	for _, name := range names {
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
	}
	return out
}

func unmarshalNames(text []byte) (names []string, err error) {
	for len(text) > 0 {
		size, n := binary.Uvarint(text)
		if n <= 0 || size > uint64(len(text)-n) {
			return nil, errDamaged
		}
		names = append(names, string(text[n:n+int(size)]))
		text = text[n+int(size):]
	}
	return names, nil
}

// find returns the entry of a term; count is 0 if the term is absent.
func (s *segment) find(ctx context.Context, q querier, term string) (entry, error) {
	i := sort.Search(len(s.names), func(i int) bool { return s.names[i] > term }) - 1
	if i < 0 {
		return entry{}, nil
	}
	r := rowReader{}
	if err := q.QueryRowContext(ctx, "SELECT data FROM rows WHERE id = ?", s.firstRow+int64(i)).Scan(&r.data); err != nil {
		return entry{}, err
	}
	for {
		e, ok, err := r.next()
		if err != nil || !ok || string(e.term) > term {
			return entry{}, err
		}
		if string(e.term) == term {
			return e, nil
		}
	}
}

// withPrefix calls yield with the entries of the indexed terms that start with
// prefix.
func (s *segment) withPrefix(ctx context.Context, q querier, begin string, yield func(entry)) error {
	first := max(0, sort.SearchStrings(s.names, begin)-1)
	end := first + sort.Search(len(s.names)-first, func(i int) bool {
		name := s.names[first+i]
		return name > begin && !strings.HasPrefix(name, begin)
	})
	rows, err := q.QueryContext(ctx, "SELECT data FROM rows WHERE id >= ? AND id < ? ORDER BY id", s.firstRow+int64(first), s.firstRow+int64(end))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var data sql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return err
		}
		for r := (rowReader{data: data}); ; {
			e, ok, err := r.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if bytes.HasPrefix(e.term, []byte(begin)) {
				yield(e)
			}
		}
	}
	return rows.Err()
}

// prefixEntry returns one entry for all terms that start with prefix.
func (s *segment) prefixEntry(ctx context.Context, q querier, begin string) (entry, error) {
	often := make(map[uint32]uint32) // by piece
	var damage error
	err := s.withPrefix(ctx, q, begin, func(e entry) {
		if err := eachPosting(e.text, s.docs, func(doc, n uint32) { often[doc] += n }); err != nil {
			damage = err
		}
	})
	if err == nil {
		err = damage
	}
	var all postings
	for _, doc := range slices.Sorted(maps.Keys(often)) {
		all.add(doc, often[doc])
	}
	return entry{term: []byte(begin), count: all.count, text: all.text}, err
}
