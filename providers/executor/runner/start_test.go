package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/confined"
)

// startedJob returns a run whose keeper has ended, with what it said, and its lock.
func startedJob(t *testing.T, said string) (*Started, *os.File) {
	t.Helper()
	store := job.In(t.TempDir())
	j, lock, err := store.Create("x", request.Request{}, job.Status{State: job.Running, Agent: "x"})
	fstest.Must(t, err)
	ended := make(chan []byte, 1)
	ended <- []byte(said)
	return &Started{Job: j, store: store, ended: ended}, lock
}

// TestAKilledRunIsWaitedFor: the kernel closes the files of a process that is killed one
// after the other, so the lock of a run may be held when its pipe has ended.
func TestAKilledRunIsWaitedFor(t *testing.T) {
	s, lock := startedJob(t, "")
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	keeper, err := json.Marshal(confined.Run{ID: s.Job.ID, PID: cmd.Process.Pid, Began: 1})
	fstest.Must(t, err)
	fstest.Must(t, atomicfile.Write(filepath.Join(confined.In(s.store.State()).Dir, s.Job.ID+".json"), keeper))
	go func() { // outside of the bubble, whose clock stands still while somebody waits for a lock
		// Only the kernel knows who waits for a lock, and it tells nobody.
		fstest.Becomes(func() bool { return isWaitedFor(lock) })
		lock.Close()
	}()
	synctest.Test(t, func(t *testing.T) {
		j, err := s.Wait(t.Context())
		if err != nil || j.Result == nil || j.Result.Ended != request.Lost {
			t.Errorf("%+v, %v", j, err)
		}
	})
}

// isWaitedFor reports whether a process waits for the lock of a file. Source: proc_locks(5).
func isWaitedFor(lock *os.File) bool {
	info, err := lock.Stat()
	locks, readErr := os.ReadFile("/proc/locks")
	if err != nil || readErr != nil {
		return true // nobody knows
	}
	inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	return slices.ContainsFunc(strings.Split(string(locks), "\n"), func(line string) bool {
		return strings.Contains(line, "->") && strings.Contains(line, inode)
	})
}

// TestAResultWithoutAFolder: a run whose folder was deleted meanwhile has a result.
func TestAResultWithoutAFolder(t *testing.T) {
	s, lock := startedJob(t, "")
	lock.Close()
	body, err := json.Marshal(request.Result{ID: s.Job.ID, Ended: request.Success})
	fstest.Must(t, err)
	<-s.ended
	s.ended <- body
	fstest.Must(t, os.RemoveAll(s.Job.Dir))
	j, err := s.Wait(t.Context())
	if err != nil || j.Result == nil || j.Result.Ended != request.Success {
		t.Errorf("%+v, %v", j, err)
	}
	s.ended <- nil
	if _, err := s.Wait(t.Context()); !errors.Is(err, job.ErrUnknown) {
		t.Errorf("nothing was said: %v", err)
	}
}
