// Package setup makes other programs use ctxfs, and undoes that: what each needs is in
// package agents, how files are changed and restored in package journal of
// providers/internal.
//
// A [Plan] says which files would be changed, and how; [Home.Do] changes one of them. Nothing
// is written before.
package setup

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/textdiff"
	"ctxfs/providers/setup/agents"
	"ctxfs/providers/setup/edit"
	"ctxfs/providers/setup/journal"
)

// Home is a user whose programs are set up.
type Home struct {
	agents.Machine
	// Journal is the file that says what was changed.
	Journal string
	// Targets are the programs that can be set up.
	Targets []agents.Agent
}

// Found is a program that can be set up.
type Found struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Where is where it was seen, "" if it is not installed.
	Where string `json:"where,omitempty"`
	// Set is whether it was set up, for the user or a project.
	Set bool `json:"set"`
}

// Find returns all programs that can be set up.
func (h Home) Find() ([]Found, error) {
	owners, err := h.journal().Owners()
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, t := range h.Targets {
		where, _ := t.Installed(h.Machine)
		set := slices.ContainsFunc(owners, func(o string) bool { return ownedBy(o, t.ID) })
		all = append(all, Found{t.ID, t.Title, where, set})
	}
	return all, nil
}

// Plan is what would be done.
type Plan struct {
	Files []File `json:"files"`
	// Notes are what remains to be done by hand, a sentence each.
	Notes []Note `json:"notes,omitempty"`
}

// Note is what a plan says of one program.
type Note struct {
	Target string `json:"target"`
	Text   string `json:"text"`
	// Failed is set if nothing works before that is done.
	Failed bool `json:"failed,omitempty"`
}

// File is what would be done to one file.
type File struct {
	Path string `json:"path"`
	// Link is the file that Path, or a folder of it, is a link to.
	Link string `json:"link,omitempty"`
	// Targets are the programs for which it is done, by id.
	Targets []string `json:"targets"`
	Why     []string `json:"why,omitempty"`
	// Does is "make", "change" or "remove"; "" where only the journal is written.
	Does string `json:"does,omitempty"`
	// Diff is the difference as diff -u has it, with secrets masked.
	Diff string `json:"diff,omitempty"`
	// Err is why it cannot be done.
	Err error `json:"-"`

	step journal.Step
}

// ErrChanged reports that the file was changed since it was planned. It is as it was left
// by them; plan again.
var ErrChanged = journal.ErrChanged

// owner returns the name in the journal of a program's changes for the user, or in a
// project.
func owner(id, project string) string {
	if project == "" {
		return id
	}
	return id + " in " + project
}

// ownedBy reports whether an owner is the program, for the user or in any project, or one
// of its kind: "shell:zsh" is of the kind "shell".
func ownedBy(owner, id string) bool {
	return owner == id || strings.HasPrefix(owner, id+" in ") || strings.HasPrefix(owner, id+":")
}

func (h Home) journal() *journal.Journal { return journal.At(h.Journal) }

// Plan plans what the programs need that have these ids.
func (h Home) Plan(ids []string, o agents.Options) (Plan, error) {
	var wishes []journal.Wish
	p := Plan{Files: []File{}}
	for _, t := range h.Targets {
		if !slices.Contains(ids, t.ID) {
			continue
		}
		changes, notes := t.Changes(h.Machine, o)
		wishes = append(wishes, journal.Wish{Owner: owner(t.ID, o.Project), Changes: changes})
		for _, n := range notes {
			p.Notes = append(p.Notes, Note{t.ID, n, len(changes) == 0})
		}
	}
	steps, err := h.journal().Plan(wishes...)
	return p.addSteps(h, steps), err
}

// PlanUndo plans how to undo what was done for these programs, in all projects or in the
// one of the options; without ids, all that was done for any, and by any other owner in
// the same journal.
func (h Home) PlanUndo(ids []string, o agents.Options) (Plan, error) {
	owners, err := h.journal().Owners()
	if err != nil {
		return Plan{}, err
	}
	owners = slices.DeleteFunc(owners, func(name string) bool {
		if o.Project != "" && !strings.HasSuffix(name, " in "+o.Project) {
			return true
		}
		return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return ownedBy(name, id) })
	})
	p := Plan{Files: []File{}}
	if len(owners) == 0 { // the journal would undo everything
		return p, nil
	}
	steps, err := h.journal().PlanUndo(owners...)
	return p.addSteps(h, steps), err
}

