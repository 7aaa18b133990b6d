package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startTime bounds Start, which waits for other processes that are starting or
// exiting.
const startTime = 5 * time.Minute

// treeVariable is set in all that a command of ctxfs run has started, by
// providers/terminals/holder. The background process is no part of such a command.
const treeVariable = "CTXFS_TREE"

// readyFD is the descriptor on which a process that [Spawn] has started reports its
// progress.
const readyFD = 3

// The words of these reports, one a line; text follows the last two.
const (
	wordReady   = "ready"
	wordRunning = "running"
	wordNote    = "note "
	wordFault   = "fault " // a Fault as JSON
)

// A Launch starts the background process with arguments, and returns its ID. It must
// first call [Home.Claim] and report the result to tell, with a [Starter]; its log goes to
// log, which may be nil. The files remain the caller's.
type Launch func(log, tell *os.File, args ...string) (pid int, err error)

// Spawn is the Launch of every program: it starts the program again as the
// background process.
func Spawn(log, tell *os.File, args ...string) (pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = "/" // it must not keep the user's folder in use
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, treeVariable+"=") })
	if log != nil {
		cmd.Stdout, cmd.Stderr = log, log
	}
	cmd.ExtraFiles = []*os.File{tell} // becomes readyFD
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	keepDescriptors()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}

// Start connects to the background process, which it first has [Home].Launch start with
// arguments if necessary. Any number of commands may call Start concurrently, and any of
// them may be killed at any time: they all reach the one process that has the seat.
func (h Home) Start(ctx context.Context, args ...string) (*Client, error) {
	begun := time.Now()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		c, err := h.Dial(ctx)
		if errors.Is(err, ErrNotRunning) {
			if err = h.unreachable(); err == nil {
				err = h.launch(ctx, args)
			}
		}
		switch {
		case err == nil && c != nil:
			return c, nil
		case err == nil, errors.Is(err, ErrRunning), errors.Is(err, ErrGone): // look again
		default:
			return nil, err
		}
		if time.Since(begun) > startTime {
			return nil, h.Silence()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// Succeed starts a process that takes over from the background process, which
// [Client.Older] says is of an older build: [Home].Launch starts it with arguments, upon
// which it must wait for the end of that one before it calls [Home.Claim]. It returns nil, too, if yet another process has the seat by then.
func (h Home) Succeed(ctx context.Context, pid int, args ...string) error {
	if !sharesMounts(pid) {
		return &Fault{
			Message: fmt.Sprintf("%s runs an older build of ctxfs outside of this sandbox or container, and cannot be replaced from here", processName(pid)),
			Hint:    "replace it out there: ctxfs mount",
		}
	}
	if err := h.launch(ctx, args); !errors.Is(err, ErrRunning) {
		return err
	}
	return nil
}

// launch starts a process and waits until it has the seat. It fails with
// ErrRunning if another process has it.
func (h Home) launch(ctx context.Context, args []string) error {
	if err := h.mayStart(); err != nil {
		return err
	}
	ready, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	log, logPath := h.openLog()
	pid, err := h.Launch(log, tell, args...)
	tell.Close()
	log.Close() // of nil, too
	if err != nil {
		return fmt.Errorf("start the background process: %w", err)
	}
	defer context.AfterFunc(ctx, func() { ready.Close() })()
	lines := bufio.NewReader(ready)
	for {
		v := h.watch(pid, starting, 0, func() { ready.Close() })
		line, err := lines.ReadString('\n')
		verdict := v.close()
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == wordReady:
			return nil
		case line == wordRunning:
			return ErrRunning
		case strings.HasPrefix(line, wordNote):
			h.note("%s", line[len(wordNote):])
			continue
		case strings.HasPrefix(line, wordFault):
			fault := new(Fault)
			if json.Unmarshal([]byte(line[len(wordFault):]), fault) == nil {
				return fault
			}
		case verdict != nil:
			return verdict
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if line == "" {
			line = fmt.Sprintf("the background process ended at once (%v)", err)
		}
		return &Fault{Message: line, Hint: "its log: " + logPath}
	}
}

// Starter reports progress to the program that has started this process. The zero
// value discards notes.
type Starter struct{ to *os.File }

// NewStarter returns the Starter that reports to the file that a [Launch] was given.
func NewStarter(tell *os.File) *Starter { return &Starter{tell} }

// SpawnedStarter returns the Starter of a process that [Spawn] has started.
func SpawnedStarter() *Starter { return NewStarter(os.NewFile(readyFD, "ready")) }

// Note sends a line for a waiting user.
func (s *Starter) Note(line string) { s.report(wordNote + line) }

// Claimed reports the result of Claim; it is the last report.
func (s *Starter) Claimed(err error) {
	switch {
	case err == nil:
		s.report(wordReady)
	case errors.Is(err, ErrRunning):
		s.report(wordRunning)
	default:
		if body, err := json.Marshal(FaultOf(err)); err == nil {
			s.report(wordFault + string(body))
		}
	}
	if s.to != nil {
		s.to.Close()
		s.to = nil
	}
}

func (s *Starter) report(line string) {
	if s.to != nil {
		_, _ = s.to.WriteString(line + "\n") // the reader may have left
	}
}

// keepDescriptors marks inherited descriptors, such as the lock of a shell
// script, close-on-exec: the background process would otherwise hold them for
// days.
func keepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // then they are inherited
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// maxLog is the size in bytes past which a log is renamed at the next start.
const maxLog = 1 << 20

// openLog opens the log of the background process in the first folder that permits
// it. A process without a log is better than none.
func (h Home) openLog() (log *os.File, path string) {
	for _, folder := range h.Folders() {
		path := filepath.Join(folder, "daemon.log")
		if h.ready(folder) != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
			_ = os.Rename(path, path+".1") // on failure it keeps growing
		}
		if log, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			return log, path
		}
	}
	return nil, "none, as no folder can be written to"
}
