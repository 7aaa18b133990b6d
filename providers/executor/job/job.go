// Package job is the runs of agents on disk: a folder each.
//
// A run is locked as long as one of its processes lives: its creator takes the lock,
// and its keeper inherits it. The kernel frees it however they end, so a run without
// a result whose lock is free is lost.
package job

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/mask"
)

// The files of a run. All but the last are there from the start or when it has ended.
const (
	RequestFile = "request.json" // the request
	StatusFile  = "status.json"  // how it stands
	ResultFile  = "result.json"  // what came of it, once it has ended
	TextFile    = "result.md"    // the agent's answer, whole
	DiffFile    = "changes.diff" // what changed
	ScratchDir  = "scratch"      // its folder for temporary files
	TreeDir     = "tree"         // its git worktree
	LogFile     = "log"          // what its processes say is wrong with them
	// RepositoryDir has what package worktree knows of the repository.
	RepositoryDir = "repository"
	lockFile      = "lock"
)

// GateFile is locked, beside the folders of the runs, by a run that looks whether it has its
// turn.
const GateFile = ".gate"

// State says how far a run has come.
type State string

// The states of runs.
const (
	Waiting State = "waiting" // for its turn, then for git to make its worktree
	Running State = "running"
	Ended   State = "ended"
)

// Status is how a run stands.
type Status struct {
	State   State     `json:"state"`
	Created time.Time `json:"created"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Agent is the agent's id.
	Agent string `json:"agent"`
	// Runner is the process that runs it; 0 before it does. Turn reports whether it counts
	// among those that run at once.
	Runner int  `json:"runner,omitempty"`
	Turn   bool `json:"turn,omitempty"`
	// Terminal is the id of its recorded terminal, Recording the folder of that, Log the path
	// of its text.
	Terminal  string `json:"terminal,omitempty"`
	Recording string `json:"recording,omitempty"`
	Log       string `json:"log,omitempty"`
	// Session is the agent's id of its session, once it is known.
	Session string `json:"session,omitempty"`
	// Dir is the folder in which the agent works: that of the request, or its worktree.
	Dir    string `json:"dir,omitempty"`
	Branch string `json:"branch,omitempty"`
	// ReadOnly is how it is kept from writing, as in the result.
	ReadOnly string `json:"read_only,omitempty"`
	// Within is the run in which it was started, or "".
	Within string `json:"within,omitempty"`
}

// Store is the folder with all runs.
type Store struct{ Dir string }

// In returns the store in ctxfs's state folder.
func In(state string) Store { return Store{filepath.Join(state, "agents")} }

// State returns ctxfs's state folder.
func (s Store) State() string { return filepath.Dir(s.Dir) }

// Job is one run, as it was when it was loaded.
type Job struct {
	ID      string
	Dir     string
	Request request.Request
	Status  Status
	// Result is nil as long as it has not ended. That of a lost run says so.
	Result *request.Result
}

// Ended reports whether the run has ended: then it has a Result.
func (j *Job) Ended() bool { return j.Result != nil }

// Path returns the path of a file of the run.
func (j *Job) Path(name string) string { return filepath.Join(j.Dir, name) }

// PromptLine returns the beginning of the prompt, of at most limit bytes, as a line that is
// safe to show.
func (j *Job) PromptLine(limit int) string {
	return clean.Cut(clean.Line(mask.Text(clean.Prefix(j.Request.Prompt, 4*limit))), limit)
}

// Shown returns an agent's answer as it is safe to show in a terminal.
func Shown(answer string) string { return clean.Text(answer) }

// maxID is the length of the longest id.
const maxID = 81

// isID reports whether a text may be an id: it is the name of a folder, and typed by
// people, in lower-case letters, digits and hyphens, and does not start with a hyphen.
func isID(text string) bool {
	rest := strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-")
	return text != "" && len(text) <= maxID && rest == "" && text[0] != '-'
}

// ErrUnknown reports that no run has an id.
var ErrUnknown = fmt.Errorf("there is no such run: %w", os.ErrNotExist)

// Create makes a run with a new id, which begins with name, and returns its lock: the
// file is to be inherited by the run's keeper.
func (s Store) Create(name string, r request.Request, status Status) (*Job, *os.File, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	for {
		id := name + "-" + strings.ToLower(rand.Text()[:4])
		j := &Job{ID: id, Dir: filepath.Join(s.Dir, id), Request: r, Status: status}
		if !isID(id) {
			return nil, nil, fmt.Errorf("%q cannot be part of an id", name)
		}
		err := os.Mkdir(j.Dir, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		lock, err := j.lock()
		if err == nil {
			err = errors.Join(writeJSON(j.Path(RequestFile), r), j.SetStatus(status))
		}
		if err != nil {
			os.RemoveAll(j.Dir)
			return nil, nil, err
		}
		return j, lock, nil
	}
}

func (j *Job) lock() (*os.File, error) {
	f, err := os.OpenFile(j.Path(lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// A reader may hold it for a moment, see held.
	if err := filelock.WaitFile(context.Background(), f, filelock.Exclusive); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// SetStatus writes how the run stands.
func (j *Job) SetStatus(status Status) error {
	j.Status = status
	return writeJSON(j.Path(StatusFile), status)
}

// Finish writes what came of the run, and then that it has ended. A result that is there
// stays.
func (j *Job) Finish(r request.Result, ended time.Time) error {
	if _, err := os.Stat(j.Path(ResultFile)); err == nil {
		return nil
	}
	j.Result = &r
	status := j.Status
	status.State, status.Ended = Ended, ended
	return errors.Join(writeJSON(j.Path(ResultFile), r), j.SetStatus(status))
}

func writeJSON(path string, value any) error {
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(body, '\n'))
}

// List returns the ids of all runs, sorted.
func (s Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, entry := range entries {
		if entry.IsDir() && isID(entry.Name()) {
			ids = append(ids, entry.Name())
		}
	}
	slices.Sort(ids)
	return ids, err
}

// Open returns the runs that have not ended, by their ids.
func (s Store) Open() (map[string]*Job, error) {
	ids, err := s.List()
	all := make(map[string]*Job)
	for _, id := range ids {
		if !(&Job{Dir: filepath.Join(s.Dir, id)}).held() {
			continue
		}
		if j, err := s.Load(id); err == nil && !j.Ended() { // another one is just being made, or deleted
			all[id] = j
		}
	}
	return all, err
}

// Load returns a run as it is now. The error is ErrUnknown if no run has it.
func (s Store) Load(id string) (*Job, error) {
	if !isID(id) {
		return nil, ErrUnknown
	}
	j := &Job{ID: id, Dir: filepath.Join(s.Dir, id)}
	held := j.held() // before the result is looked for: it is written while the lock is held
	if err := readJSON(j.Path(RequestFile), &j.Request); err != nil {
		return nil, err
	}
	if err := readJSON(j.Path(StatusFile), &j.Status); err != nil {
		return nil, err
	}
	var r request.Result
	switch err := readJSON(j.Path(ResultFile), &r); {
	case err == nil:
		j.Result = &r
		j.Status.State = Ended
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	case !held:
		j.Status.State = Ended
		j.Result = &request.Result{
			ID: id, Agent: j.Status.Agent, Ended: request.Lost, ReadOnly: j.Status.ReadOnly, Session: j.Status.Session, Branch: j.Status.Branch,
			Error: "the processes that kept it were killed", TerminalLog: j.Status.Log,
		}
		if j.Status.Log != "" {
			j.Result.Fix = request.SeeLog(j.Status.Log)
		}
	}
	return j, nil
}

// held reports whether a process of the run lives.
func (j *Job) held() bool {
	f, err := os.Open(j.Path(lockFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(filelock.TryFile(f, filelock.Shared), filelock.ErrHeld)
}

func readJSON(path string, into any) error {
	body, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