func (p Plan) addSteps(h Home, steps []journal.Step) Plan {
	for _, s := range steps {
		f := File{Path: s.Path, Why: s.Why, Err: s.Err, step: s}
		if s.Target != "" && s.Target != h.real(s.Path) {
			f.Link = s.Target
		}
		for _, o := range s.Owners {
			id, _, _ := strings.Cut(o, " in ")
			if !slices.Contains(f.Targets, id) {
				f.Targets = append(f.Targets, id)
			}
		}
		if s.Writes() {
			from, to := h.Tilde(s.Path), h.Tilde(s.Path)
			switch {
			case s.Before == nil:
				f.Does, from = "make", "/dev/null"
			case s.After == nil:
				f.Does, to = "remove", "/dev/null"
			default:
				f.Does = "change"
			}
			f.Diff = textdiff.Unified(from, to, mask.Text(string(s.Before)), mask.Text(string(s.After)))
		}
		p.Files = append(p.Files, f)
	}
	return p
}

// Tilde returns a path as people write it.
func (h Home) Tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, h.Home+"/"); ok {
		return "~/" + rest
	}
	return path
}

// real returns a path below the home folder without links that lead to that.
func (h Home) real(path string) string {
	if rest, ok := strings.CutPrefix(path, h.Home+"/"); ok {
		if home, err := filepath.EvalSymlinks(h.Home); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// Do does what a plan says of one file.
func (h Home) Do(ctx context.Context, f File) error {
	return h.journal().Do(ctx, f.step)
}

// Shell is the target that makes a shell record its terminals, by one line in the file that
// it reads when it starts; a mark in it identifies the line.
func Shell(shell, path, line, mark string) agents.Agent {
	return agents.Agent{
		ID: "shell", Title: "recorded terminals (" + shell + ")",
		Installed: func(agents.Machine) (string, bool) { return path, path != "" },
		Changes: func(_ agents.Machine, o agents.Options) ([]edit.Change, []string) {
			if o.Project != "" {
				return nil, []string{"a shell is set up for the user only, not for a project"}
			}
			return []edit.Change{{Path: path, Edits: []edit.Edit{edit.Line(line, mark)}, Why: "every new " + shell + " in a terminal is recorded", Mode: 0o600}}, nil
		},
	}
}

// Service is the target that mounts at login, by a unit of systemd with a text of the
// caller's; where is the program that manages units, or "".
func Service(path, text, where string) agents.Agent {
	return agents.Agent{
		ID: "service", Title: "mount at login",
		Installed: func(agents.Machine) (string, bool) { return where, where != "" },
		Changes: func(_ agents.Machine, o agents.Options) ([]edit.Change, []string) {
			switch {
			case o.Project != "":
				return nil, []string{"the service is set up for the user only, not for a project"}
			case where == "":
				return nil, []string{"there is no systemd here that could mount at login; put ctxfs mount into what your desktop or shell runs at login"}
			}
			return []edit.Change{{Path: path, Edits: []edit.Edit{edit.File([]byte(text))}, Why: "it mounts when you log in"}}, nil
		},
	}
}

// Only makes the plan fail with [ErrChanged] at files that were others when a plan was shown.
func (p Plan) Only(shown Plan) {
	for i := range p.Files {
		f := &p.Files[i]
		for _, s := range shown.Files {
			if s.Path == f.Path && !bytes.Equal(s.step.Before, f.step.Before) {
				f.step = s.step // the step as shown, which Do will refuse
			}
		}
	}
}

// Failed returns the errors of files that cannot be changed, and what else has failed.
func (p Plan) Failed() error {
	var all []error
	for _, f := range p.Files {
		if f.Err != nil {
			all = append(all, errors.New(f.Path+": "+f.Err.Error()))
		}
	}
	for _, n := range p.Notes {
		if n.Failed {
			all = append(all, errors.New(n.Text))
		}
	}
	return errors.Join(all...)
}

// ForgetLogins deletes all logins to servers, also from the system's keyring. Nothing of
// ctxfs may be running.
func ForgetLogins(state string, lookupEnv func(string) (string, bool)) error {
	return oauth.ForgetAll(filepath.Join(state, "mcp", "logins"), lookupEnv)
}
