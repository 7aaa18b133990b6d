package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Snapshot is one state of a database.
type Snapshot struct {
	ctx context.Context
	tx  *sql.Tx
}

// Table is a table with the columns that it has in this version of the program.
type Table struct {
	name    string
	columns []string
}

// Tables returns the names of all tables, in the order of their creation.
func (s *Snapshot) Tables() (names []string, err error) {
	err = s.Each("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid", func(r Row) error {
		names = append(names, r.Text(0))
		return nil
	})
	return names, err
}

// Columns returns a table with its columns: none if there is no such table.
func (s *Snapshot) Columns(name string) (Table, error) {
	t := Table{name: name}
	err := s.Each("SELECT name FROM pragma_table_info(?)", func(r Row) error {
		t.columns = append(t.columns, r.Text(0))
		return nil
	}, name)
	return t, err
}

// Table returns a table that must exist and have the columns needs. Its error
// is an ErrSchema otherwise.
func (s *Snapshot) Table(name string, needs ...string) (Table, error) {
	t, err := s.Columns(name)
	if err != nil {
		return t, err
	}
	if !t.Exists() {
		return t, fmt.Errorf("no table %q: %w", name, ErrSchema)
	}
	for _, c := range needs {
		if !t.Has(c) {
			return t, fmt.Errorf("table %q has no column %q: %w", name, c, ErrSchema)
		}
	}
	return t, nil
}

// Exists reports whether the table exists.
func (t Table) Exists() bool { return len(t.columns) > 0 }

// From returns the table's name, quoted for a query.
func (t Table) From() string { return quote(t.name) }

// Any returns the first of some columns that the table has, for a query on the
// table alone, or NULL. The names are the caller's, never foreign.
func (t Table) Any(columns ...string) string {
	for _, c := range columns {
		if t.Has(c) {
			return t.Pick(c)
		}
	}
	return "NULL"
}

// Has reports whether the table has a column.
func (t Table) Has(column string) bool { return slices.Contains(t.columns, column) }

// Pick returns the list of columns for a query on the table alone, with NULL
// for each that this version does not have. The names are the caller's, never
// foreign.
func (t Table) Pick(columns ...string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = "NULL"
		if t.Has(c) {
			// As an expression a column has no declared type: otherwise the
			// library converts values that the program stored in another form
			// to times.
			list[i] = "+" + quote(t.name) + "." + quote(c)
		}
	}
	return strings.Join(list, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Each calls row with each row of a query. The row is valid only during the
// call.
func (s *Snapshot) Each(query string, row func(Row) error, args ...any) error {
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := row(Row{values}); err != nil {
			return err
		}
	}
	return rows.Err()
}
