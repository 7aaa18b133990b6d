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

// IgnorePartial is an error that says more than that a store is of another
// version. Listing a store has told that.
func IgnorePartial(err error) error {
	var partial *history.Partial
	if errors.As(err, &partial) {
		return nil
	}
	return err
}

// Snapshot is a state of a foreign database. Its version may be any: a reader asks
// for the tables and columns that it knows, and what is not there is noted.
type Snapshot struct {
	*sqlite.Snapshot
	Lacks []string
	empty bool // a table that nothing can be read without is not there
}

// Table is a table that is found by the columns that it is of no use without: of
// that name, or else of one that begins like it, as later versions have. There
// may be none. Of the columns that are wanted each is one or several names, of
// which one has to be there ("content_json|content").
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
			h.empty = true
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

// like is the table with a name like that which has the keys, and most of the
// columns that are wanted.
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

// MissingColumn is the first of some columns that a table does not have.
func MissingColumn(t sqlite.Table, columns []string) string {
	if i := slices.IndexFunc(columns, func(c string) bool { return !t.Has(c) }); i >= 0 {
		return columns[i]
	}
	return ""
}

// Orphans are sessions of which nothing is known but messages.
func (h *Snapshot) Orphans(agent string, messages sqlite.Table, stamps map[string]string, add func(history.Entry)) error {
	return h.Each("SELECT DISTINCT session_id FROM "+messages.From()+" ORDER BY 1", func(r sqlite.Row) error {
		if id := r.Text(0); id != "" {
			add(history.Entry{Key: id, Stamp: stamps[id], Session: event.Session{Agent: agent, ID: id}})
		}
		return nil
	})
}

// Read reads the rows of one state of a foreign database. Nothing is handed
// on before that state was read whole: see [sqlite.View]. With a [Partial] there
// are rows all the same.
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
	case len(rows) == 0 && h.empty:
		return nil, fmt.Errorf("%s: %w", strings.Join(h.Lacks, ", "), sqlite.ErrSchema)
	case len(h.Lacks) > 0:
		return rows, &history.Partial{Lacks: h.Lacks}
	}
	return rows, nil
}
