package agents

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	known "ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/setup/edit"
)

// plan collects what one agent needs, on a machine.
type plan struct {
	Machine
	Options
	agent   known.Agent
	strict  bool // it reads no JSON with comments
	changes []edit.Change
	notes   []string
}

// change adds edits of a file. All of one file are one change.
func (p *plan) change(file, why string, edits ...edit.Edit) {
	if file == "" || len(edits) == 0 {
		return
	}
	for i := range edits {
		edits[i].Strict = p.strict
	}
	i := slices.IndexFunc(p.changes, func(c edit.Change) bool { return c.Path == file })
	if i < 0 {
		p.changes = append(p.changes, edit.Change{Path: file, Why: why, Edits: edits})
		return
	}
	p.changes[i].Edits = append(p.changes[i].Edits, edits...)
	if !strings.Contains(p.changes[i].Why, why) {
		p.changes[i].Why += ", " + why
	}
}

// note adds a sentence about what is left to do by hand, once.
func (p *plan) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// in returns the paths of places: those of the project, or those of the user.
func (p *plan) in(places known.Places) (files []string) {
	if p.Project == "" {
		return p.known().Paths(places.User...)
	}
	for _, name := range places.Project {
		files = append(files, filepath.Join(p.Project, filepath.FromSlash(name)))
	}
	return files
}

// file returns the one of these places that is written to: the first that is there, else
// the one that is named AGENTS.md, else the last; or "".
func (p *plan) file(places known.Places) string {
	files := p.in(places)
	if len(files) == 0 {
		return ""
	}
	if i := slices.IndexFunc(files, exists); i >= 0 {
		return files[i]
	}
	if i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == "AGENTS.md" }); i >= 0 {
		return files[i]
	}
	return files[len(files)-1]
}

// exists reports whether a file is there, and no folder of that name.
func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && !info.IsDir()
}

// short returns a path as people write it, with "~" for the home folder.
func (p *plan) short(file string) string {
	if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(p.Home, "/")+"/"); ok {
		return path.Join("~", rest)
	}
	return file
}

// mount returns how the mount is written in instructions and rules that know "~": in a
// project's the usual place.
func (p *plan) mount() string {
	if p.Project != "" {
		return usualMount
	}
	return p.short(p.Mount)
}

// usualMount is where the tree is shown by default.
const usualMount = "~/.agentctx"

// maxSize bounds the size of a file that is read, in bytes.
const maxSize = 16 << 20

// settings returns what is in a file of JSON; nothing if it is not there or cannot be
// parsed, which the edit of it will say.
func settings(file string) syntax.Value {
	v, _ := jsonc.Parse(content(file))
	return v
}

// content returns what is in a file; nothing if it is no file, or cannot be read.
func content(file string) []byte {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil
	}
	text, _ := os.ReadFile(file)
	return text
}

// texts returns the strings in an array, and the string itself where it is only one.
func texts(v syntax.Value, at ...string) (all []string) {
	v, ok := v.At(at...)
	if ok && v.Kind == syntax.Text {
		return []string{v.Text}
	}
	for _, item := range v.Items {
		if item.Kind == syntax.Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// is reports whether the value at a path is written as text.
func is(v syntax.Value, text string, at ...string) bool {
	v, ok := v.At(at...)
	return ok && v.Text == text
}
