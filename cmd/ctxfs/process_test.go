package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// process is a running process of a box.
type process struct {
	pid  int
	args string
}

func (p process) String() string { return fmt.Sprintf("%d (%s)", p.pid, p.args) }

// processesOf are the processes whose HOME is below a folder: whatever a box
// has started, however far removed.
func processesOf(dir string) []process {
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err)
	}
	var found []process
	for _, proc := range procs {
		pid, _ := strconv.Atoi(filepath.Base(proc))
		if pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join(proc, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+dir+"/")) {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		if len(args) == 0 {
			continue // it has ended
		}
		found = append(found, process{pid, string(bytes.ReplaceAll(bytes.TrimRight(args, "\x00"), []byte{0}, []byte{' '}))})
	}
	return found
}

// alive reports whether a process is there and no mere entry in the table.
func alive(pid int) bool {
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(args) > 0
}

// stopped reports whether a process was stopped, as by Ctrl-Z.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(stat, []byte(") T "))
}

// signalTo sends a signal to a process that the box started.
func signalTo(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if pid <= 1 || pid == os.Getpid() {
		t.Fatalf("%v to process %d", sig, pid)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("%v to process %d: %v", sig, pid, err)
	}
}

// fifo makes a FIFO with a name in the home folder.
func (b *box) fifo(name string) fifo {
	b.Helper()
	f := fifo{fstest.NewFIFO(b.T)}
	must(b, os.Symlink(f.Path, filepath.Join(b.home, name)))
	return f
}

// fifo is one to which processes write their numbers.
type fifo struct{ *fstest.FIFO }

// number is that of the next process that writes.
func (f fifo) number() int {
	pid, err := strconv.Atoi(f.Line())
	if err != nil {
		panic(err)
	}
	return pid
}

// stop stops a process, and waits until each of its threads stands still.
func stop(t *testing.T, pid int) {
	t.Helper()
	signalTo(t, pid, syscall.SIGSTOP)
	fstest.Eventually(t, "the process stands still", func() bool { // which the kernel tells the parent alone
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		must(t, err)
		for _, thread := range threads {
			if stat, err := os.ReadFile(thread); err == nil && !bytes.Contains(stat, []byte(") T ")) {
				return false
			}
		}
		return true
	})
}
