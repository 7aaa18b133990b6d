package setup

import (
	"os"
	"slices"
	"strings"

	"ctxfs/providers/setup/agents"
)

// Stale is a program that was set up, and whose files are no longer as setup would write
// them: they were edited, or another version of ctxfs wants something else.
type Stale struct {
	Target, Title string
	// Project is the folder of the project for which it was set up, "" for the user.
	Project string
	// Files are what setting it up again would change.
	Files []File
}

// Stale checks all programs that were set up, and returns how many there are.
func (h Home) Stale() (all []Stale, set int, err error) {
	owners, err := h.journal().Owners()
	if err != nil {
		return nil, 0, err
	}
	for _, o := range owners {
		id, project, _ := strings.Cut(o, " in ")
		i := slices.IndexFunc(h.Targets, func(t agents.Agent) bool { return t.ID == id })
		if i < 0 {
			continue // it is checked by those who know more of it
		}
		if info, err := os.Stat(project); project != "" && (err != nil || !info.IsDir()) {
			continue // with what was written there
		}
		set++
		p, err := h.Plan([]string{id}, agents.Options{Project: project})
		if err != nil {
			return nil, 0, err
		}
		p.Files = slices.DeleteFunc(p.Files, func(f File) bool { return f.Err == nil && f.Does == "" })
		if len(p.Files) > 0 {
			all = append(all, Stale{id, h.Targets[i].Title, project, p.Files})
		}
	}
	return all, set, nil
}
