package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/fstest"
)

// Each test of the command has a box: a home folder with everything that belongs to
// it. Commands and the background process run in this process (newBox), or are the real
// program where only that can show what is tested (realBox): signals, kills, sandboxes,
// recorded terminals, what runs before main.

const (
	exitOK         = console.ExitOK
	exitFailed     = console.ExitFailed
	exitUsage      = console.ExitUsage
	exitNotRunning = console.ExitNotRunning
	exitProblems   = console.ExitProblems
)

// base is the folder of all boxes and of the binary. Its name is short, for
// the sake of socket addresses.
var base string

// binary is the command under test, which is built when it is asked for.
func binary() string {
	if err := build(); err != nil {
		panic(err)
	}
	return filepath.Join(base, "bin", "ctxfs")
}

func TestMain(m *testing.M) {
	becomeWhole()
	if mode, ok := os.LookupEnv(stubMode); ok {
		runStub(mode)
		return
	}
	if _, ok := os.LookupEnv(conformanceMode); ok {
		os.Exit(runConformance(os.Args[len(os.Args)-1]))
	}
	if dir, ok := os.LookupEnv(recordMode); ok {
		os.Exit(recordStdin(dir))
	}
	if writable, ok := os.LookupEnv(landlockMode); ok {
		os.Exit(runInLandlock(writable))
	}
	if calls, ok := os.LookupEnv(forbidMode); ok {
		os.Exit(runForbidding(calls))
	}
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		os.Exit(m.Run()) // in every worker: fuzzing needs no binary
	}
	os.Exit(runAll(m))
}

// parallel is how many tests run at once: they mostly wait for processes.
const parallel = "10"

func runAll(m *testing.M) int {
	err := flag.Set("test.parallel", parallel)
	if err != nil {
		panic(err)
	}
	if base, err = os.MkdirTemp("/tmp", "cx"); err == nil {
		defer os.RemoveAll(base)
		// Ordinary users go through it.
		err = os.Chmod(base, 0o755)
	}
	if err == nil {
		err = place()
	}
	if err == nil {
		err = installShim()
	}
	var shims io.Closer
	if err == nil {
		shims, err = serveShims()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shims.Close()
	fstest.DefaultSignals()
	code := m.Run()
	if left := mountsBelow(base); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "mounts are left:", left)
		code = 1
	}
	if left := processesOf(base); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes are left:", left)
		code = 1
	}
	return code
}

// build builds the command. The race detector is for what runs in this process.
var build = sync.OnceValue(func() error {
	if out, err := exec.Command("go", "build", "-o", filepath.Join(base, "bin", "ctxfs"), ".").CombinedOutput(); err != nil {
		return fmt.Errorf("build ctxfs: %w\n%s", err, out)
	}
	return nil
})

// place puts this program where ordinary users can run it as a server.
func place() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(stubPath()), 0o755), os.WriteFile(stubPath(), text, 0o755))
}

// mountsBelow are the mount points below a folder.
func mountsBelow(dir string) []string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return []string{err.Error()}
	}
	var points []string
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			points = append(points, fields[4])
		}
	}
	return points
}
