package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// result is how a command ended.
type result struct {
	code     int
	out, err string
}

func (r result) String() string {
	return "out: " + r.out + "\nerr: " + r.err
}

// waiting are the lines in which a command tells that it waits for the background
// process. Whether it must is up to how busy the machine is.
var waiting = regexp.MustCompile(`(?m)^ctxfs: (still waiting for (process \d+|the background process), which .* \(for \d+ s now\)|waiting for process \d+, which is ending)\n`)

// said is what the command has printed as errors, other than that it waits.
func (r result) said() string { return waiting.ReplaceAllString(r.err, "") }

// exits checks the exit code.
func (r result) exits(t testing.TB, code int) result {
	t.Helper()
	if r.code != code {
		t.Errorf("exit %d, want %d\n%v", r.code, code, r)
	}
	return r
}

// command prepares any command in the box, as its user.
func (b *box) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if b.inside != nil && strings.HasPrefix(name, b.dir+"/") {
		// It may be in a mount. Between fork and exec this process might stand still, which
		// would have to show it.
		name, args = "env", append([]string{name}, args...)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.work, b.env
	cmd.WaitDelay = 20 * time.Second
	if b.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(b.uid), Gid: uint32(b.uid)}}
	}
	return cmd
}

// do runs a command to its end. What it started must not hold its output.
func (b *box) do(name string, args ...string) result {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	defer cancel()
	cmd := b.command(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		b.Errorf("%s %q: %v", name, args, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// program is ctxfs in the box, for what starts it as a process.
func (b *box) program() string {
	if b.inside != nil {
		return shimPath()
	}
	return binary()
}

// at is the box as it is seen from another folder, by its path in the home folder.
func (b *box) at(dir string) *box {
	other := *b
	other.work = filepath.Join(b.home, dir)
	return &other
}

// run runs ctxfs.
func (b *box) run(args ...string) result {
	b.Helper()
	// What these start gets the environment and the streams of a process.
	if line := strings.Join(args, " ") + " "; b.inside == nil || strings.HasPrefix(line, "run ") || strings.HasPrefix(line, "agent run ") {
		return b.do(b.program(), args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	defer cancel()
	r := b.runInside(ctx, args)
	if ctx.Err() != nil {
		b.Errorf("ctxfs %q: %v", args, ctx.Err())
	}
	return r
}

// ok runs ctxfs, which must succeed, and returns its output.
func (b *box) ok(args ...string) string {
	b.Helper()
	r := b.run(args...)
	if r.code != 0 {
		b.Fatalf("ctxfs %q: exit %d\n%v", args, r.code, r)
	}
	return r.out
}

// refused runs ctxfs, which must fail with an exit code and say all of some
// words, the error first and the hint on a line of its own.
func (b *box) refused(code int, words []string, args ...string) {
	b.Helper()
	r := b.run(args...)
	if r.code != code {
		b.Errorf("ctxfs %q: exit %d, want %d\n%v", args, r.code, code, r)
	}
	if !strings.HasPrefix(r.err, "ctxfs: ") {
		b.Errorf("ctxfs %q: no error of ours: %v", args, r)
	}
	if !containsAll(r.err, words) {
		b.Errorf("ctxfs %q does not say all of %q: %s", args, words, r.err)
	}
}

// sh runs a script of bash in the home folder; it must succeed.
func (b *box) sh(script string) string {
	b.Helper()
	r := b.shell(script)
	if r.code != 0 {
		b.Fatalf("%s: exit %d\n%v", script, r.code, r)
	}
	return r.out
}

// shell runs a script of bash in the home folder. One that hangs is ended before do gives
// it up, and what it has printed is told.
func (b *box) shell(script string) result {
	b.Helper()
	return b.do("timeout", "230", "bash", "-c", "cd ~ && "+script)
}
