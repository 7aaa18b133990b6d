package workspaces

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/notes"
)

// HereQuery asks for the workspace of a program.
type HereQuery struct {
	At fs.Standpoint
}

// Place is a workspace as commands see it.
type Place struct {
	Name string `json:"name"`
	// Dir is its folder on disk, Path that in the tree.
	Dir  string `json:"dir"`
	Path string `json:"path"`
	// Page is HERE.md.
	Page string `json:"page"`
}

// NoteQuery leaves a note in the workspace of a program, or takes one.
type NoteQuery struct {
	At             fs.Standpoint
	Agent, Session string // of the author, as far as it is known
	// Text is what to leave; Take is the name of the note to take. With neither the
	// notes are listed.
	Text, Take string
}

// Notes are notes of a workspace.
type Notes struct {
	Workspace string `json:"workspace"`
	Notes     []Left `json:"notes"`
}

// Left is a note.
type Left struct {
	Name   string `json:"name"`
	Author string `json:"author"`
	Time   string `json:"time"`
	Text   string `json:"text"`
}

// The operations.
var (
	OpHere = fs.Op[HereQuery, Place]{Name: "here", Effect: fs.Reads}
	OpNote = fs.Op[NoteQuery, Notes]{Name: "note", Effect: fs.Depends}
)

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{OpHere.Handle(p.here), OpNote.Handle(p.note)}
}

// here makes the pages of the workspace in which a program stands; another folder
// becomes one.
func (p *Provider) here(ctx context.Context, q HereQuery) (Place, error) {
	w, err := p.standing(q.At)
	if err != nil {
		return Place{}, err
	}
	p.lookAtProcesses(processesFresh)
	w.survey(ctx)
	w.showing.Lock()
	defer w.showing.Unlock()
	is := w.workspace()
	return Place{Name: is.Name, Dir: is.Dir, Path: is.Name, Page: w.shown[hereName]}, ctx.Err()
}

// standing returns the place of a program, which it makes if need be.
func (p *Provider) standing(at fs.Standpoint) (*place, error) {
	if at.Dir == "" || !filepath.IsAbs(at.Dir) {
		return nil, fmt.Errorf("where you stand is not known: %s", cmp.Or(at.Unknown, "no folder is named"))
	}
	root := p.opts.Known.Root(at)
	if root == "" && p.opts.Hides(at.Dir) {
		return nil, &viewError{wording.Tilde(at.Dir, p.opts.Home)}
	}
	if root == "" {
		return nil, fmt.Errorf("%s cannot be a workspace: it is the home folder, above it, or writable by every user", at.Dir)
	}
	if w := p.placeOf(root); w != nil && w.workspace().Dir == root {
		return w, nil
	}
	p.ask(root)
	p.opts.Known.Update()
	if p.meet() {
		p.publish()
		p.opts.Env.Changed("")
		p.poke()
	}
	if w := p.placeOf(root); w != nil && w.workspace().Dir == root {
		return w, nil
	}
	return nil, fmt.Errorf("%s cannot be looked at now", root)
}

// viewError is the error for a folder in a view of ours, which shows the tree and is in no
// project.
type viewError struct{ dir string }

func (e *viewError) Error() string {
	return clean.Line(e.dir) + " is in the tree of ctxfs itself, not in a project"
}

// Fix says what to do.
func (e *viewError) Fix() string { return "cd to a project, or name its folder: ctxfs here DIR" }

// note leaves, takes or lists notes.
func (p *Provider) note(ctx context.Context, q NoteQuery) (Notes, error) {
	if by := fs.ConfinedIn(ctx); by != nil && (q.Text != "" || q.Take != "") {
		return Notes{}, by
	}
	w, err := p.standing(q.At)
	if err != nil {
		return Notes{}, err
	}
	w.box.Reload()
	answer := Notes{Workspace: w.workspace().Name, Notes: []Left{}}
	switch {
	case q.Text != "":
		n, err := w.box.Leave(notes.Author{Agent: q.Agent, Session: q.Session, Dir: q.At.Dir}, q.Text)
		if err != nil {
			return Notes{}, err
		}
		answer.Notes = append(answer.Notes, left(n))
	case q.Take != "":
		n, err := w.box.Take(q.Take)
		if err != nil {
			return Notes{}, err
		}
		answer.Notes = append(answer.Notes, left(n))
	default:
		for _, n := range w.box.All() {
			answer.Notes = append(answer.Notes, left(n))
		}
	}
	return answer, nil
}

func left(n notes.Note) Left {
	return Left{Name: n.Name, Author: n.Author.String(), Time: n.Time.Format("2006-01-02T15:04:05Z"), Text: n.Text}
}
