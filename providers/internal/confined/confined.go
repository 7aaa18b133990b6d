// Package confined tells which processes belong to a run of an agent that ctxfs has
// started, and whether that run is read-only.
//
// A run has a keeper: a process that is an ancestor of everything in the run, since
// orphans become its children (PR_SET_CHILD_SUBREAPER). The keeper is registered in a
// folder outside of what the run may write. So neither a new session, nor a daemon, nor
// another environment takes a process out of its run. Nor does the keeper's end: what it
// leaves of a read-only run has the run's mark (see package procs), which the sandbox
// keeps on it, until all of it has been ended.
package confined

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/procs"
)

// Variable is the environment variable with the id of the run that a program is part of.
// It is for programs that want to know; nothing depends on it.
const Variable = "CTXFS_AGENT_RUN"

// Run is a run of an agent, with its keeper.
type Run struct {
	ID       string `json:"id"`
	ReadOnly bool   `json:"read_only,omitempty"`
	// PID is the keeper's number, Began when it was started, in clock ticks since the
	// system was: no later process has both.
	PID   int    `json:"pid"`
	Began uint64 `json:"began"`
	// Namespace is the PID namespace in which that is its number, or "".
	Namespace string `json:"namespace,omitempty"`
	// Mark is the mark of its processes, of package procs, or 0.
	Mark uint64 `json:"mark,omitempty"`
}

// Register is the folder with a file for each run.
type Register struct{ Dir string }

// In returns the register in ctxfs's state folder.
func In(state string) Register { return Register{filepath.Join(state, "agents", ".running")} }

// Enter registers a run by its keeper, and by the mark of its processes.
func (r Register) Enter(id string, readOnly bool, keeper int, mark uint64) error {
	run := Run{ID: id, ReadOnly: readOnly, PID: keeper, Began: look(keeper).began, Namespace: namespaceOf(keeper), Mark: mark}
	body, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return atomicfile.Write(r.path(id), append(body, '\n'))
}

// Leave removes a run.
func (r Register) Leave(id string) { _ = os.Remove(r.path(id)) }

func (r Register) path(id string) string { return filepath.Join(r.Dir, id+".json") }

// Run returns the run with an id, and reports whether its keeper lives.
func (r Register) Run(id string) (run Run, ok bool) {
	body, err := os.ReadFile(r.path(id))
	if err != nil || json.Unmarshal(body, &run) != nil {
		return Run{}, false
	}
	return run, run.ID == id && run.alive()
}

// Runs returns the runs whose keepers live, by the numbers of these. What keepers left
// that were killed is not among them.
func (r Register) Runs() map[int]Run {
	runs := make(map[int]Run)
	for _, run := range r.all() {
		if run.alive() {
			runs[run.PID] = run
		}
	}
	return runs
}

// Abandoned returns the runs whose keepers were killed, or are not seen since they are in
// another PID namespace.
func (r Register) Abandoned() (runs []Run) {
	for id, run := range r.all() {
		if !run.alive() {
			run.ID = id // also of one that cannot be read
			runs = append(runs, run)
		}
	}
	return runs
}

// all returns what is registered, by id; the zero value for what cannot be read.
func (r Register) all() map[string]Run {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return nil // there has been none yet
	}
	all := make(map[string]Run)
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok {
			continue
		}
		var run Run
		body, err := os.ReadFile(filepath.Join(r.Dir, entry.Name()))
		if os.IsNotExist(err) {
			continue // it has just left
		}
		if err == nil && json.Unmarshal(body, &run) != nil {
			run = Run{}
		}
		all[id] = run
	}
	return all
}

// alive reports whether the keeper runs.
func (r Run) alive() bool {
	is := look(r.PID)
	return r.PID > 0 && is.began == r.Began && !is.ended
}

// Signal sends a signal to the keeper. One that has ended is no error.
func (r Run) Signal(sig syscall.Signal) error { return procs.At(r.PID, r.Began).Signal(sig) }

// Of returns the run that a process is part of, the innermost one, and reports whether
// there is one. It is read-only if any run around it is. A process whose origin the
// system does not report counts as part of a read-only run while one exists: one that has
// ended, one in another PID namespace (0).
func (r Register) Of(pid int) (run Run, inside bool) {
	run, inside, _ = r.find(pid)
	return run, inside
}

// Check returns what confines a process: the read-only run that it is part of, or
// nil. Without any run it costs a look at a folder.
func (r Register) Check(pid int) *fs.Confined {
	run, inside, sure := r.find(pid)
	if !inside || !run.ReadOnly {
		return nil
	}
	return &fs.Confined{Run: run.ID, Unsure: !sure}
}

// find is Of. Sure says that the process is known to be part of the run.
func (r Register) find(pid int) (run Run, inside, sure bool) {
	all := r.all()
	if len(all) == 0 {
		return run, false, false
	}
	runs, here := make(map[int]Run), namespaceOf(os.Getpid())
	var readOnly, elsewhere *Run // a read-only run; one in another PID namespace
	var left []Run               // read-only ones whose keepers were killed
	for _, one := range all {
		foreign := one.Namespace != "" && one.Namespace != here
		killed := !foreign && !one.alive()
		if killed && (!one.ReadOnly || one.Mark == 0) {
			continue
		}
		if one.ReadOnly {
			readOnly = &one
		}
		switch {
		case killed:
			left = append(left, one)
		case !foreign:
			runs[one.PID] = one
		case one.ReadOnly:
			elsewhere = &one
		}
	}
	line, known := lineage(pid)
	for _, above := range line {
		if around, ok := runs[above]; ok {
			if !inside {
				run, inside, sure = around, true, true
			}
			run.ReadOnly = run.ReadOnly || around.ReadOnly
		}
	}
	switch {
	case inside && run.ReadOnly:
	case !known && readOnly != nil:
		return *readOnly, true, false
	case elsewhere != nil && namespaceOf(pid) != here:
		return *elsewhere, true, false // its numbers are others there
	default:
		for _, one := range left {
			if procs.Marked(pid, one.Mark) {
				return one, true, true
			}
		}
	}
	return run, inside, sure
}

// maxDepth is how many ancestors of a process are looked at: more than there ever are.
const maxDepth = 10_000

// maxTries is how often ancestors are looked at again since one of them has ended
// meanwhile: its children have another parent then.
const maxTries = 100

// lineage returns the number of a process and those of its ancestors, as far as they can be
// seen. Whole says that there are no others.
func lineage(pid int) (line []int, whole bool) {
	for range maxTries {
		if line, whole = ascend(pid); whole || len(line) == 0 {
			break
		}
	}
	return line, whole
}

// ascend is one try of lineage.
func ascend(pid int) (line []int, whole bool) {
	if pid <= 0 {
		return nil, false
	}
	is := look(pid)
	for len(line) < maxDepth {
		switch {
		case is.hidden: // it is another user's, and no run of ours is above it
			return line, len(line) > 0
		case is.began == 0:
			return line, false
		}
		line = append(line, pid)
		if is.parent <= 0 { // what is above is outside of this PID namespace
			return line, true
		}
		pid = is.parent
		above := look(pid)
		if above.began > is.began { // another process has the number of the parent
			return line, false
		}
		is = above
	}
	return line, false
}

// seen is what is seen of a process.
type seen struct {
	parent int
	began  uint64 // or 0
	ended  bool   // and was not waited for
	hidden bool   // there is such a process, and the system does not show it
}
