// Package database reads the SQLite databases of agents, whatever version wrote
// them: a reader asks for the tables and columns that it knows, and what is missing
// is noted and returned as a [history.Partial] error beside what could be read.
//
// [Read] runs a function on one consistent [Snapshot] of a database.
package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// IgnorePartial returns err unless it is a [history.Partial]. Listing a store
// already reports that it is partial; reading one of its sessions need not.
func IgnorePartial(err error) error {
	var partial *history.Partial
	if errors.As(err, &partial) {
		return nil
	}
	return err
}

// Snapshot is one consistent state of an agent's database. The version of the
// schema may be any: a reader asks for the tables and columns that it knows, and
// what is missing is noted in Lacks.
type Snapshot struct {
	*sqlite.Snapshot
	// Lacks names what is missing, or is there by another name.
	Lacks        []string
	tableMissing bool // a table without which nothing can be read is missing
}

// Table finds a table by the columns keys, without which it is useless: the table
// called name or, in later versions, one whose name begins with it. The result does
// not Exist if the database has no such table. Each of wants is a column or several
// alternative names ("content_json|content"); a table without any of them is noted
// as lacking it.
func (h *Snapshot) Table(name string, keys []string, wants ...string) (sqlite.Table, error) {
	t, err := h.Columns(name)
	if err != nil {
		return t, err
	}
	missing := MissingColumn(t, keys)
	if missing != "" {
		fault := fmt.Sprintf("no table %q", name)
		if t.Exists() {
			fault = fmt.Sprintf("table %q has no column %q", name, missing)
		}
		other, err := h.like(name, keys, wants)
		if err != nil {
			return t, err
		}
		if t = other; t.Exists() {
			fault += fmt.Sprintf(" (there is %s)", t.From())
		} else {
			h.tableMissing = true
		}
		h.Lacks = append(h.Lacks, fault)
	}
	if t.Exists() {
		for _, names := range wants {
			if t.Any(strings.Split(names, "|")...) == "NULL" {
				h.Lacks = append(h.Lacks, fmt.Sprintf("table %s has no column %q", t.From(), names))
			}
		}
	}
	return t, nil
}

// like returns the table with a name like name that has the keys, and the largest
// number of the wanted columns.
func (h *Snapshot) like(name string, keys, wants []string) (best sqlite.Table, err error) {
	names, err := h.Tables()
	if err != nil {
		return best, err
	}
	most := -1
	for _, other := range names {
		if other == name || !strings.HasPrefix(strings.ToLower(other), strings.TrimSuffix(strings.ToLower(name), "s")) {
			continue
		}
		t, err := h.Columns(other)
		if err != nil {
			return best, err
		}
		n := len(wants)
		for _, names := range wants {
			if t.Any(strings.Split(names, "|")...) == "NULL" {
				n--
			}
		}
		if MissingColumn(t, keys) == "" && n > most {
			best, most = t, n
		}
	}
	return best, nil
}

// MissingColumn returns the first of the columns that a table does not have, ""
// if it has all.
func MissingColumn(t sqlite.Table, columns []string) string {
	if i := slices.IndexFunc(columns, func(c string) bool { return !t.Has(c) }); i >= 0 {
		return columns[i]
	}
	return ""
}

// Orphans adds the sessions that only have messages.
func (h *Snapshot) Orphans(agent string, messages sqlite.Table, stamps map[string]string, add func(history.Entry)) error {
	return h.Each("SELECT DISTINCT session_id FROM "+messages.From()+" ORDER BY 1", func(r sqlite.Row) error {
		if id := r.Text(0); id != "" {
			add(history.Entry{Key: id, Stamp: stamps[id], Session: event.Session{Agent: agent, ID: id}})
		}
		return nil
	})
}

// Read returns the rows that read adds from one state of an agent's database. No
// row is used before that state was read whole ([sqlite.View]): read may be
// called again from the beginning when the database changes. It returns an error
//
//  1. where the database cannot be read: without rows;
//  2. that wraps [sqlite.ErrSchema] where a table is missing without which nothing can
//     be read: without rows;
//  3. of type [history.Partial] where tables or columns are missing: with rows.
func Read[T any](ctx context.Context, path string, read func(h *Snapshot, add func(T)) error) ([]T, error) {
	var rows []T
	var h *Snapshot
	err := sqlite.View(ctx, path, func(s *sqlite.Snapshot) error {
		rows, h = nil, &Snapshot{Snapshot: s}
		return read(h, func(row T) { rows = append(rows, row) })
	})
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0 && h.tableMissing:
		return nil, fmt.Errorf("%s: %w", strings.Join(h.Lacks, ", "), sqlite.ErrSchema)
	case len(h.Lacks) > 0:
		return rows, &history.Partial{Lacks: h.Lacks}
	}
	return rows, nil
}
