package job

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

func TestARunFromStartToEnd(t *testing.T) {
	s := Store{t.TempDir() + "/agents"}
	if ids, err := s.List(); len(ids) > 0 || err != nil {
		t.Fatalf("at first there are %v, %v", ids, err)
	}
	created := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	j, lock, err := s.Create("codex", request.Request{RepoDir: "/r", Prompt: "p"}, Status{State: Waiting, Created: created, Agent: "codex"})
	fstest.Must(t, err)
	load := func() *Job {
		t.Helper()
		now, err := s.Load(j.ID)
		fstest.Must(t, err)
		return now
	}
	if now := load(); now.Status.State != Waiting || now.Result != nil || now.Request.Prompt != "p" {
		t.Errorf("after Create: %+v", now)
	}
	fstest.Must(t, j.Finish(request.Result{ID: j.ID, Ended: request.Success, Text: "done"}, created.Add(time.Second)))
	fstest.Must(t, j.Finish(request.Result{ID: j.ID, Ended: request.Cancelled}, created.Add(time.Minute)))
	if now := load(); now.Status.State != Ended || now.Result.Ended != request.Success {
		t.Errorf("after Finish: %+v, %+v", now, now.Result)
	}
	lock.Close()
	if now := load(); now.Result.Text != "done" {
		t.Errorf("after its end: %+v", now.Result)
	}
	if ids, _ := s.List(); len(ids) != 1 || ids[0] != j.ID {
		t.Errorf("listed: %v", ids)
	}
}

func TestARunWhoseProcessesWereKilledIsLost(t *testing.T) {
	s := Store{t.TempDir()}
	j, lock, err := s.Create("x", request.Request{}, Status{State: Running, Agent: "x"})
	fstest.Must(t, err)
	lock.Close()
	now, err := s.Load(j.ID)
	if err != nil || now.Result == nil || now.Result.Ended != request.Lost || now.Status.State != Ended {
		t.Errorf("it is %+v, %v", now, err)
	}
}

func TestNamesThatAreNoIDs(t *testing.T) {
	s := Store{t.TempDir()}
	for _, id := range []string{"", "..", "../x", ".running", "a/b", "A", "none"} {
		if _, err := s.Load(id); !errors.Is(err, ErrUnknown) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, _, err := s.Create("../x", request.Request{}, Status{}); err == nil {
		t.Error("a name with a slash makes an id")
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]bool{
		"codex-x7f2": true, "7": true, "a--": true, strings.Repeat("a", maxID): true,
		"": false, "-a": false, "A": false, "a_b": false, "a/b": false, "..": false, "a\n": false, "ä": false, strings.Repeat("a", maxID+1): false,
	} {
		fstest.Equal(t, isID(text), want, "an id", text, !want)
	}
}
