package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/procs"
)

// TestMain is the keeper if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == procs.HelperCommand {
		os.Exit(procs.RunKeeper(func(uint64) []string { return os.Args[3:] }, false))
	}
	os.Exit(m.Run())
}

// sh is a shell script in a folder of its own.
func sh(t *testing.T, script string) Spec {
	return Spec{
		Argv: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: Environ(os.Environ(), nil),
		Timeout: time.Minute, MaxSize: 1 << 20, Program: os.Args[0],
	}
}

// alive reports whether the process whose number is in a file of the folder lives.
func alive(t *testing.T, s Spec, file string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, file))
	fstest.Must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	fstest.Must(t, err)
	return syscall.Kill(pid, 0) == nil
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := sh(t, `read line; echo "out $line $SECRET"; echo wrong >&2; pwd; exit 3`)
	s.Env = Environ([]string{"PATH=/bin:/usr/bin", "SECRET=x", "OTHER=y"}, nil)
	o := Run(t.Context(), s)
	if o.Err != nil || o.Exit != 3 || string(o.Stdout) != "out  \n"+s.Dir+"\n" || string(o.Stderr) != "wrong\n" {
		t.Errorf("%+v: %s, %s", o, o.Stdout, o.Stderr)
	}
	if o := Run(t.Context(), sh(t, `kill -SEGV $$`)); o.Err != nil || o.Exit != 139 {
		t.Errorf("%+v", o)
	}
	s.Argv = []string{"/proc/none"}
	if o := Run(t.Context(), s); o.Err == nil || o.Exit != -1 {
		t.Errorf("%+v", o)
	}
}

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	const stays = `trap '' TERM HUP INT
env -i setsid sh -c 'trap "" TERM HUP; echo $$ >daemon; exec 3<>fifo; while :; do read x <&3; done' >/dev/null 2>&1 </dev/null &
until [ -s daemon ]; do :; done
`
	for name, c := range map[string]struct {
		script string
		want   error
	}{
		"ends":          {`echo done`, nil},
		"holds a pipe":  {`(sleep 1000 & echo $! >sleeper); echo done`, nil},
		"hangs":         {`echo done; echo >late; exec sleep 1000`, ErrTimeout},
		"ignores":       {`echo done; echo >late; while :; do sleep 0.05; done`, ErrTimeout},
		"prints 1 GB":   {`exec head -c 1000000000 /dev/zero`, ErrTooLarge},
		"prints always": {`while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sh(t, stays+c.script)
			fstest.Must(t, syscall.Mkfifo(filepath.Join(s.Dir, "fifo"), 0o600))
			s.MaxSize = 100
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.want == ErrTimeout { // once it hangs
				late := fstest.NewFIFO(t)
				fstest.Must(t, os.Symlink(late.Path, filepath.Join(s.Dir, "late")))
				go func() {
					late.Line()
					cancel(ErrTimeout)
				}()
			}
			o := Run(ctx, s)
			if !errors.Is(o.Err, c.want) || c.want == nil && (o.Exit != 0 || string(o.Stdout) != "done\n") || int64(len(o.Stdout)) > s.MaxSize {
				t.Errorf("%v, exit %d: %s", o.Err, o.Exit, o.Stdout)
			}
			if alive(t, s, "daemon") {
				t.Error("the daemon lives")
			}
			if _, err := os.Stat(filepath.Join(s.Dir, "sleeper")); err == nil && alive(t, s, "sleeper") {
				t.Error("the sleeper lives")
			}
		})
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	t.Parallel()
	began := fstest.NewFIFO(t)
	s := sh(t, `echo $$ >pid; echo >`+began.Path+`; exec sleep 1000`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome, 1)
	go func() { ended <- Run(ctx, s) }()
	began.Line()
	cancel()
	if o := <-ended; !errors.Is(o.Err, context.Canceled) || alive(t, s, "pid") {
		t.Errorf("%+v", o)
	}
}

// TestACommandMayKillItsKeeper has a command that does, after it has left a daemon behind.
func TestACommandMayKillItsKeeper(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a killed process has started")
	}
	held := fstest.NewFIFO(t)
	s := sh(t, `exec 3>`+held.Path+`; setsid sh -c 'echo $$ >daemon; exec sleep 1000' & until [ -s daemon ]; do :; done; kill -9 $PPID; exec sleep 1000`)
	o := Run(t.Context(), s)
	if !errors.Is(o.Err, ErrLost) || o.Exit != -1 {
		t.Errorf("%+v", o)
	}
	held.Left()
}

func TestLongErrorsAreCut(t *testing.T) {
	t.Parallel()
	o := Run(t.Context(), sh(t, `echo first >&2; head -c 1000000 /dev/zero | tr '\0' x >&2; echo >&2; echo last >&2`))
	if text := string(o.Stderr); o.Exit != 0 || len(text) > MaxErrors || !strings.HasPrefix(text, "first\n") || !strings.HasSuffix(text, "last\n") {
		t.Errorf("exit %d, %d bytes: %.50s", o.Exit, len(text), text)
	}
}

func TestEnviron(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "TOKEN=t", "LC_ALL=C", "AWS=x", "TERM=xterm"}, []string{"TOKEN", "MODE=test=1", "NONE"})
	for _, want := range []string{"PATH=/bin", "TOKEN=t", "LC_ALL=C", "MODE=test=1", "TERM=dumb"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing: %q", want, got)
		}
	}
	for _, entry := range got {
		if strings.HasPrefix(entry, "AWS=") || strings.HasPrefix(entry, "NONE") {
			t.Errorf("%s is there", entry)
		}
	}
}
