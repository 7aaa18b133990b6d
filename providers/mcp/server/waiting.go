package server

import (
	"encoding/json"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/rawjson"
)

// The folders of what waits for an answer. They are there while they have files.
const (
	QuestionsName = "questions"
	tasksName     = "tasks"
)

// waiting is a folder with a JSON file for each of some things, by their IDs.
type waiting struct {
	name    string
	version int64 // of what is shown; 0 is nothing yet
	folder  *fs.Folder
	bodies  map[string][]byte // of the files, by ID
}

// waitingFile is one of the files: its time is that of its last change.
type waitingFile struct {
	changed time.Time
	value   any
}

// publish shows files, and returns the paths in the server's folder that have
// changed. The caller holds the server's mu.
func (w *waiting) publish(in *fs.Folder, now time.Time, files map[string]waitingFile) (changed []string) {
	bodies := make(map[string][]byte, len(files))
	for id, file := range files {
		compact, _ := json.Marshal(file.value) // it was made of JSON
		bodies[id], _ = rawjson.Indent(compact)
	}
	path := func(id string) string { return w.name + "/" + id + ".json" }
	for id := range w.bodies {
		if bodies[id] == nil {
			changed = append(changed, path(id))
		}
	}
	for id, body := range bodies {
		if string(w.bodies[id]) != string(body) {
			changed = append(changed, path(id))
		}
	}
	w.bodies = bodies
	switch {
	case len(changed) == 0:
		return nil
	case len(bodies) == 0:
		in.Remove(now, w.name)
		w.folder = nil
		return append(changed, w.name)
	}
	nodes := make(map[string]fs.Node, len(bodies))
	var newest time.Time
	for id, body := range bodies {
		nodes[id+".json"] = fs.NewText(files[id].changed, body)
		newest = wording.Later(newest, files[id].changed)
	}
	if w.folder == nil {
		w.folder = fs.NewFolder(newest, nodes)
		in.Set(now, w.name, w.folder)
	} else {
		w.folder.Replace(now, nodes)
	}
	slices.Sort(changed)
	return append(changed, w.name)
}

// publishWaiting shows the open questions and the tasks of the server, and returns
// the paths that have changed. The caller holds mu.
func (s *Server) publishWaiting(now time.Time) (changed []string) {
	if v := s.o.Questions.Version(); v != s.asked.version {
		s.asked.version = v
		files := make(map[string]waitingFile)
		for _, q := range s.o.Questions.List(s) {
			files[q.ID] = waitingFile{q.Since, q}
		}
		changed = s.asked.publish(s.dir, now, files)
	}
	if v := s.o.Tasks.Version(); v != s.left.version {
		s.left.version = v
		files := make(map[string]waitingFile)
		for _, t := range s.o.Tasks.List(s.file) {
			files[t.ID] = waitingFile{wording.Later(t.Since, t.Ended), t}
		}
		changed = append(changed, s.left.publish(s.dir, now, files)...)
	}
	return changed
}

// Show shows what has changed, of the open questions and tasks too.
func (s *Server) Show() { s.update(func() {}) }

// questionLines returns the open questions of the server, a line each. The caller
// may hold mu.
func (s *Server) questionLines() (lines []string) {
	for _, q := range s.o.Questions.List(s) {
		lines = append(lines, q.Line())
	}
	return lines
}
