package record

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// fullVariable names the folder where this test, run again in a mount namespace of
// its own, creates a small file system.
const fullVariable = "CTXFS_RECORD_FULL"

// TestFullDisk records on a disk that fills up and has room again.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(fullVariable); dir != "" {
		testFullDisk(t, dir)
		return
	}
	if _, err := exec.LookPath("unshare"); err != nil || os.Getuid() != 0 {
		t.Skip("only root with unshare can make a small file system")
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "-m", os.Args[0], "-test.run", "^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), fullVariable+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func testFullDisk(t *testing.T, dir string) {
	fstest.Must(t, syscall.Mount("full", dir, "tmpfs", 0, "size=256k"))
	p := newTape(t, filepath.Join(dir, "terminals"), func(o *Options) { o.Replay = true })
	p.put(prompt() + begins("one") + "1\r\n" + ends(0) + prompt() + begins("flood"))
	line := strings.Repeat("x", 70) + "\r\n"
	for i := 0; p.load().Fault == nil; i++ {
		if i > 10_000 {
			t.Fatal("the disk does not fill up")
		}
		p.put(line)
	}
	if got := p.load().Fault; !strings.Contains(got.What, syscall.ENOSPC.Error()) {
		t.Errorf("fault %+v", got)
	}
	size := p.load().Parts[0].Size
	for range (2 << 20) / len(line) { // the terminal goes on
		p.put(line)
		p.now = p.now.Add(time.Millisecond)
	}
	p.put("\r\nlast\r\n" + ends(3) + prompt() + begins("more"))
	got := p.load()
	if len(got.Records) != 1 || p.output(got.Records[0]) != "1\n" || got.Parts[0].Size < size || strings.Contains(p.text(1), "\x00") {
		t.Errorf("what was readable is not any more: %+v", got)
	}
	// There is room again: everything that waited is written, and the size of
	// the rest is stated.
	fstest.Must(t, os.Remove(filepath.Join(p.Dir(), ReplayFile)))
	fstest.Must(t, syscall.Mount("full", dir, "tmpfs", syscall.MS_REMOUNT, "size=16m"))
	p.wait(2 * retryTime)
	p.put("done\r\n" + ends(0))
	got = p.load()
	if got.Fault != nil || len(got.Records) != 3 || *got.Records[1].Exit != 3 {
		t.Fatalf("%+v\n%+v", got.Meta, got.Records)
	}
	flood := p.output(got.Records[1])
	if lines := strings.Count(flood, line[:70]+"\n"); lines < maxPending/71 {
		t.Errorf("%d lines are left", lines)
	}
	if text := p.text(1); !strings.Contains(text, "bytes were not recorded: "+syscall.ENOSPC.Error()) || !strings.HasSuffix(text, "done\n") {
		t.Errorf("the log ends with %q", text[len(text)-300:])
	}
	p.same("after that", p.output(got.Records[2]), "done\n")
	fstest.Must(t, errors.Join(p.Close(0, ""), syscall.Unmount(dir, syscall.MNT_DETACH)))
}
