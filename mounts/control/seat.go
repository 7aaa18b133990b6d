package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// ErrRunning reports that another process has the seat.
var ErrRunning = errors.New("ctxfs is already running")

// Seat is what the background process of a home holds: the lock of the state
// folder, the socket, and the record.
type Seat struct {
	Listener net.Listener
	// Record is the beginning of the record file.
	Record Record

	home   Home
	lock   *os.File
	socket string // the folder of the socket
}

// Home returns the home that the seat belongs to.
func (s *Seat) Home() Home { return s.home }

// endingTime is how long Claim waits for a process that is exiting, endingNote when
// it says so.
const (
	endingTime = time.Minute
	endingNote = 2 * time.Second
)

// Claim takes the seat. It fails with ErrRunning if a process that accepts
// connections has it, and waits for one that is exiting. The caller should claim
// before it does anything else: from then on others connect, and wait until they
// are served.
func (h Home) Claim(ctx context.Context) (*Seat, error) {
	if err := h.mayStart(); err != nil {
		return nil, err
	}
	held, err := h.awaitLock(ctx)
	if err != nil {
		return nil, err
	}
	s := &Seat{home: h, lock: held}
	err = h.unreachable()
	if err == nil {
		err = s.listen()
	}
	if err != nil {
		held.Close()
		return nil, err
	}
	host, _ := os.Hostname() // unknown is as good as another
	s.Record = Record{
		Pid: os.Getpid(), Version: h.Version, Since: time.Now(), Home: h.Dir, Host: host,
		Socket: filepath.Join(s.socket, socketName),
	}
	s.Record.Program, s.Record.Build = thisProgram()
	// Views of the previous process are kept until the server has read them.
	before := make(map[string]any)
	_ = h.ReadRecord(&before)
	mine, err := json.Marshal(s.Record)
	if err == nil {
		err = json.Unmarshal(mine, &before)
	}
	if err == nil {
		err = s.Write(before)
	}
	if err != nil {
		h.note("cannot write %s: %v", recordName, err)
	}
	return s, nil
}

// awaitLock takes the lock of the state folder. It waits for a process that is
// exiting, and reports why one does not exit.
func (h Home) awaitLock(ctx context.Context) (*os.File, error) {
	begun := time.Now()
	noted := false
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		held, err := h.lock()
		if err == nil {
			return held, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, &Fault{
				Message: fmt.Sprintf("the state folder %s cannot be used: %v", h.State, err),
				Hint:    "see what is wrong: ctxfs doctor",
			}
		}
		if c, _, err := h.connectAny(ctx); err == nil {
			c.Close()
			return nil, ErrRunning
		}
		waited := time.Since(begun)
		pid := h.Holder()
		switch s := sampleOf(pid); {
		case waited < endingNote:
		case s.isStill() || waited > endingTime:
			return nil, h.heldBy(pid, s)
		case !noted:
			noted = true
			h.note("waiting for process %d, which is ending", pid)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// heldBy describes a process that has the lock and does not serve.
func (h Home) heldBy(pid int, s sample) error {
	if pid == 0 {
		if r := h.record(); r.Host != "" && r.Host != hostname() {
			return &Fault{
				Message: fmt.Sprintf("the background process of the state folder %s runs on the machine %s (process %d)", h.State, r.Host, r.Pid),
				Hint:    "end it there: ctxfs unmount --all\nor give this machine a state folder of its own: export XDG_STATE_HOME=~/.local/state-" + hostname(),
			}
		}
		return &Fault{
			Message: fmt.Sprintf("a process that cannot be seen from here holds the lock of %s and does not answer", h.State),
			Hint:    "find it outside of this sandbox or container: fuser -v " + h.State,
		}
	}
	state := s.state()
	if state == Unknown || state == Busy {
		state = Hung
	}
	return newSilent(pid, state, "has the lock of "+h.State+" and does not answer")
}

func hostname() string {
	name, _ := os.Hostname()
	return name
}

// listen opens the socket in the first folder that can have one.
func (s *Seat) listen() error {
	var all error
	for _, folder := range s.home.Folders() {
		err := s.home.ready(folder)
		if err == nil {
			if s.Listener, err = listen(folder); err == nil {
				s.socket = folder
				return nil
			}
		}
		all = errors.Join(all, err)
	}
	return &Fault{Message: fmt.Sprintf("cannot create a socket: %v", all), Hint: "free some room, or make one of these folders writable"}
}

// Write writes the record, beside the socket if the state folder has no room for
// it.
func (s *Seat) Write(record any) error {
	body, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	body = append(body, '\n')
	path := filepath.Join(s.home.State, recordName)
	if err = replaceFile(path, body); err == nil {
		return nil
	}
	defer os.Remove(path) // it would describe another process
	for _, folder := range s.home.Folders()[1:] {
		if s.home.ready(folder) == nil && replaceFile(filepath.Join(folder, recordName), body) == nil {
			return nil
		}
	}
	return err
}

// Free removes the socket, so that new processes may start, and, unless keep is
// set, the record.
func (s *Seat) Free(keep bool) {
	s.Listener.Close()
	os.Remove(filepath.Join(s.socket, socketName))
	for _, folder := range s.home.Folders() {
		if !s.home.trusted(folder) {
			continue // it may be another user's link to anywhere
		}
		if !keep {
			os.Remove(filepath.Join(folder, recordName))
		}
		if folder != s.home.State {
			os.Remove(folder) // unless it is in use
		}
	}
	s.lock.Close()
}
