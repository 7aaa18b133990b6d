package files

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/checklist"
	"ctxfs/providers/internal/sqlite"
)

// databaseTime is how long a database is read at most.
const databaseTime = 5 * time.Second

// readDatabase reads the lists in a database: the table todos of Copilot's session.db, or
// the table todo of opencode.db, which has those of all sessions.
func readDatabase(base Found) []Found {
	ctx, cancel := context.WithTimeout(context.Background(), databaseTime)
	defer cancel()
	var lists map[string]*Found
	err := sqlite.View(ctx, base.Path, func(s *sqlite.Snapshot) error {
		lists = make(map[string]*Found)
		todos, err := s.Columns("todos")
		if err != nil {
			return err
		}
		bySession, order := "", "created_at"
		if !todos.Exists() {
			if todos, err = s.Columns("todo"); err != nil || !todos.Exists() {
				return err // without lists
			}
			bySession, order = "session_id", "position"
		}
		query := "SELECT " + todos.Pick("id", "title", "content", "description", "status", "updated_at", "time_updated", cmp.Or(bySession, "id")) +
			" FROM " + todos.From() + " ORDER BY " + todos.Any(order, "id") + ", rowid LIMIT 20000"
		return s.Each(query, func(r sqlite.Row) error {
			session := ""
			if bySession != "" {
				session = r.Text(7)
			}
			f := lists[session]
			if f == nil {
				one := base
				one.Plan = facts.Plan{Kind: facts.TaskList}
				if session != "" {
					one.Names = []string{session}
				}
				f = &one
				lists[session] = f
			}
			t := facts.Task{ID: r.Text(0), Text: cmp.Or(r.Text(1), r.Text(2), r.Text(3)), State: checklist.StateOf(r.Text(4))}
			if t.Time = r.Time(5); t.Time.IsZero() {
				t.Time = r.Time(6)
			}
			t.Time = cmp.Or(t.Time, base.ModTime).UTC()
			if t.Time.After(f.Plan.Time) {
				f.Plan.Time, f.ModTime = t.Time, t.Time
			}
			f.Plan.Tasks = appendTask(f.Plan.Tasks, t)
			return nil
		})
	})
	if err != nil {
		base.Err = err
		return []Found{base}
	}
	var all []Found
	for _, f := range lists {
		if len(f.Plan.Tasks) > 0 {
			f.Plan = settled(f.Plan)
			all = append(all, *f)
		}
	}
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.Names[len(a.Names)-1], b.Names[len(b.Names)-1]) })
	return all
}
