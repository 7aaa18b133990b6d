package fulltext

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"

	"ctxfs/providers/internal/sqlite"
)

// format is the number of what the database holds. One with another number is
// made anew.
const format = 2

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
	writer, reads *sql.DB
}

// openStore opens the database. What cannot be used is made anew; where make is
// false and there is none, the error is fs.ErrNotExist.
func openStore(path string, make bool) (*store, error) {
	_, err := os.Stat(path)
	if err != nil && (!make || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	s, err := tryStore(path)
	if err != nil && make {
		if err := removeStore(path); err != nil {
			return nil, err
		}
		s, err = tryStore(path)
	}
	return s, err
}

// removeStore throws the database away.
func removeStore(path string) error {
	for _, end := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func tryStore(path string) (*store, error) {
	s := &store{path: path}
	var err error
	if s.writer, err = sqlite.Own(path); err != nil {
		return nil, err
	}
	if err = s.prepare(); err == nil {
		s.reads, err = sqlite.Own(path)
	}
	if err != nil {
		_ = s.writer.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *store) prepare() error {
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
	case tables > 0:
		return errors.New("an index of another version")
	}
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", format)); err != nil {
		return err
	}
	return tx.Commit()
}

// settle writes the log back into the database.
func (s *store) settle(ctx context.Context) error {
	_, err := s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (s *store) close() error {
	return errors.Join(s.reads.Close(), s.writer.Close())
}

// indexed is how far a text is in the index.
type indexed struct {
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

func readSessions(ctx context.Context, q querier) (map[string]indexed, error) {
	rows, err := q.QueryContext(ctx, "SELECT name, id, generation, size FROM sessions")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := make(map[string]indexed)
	for rows.Next() {
		var name string
		var one indexed
		if err := rows.Scan(&name, &one.id, &one.generation, &one.size); err != nil {
			return nil, err
		}
		all[name] = one
	}
	return all, rows.Err()
}

// segment is what is held in memory of one.
type segment struct {
	id, text       int64
	firstRow, rows int64
	names          []string // the first term of each row
	*table
}

// readSegments reads the segments, but for those that are known already.
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

// find returns the entry of a term; count is 0 where there is none.
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
