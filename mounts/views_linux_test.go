package mounts

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ctxfs/fs"
)

// TestAMountIsOnRecordFirst: a process that is killed as soon as the kernel has its
// mount has left a record of it, by which the next process finds it; a mount that
// fails leaves none.
func TestAMountIsOnRecordFirst(t *testing.T) {
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	device.Close()
	home, seat := claim(t)
	dir := filepath.Join(home.Dir, "mnt")
	var left []string
	asked := false
	s := NewServer(Options{
		Seat: seat, Tree: fs.NewTree(new(fs.Folder), fs.TreeOptions{}), Sources: func() []string { return nil },
		Log: slog.New(slog.DiscardHandler),
		Guardian: func() *exec.Cmd { // the first that the server does with a new mount
			left, asked = leftBehind(home), true
			return exec.Command("true")
		},
	})
	if _, err := s.Mount(dir); err != nil {
		t.Error(err)
	}
	if info := s.Info(); len(info.Left) > 0 || len(info.Mounts) != 1 {
		t.Errorf("it is shown as %+v", info)
	}
	if !asked || !slices.Equal(left, []string{dir}) {
		t.Errorf("the record of a mount that is being made: %q (asked: %v)", left, asked)
	}
	occupied := filepath.Join(home.Dir, "occupied")
	if err := os.MkdirAll(filepath.Join(occupied, "x"), 0o700); err != nil {
		t.Error(err)
	}
	if _, err := s.Mount(occupied); err == nil {
		t.Error("it mounts over files")
	}
	var record ServerInfo
	if err := home.ReadRecord(&record); err != nil || len(record.Left) > 0 || len(record.Mounts) != 1 {
		t.Errorf("the record: %+v, %v", record, err)
	}
	s.End()
	s.Serve()
}
