package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/wait"
)

var _ wait.Awaiter = (*Provider)(nil)

// The folders of what waits for somebody. They are there while they have files.
const (
	questionsName = "questions"
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
		compact, err := json.Marshal(file.value)
		if err == nil {
			compact, err = rawjson.Indent(compact)
		}
		if err != nil {
			continue // it was made of JSON
		}
		bodies[id] = compact
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
		t := files[id].changed
		nodes[id+".json"] = fs.NewText(t, body)
		if t.After(newest) {
			newest = t
		}
	}
	if w.folder == nil {
		w.folder = new(fs.Folder)
		w.folder.Replace(newest, nodes)
		in.Set(now, w.name, w.folder)
	} else {
		w.folder.Replace(now, nodes)
	}
	slices.Sort(changed)
	return append(changed, w.name)
}

// publishWaiting shows the open questions and the tasks of the server, and returns
// the paths that have changed. The caller holds mu.
func (s *server) publishWaiting(now time.Time) (changed []string) {
	if v := s.p.questions.Version(); v != s.asked.version {
		s.asked.version = v
		files := make(map[string]waitingFile)
		for _, q := range s.p.questions.List(s) {
			files[q.ID] = waitingFile{q.Since, q}
		}
		changed = s.asked.publish(s.dir, now, files)
	}
	if v := s.p.tasks.Version(); v != s.left.version {
		s.left.version = v
		files := make(map[string]waitingFile)
		for _, t := range s.p.tasks.List(s.file) {
			changedAt := t.Since
			if t.HasEnded() {
				changedAt = t.Ended
			}
			files[t.ID] = waitingFile{changedAt, t}
		}
		changed = append(changed, s.left.publish(s.dir, now, files)...)
	}
	return changed
}

// showWaiting shows what has changed of the open questions and tasks of a server.
func (s *server) showWaiting() { s.update(func() {}) }

// showTasks shows the tasks of the server whose folder has a name.
func (p *Provider) showTasks(file string) {
	for _, s := range p.all() {
		if s.folder() == file {
			s.showWaiting()
		}
	}
}

// questionLines returns the open questions of the server, a line each. The caller
// may hold mu.
func (s *server) questionLines() (lines []string) {
	for _, q := range s.p.questions.List(s) {
		lines = append(lines, q.Line())
	}
	return lines
}

// Awaits implements wait.Awaiter.
func (p *Provider) Awaits() []wait.Awaitable {
	server := wait.Awaitable{Kind: "server", Name: "NAME", Until: []string{"ready"}}
	for _, s := range p.all() {
		server.Names = append(server.Names, s.folder())
	}
	return []wait.Awaitable{server, {Kind: "question", Name: "", Until: []string{""}}}
}

// Await implements wait.Awaiter. A server that is waited for is started.
func (p *Provider) Await(_ context.Context, c wait.Condition) (wait.Pending, error) {
	switch {
	case c.Kind == "question" && (c.Name != "" || c.Until != ""):
		return nil, &wait.AwaitError{State: wait.NoSense, What: "question has no name, and nothing follows it"}
	case c.Kind == "server" && c.Name == "":
		return nil, &wait.AwaitError{State: wait.NoSense, What: "server: which one? give its name", Mend: "list them: ctxfs ls mcps"}
	case c.Kind == "server" && c.Until != "ready":
		return nil, &wait.AwaitError{State: wait.NoSense, What: "what of server " + c.Name + "?", Mend: "server NAME ready waits until it can be called"}
	case c.Kind == "question" && !p.opts.Offline:
		return questionWait{p}, nil
	}
	if c.Kind == "server" {
		chosen, err := p.choose(c.Name)
		if err != nil {
			what, mend, _ := strings.Cut(err.Error(), "; ")
			return nil, &wait.AwaitError{State: wait.Unnamed, What: what, Mend: mend}
		}
		if !p.opts.Offline {
			return &serverWait{s: chosen[0]}, nil
		}
	}
	return nil, &wait.AwaitError{State: wait.NeedsProcess, What: "servers run in the background process only", Mend: "ctxfs mount"}
}

// questionWait waits for an open question of any server.
type questionWait struct{ p *Provider }

// Paths implements wait.Pending.
func (questionWait) Paths() []string { return nil }

// Check implements wait.Pending.
func (w questionWait) Check(context.Context) (wait.Standing, error) {
	for _, q := range w.p.questions.List(nil) {
		if !q.Opened {
			return wait.Standing{State: wait.Met, What: q.Line(), Path: q.Server + "/" + questionsName + "/" + q.ID + ".json", More: "ctxfs answer " + q.ID + " --help"}, nil
		}
	}
	return wait.Standing{What: "no server asks anything", More: "ctxfs answer"}, nil
}

// lastingFailures is how many times in a row a server must have failed to start for
// nobody to wait for its next try: one failure may be that of a moment.
const lastingFailures = 2

// serverWait waits until a server can be called.
type serverWait struct {
	s       *server
	started bool
}

// Paths implements wait.Pending.
func (*serverWait) Paths() []string { return nil }

// Check implements wait.Pending. It starts a server that does not run, once: one that is
// stopped later, because nobody uses it, starts when it is called.
func (w *serverWait) Check(context.Context) (wait.Standing, error) {
	b := w.s.summary()
	is := &b.condition
	s := wait.Standing{What: fmt.Sprintf("server %s is %s", b.file, is.State), Path: b.file + "/STATUS.md", More: "ctxfs tools " + b.file}
	switch {
	case is.State == instance.StateReady, is.State == instance.StateCached && (w.started || w.s.wantsProject()):
		s.State = wait.Met
		s.What = fmt.Sprintf("server %s is ready, %s", b.file, wording.Count(len(b.tools), "tools"))
	case is.State == instance.StateCached, is.State == instance.StateStopped && !w.s.wantsProject():
		if w.started {
			break
		}
		w.started = true
		if err := w.s.p.ensureBegun(w.s); err != nil {
			s.State, s.What = wait.Never, err.Error()
		} else if err := w.s.main.Restart(instance.RestartRequested); err != nil {
			s.State, s.What = wait.Never, err.Error()
		}
	case is.Failing() && (is.Next.IsZero() || is.Failures >= lastingFailures), is.State == instance.StateDisabled:
		s.State = wait.Never
		s.What, s.More = strings.TrimSuffix(s.What+": "+is.What, ": "), cmp.Or(is.Fix, "ctxfs cat mcps/"+b.file+"/STATUS.md")
	case is.What != "":
		s.What += ": " + is.What
	}
	return s, nil
}

// waitingText returns how many questions wait, as a part of a sentence, or "".
func waitingText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 question waits"
	}
	return wording.Count(n, "questions") + " wait"
}
