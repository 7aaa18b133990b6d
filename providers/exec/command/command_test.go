package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// runCommand has the test binary run the [Spec] that is on its standard input.
const runCommand = "run-command"

// TestMain is the keeper if it is started as one.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == KeeperCommand:
		os.Exit(Keep(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == runCommand:
		var s Spec
		if err := json.NewDecoder(os.Stdin).Decode(&s); err != nil {
			panic(err)
		}
		Run(context.Background(), s)
	default:
		os.Exit(m.Run())
	}
}

// sh is a shell script in a folder of its own.
func sh(t *testing.T, script string) Spec {
	return Spec{
		Argv: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: Environ(os.Environ(), nil),
		Timeout: time.Minute, MaxSize: 1 << 20, Keeper: []string{os.Args[0], KeeperCommand},
	}
}

// alive reports whether the process whose number is in a file of the folder lives.
func alive(t *testing.T, s Spec, file string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
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
	s.Argv = []string{"/nonexistent"}
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
		limit  time.Duration
		size   int64
		want   error
	}{
		"ends":          {`echo done`, time.Minute, 100, nil},
		"holds a pipe":  {`(sleep 1000 & echo $! >sleeper); echo done`, time.Minute, 100, nil},
		"hangs":         {`echo done; exec sleep 1000`, 300 * time.Millisecond, 100, ErrTimeout},
		"ignores":       {`echo done; while :; do sleep 0.05; done`, 300 * time.Millisecond, 100, ErrTimeout},
		"prints 1 GB":   {`exec head -c 1000000000 /dev/zero`, time.Minute, 100, ErrTooLarge},
		"prints always": {`while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, time.Minute, 100, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sh(t, stays+c.script)
			if err := syscall.Mkfifo(filepath.Join(s.Dir, "fifo"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Timeout, s.MaxSize = c.limit, c.size
			if c.want == ErrTimeout {
				s.Timeout += 10 * time.Second // to start under load
			}
			o := Run(t.Context(), s)
			if !errors.Is(o.Err, c.want) || c.want == nil && (o.Exit != 0 || string(o.Stdout) != "done\n") || int64(len(o.Stdout)) > c.size {
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
	s := sh(t, `echo $$ >pid; exec sleep 1000`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome, 1)
	go func() { ended <- Run(ctx, s) }()
	fstest.Eventually(t, "it runs", func() bool {
		text, _ := os.ReadFile(filepath.Join(s.Dir, "pid"))
		return len(text) > 0
	})
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
	s := sh(t, `setsid sh -c 'echo $$ >daemon; exec sleep 1000' & until [ -s daemon ]; do :; done; echo $$ >pid; kill -9 $PPID; exec sleep 1000`)
	o := Run(t.Context(), s)
	if !errors.Is(o.Err, ErrLost) || o.Exit != -1 {
		t.Errorf("%+v", o)
	}
	for _, file := range []string{"daemon", "pid"} {
		fstest.Eventually(t, file+" has ended", func() bool { return !alive(t, s, file) })
	}
}

// TestAllAreKilledAtOnce kills a process that runs a command, and the keeper of that, at
// once. What the command has left behind is ended by the next process, and what belongs to
// another keeper is not.
func TestAllAreKilledAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a killed process has started")
	}
	kept := filepath.Join(t.TempDir(), "kept", "kept")
	files := func() []string {
		all, err := filepath.Glob(filepath.Join(kept, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	const leaves = `setsid sh -c 'echo $$ >daemon; exec sleep 1000' & until [ -s daemon ]; do :; done; echo $PPID >keeper; echo $$ >pid; exec sleep 1000`
	killed, lives := sh(t, leaves), sh(t, leaves)
	killed.Kept, lives.Kept = kept, kept
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome, 1)
	go func() { ended <- Run(ctx, lives) }()
	spec, err := json.Marshal(killed)
	if err != nil {
		t.Fatal(err)
	}
	starter := exec.Command(os.Args[0], runCommand)
	starter.Stdin = bytes.NewReader(spec)
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Spec{killed, lives} {
		fstest.Eventually(t, "it runs", func() bool {
			text, _ := os.ReadFile(filepath.Join(s.Dir, "pid"))
			return len(text) > 0
		})
	}
	text, err := os.ReadFile(filepath.Join(killed.Dir, "keeper"))
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} { // the keeper must not see that the other has ended
		for _, pid := range []int{keeper, starter.Process.Pid} {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Error(err)
			}
		}
	}
	_ = starter.Wait()
	fstest.Eventually(t, "the command has died with its keeper", func() bool { return !alive(t, killed, "pid") })
	if !alive(t, killed, "daemon") {
		t.Error("the daemon has ended: nothing is tested")
	}
	fstest.Eventually(t, "the daemon is ended", func() bool {
		EndAbandoned(kept)
		return !alive(t, killed, "daemon")
	})
	if !alive(t, lives, "daemon") || !alive(t, lives, "pid") {
		t.Error("a command that has a keeper was ended")
	}
	if all := files(); len(all) != 1 {
		t.Errorf("the files are %q", all)
	}
	cancel()
	<-ended
	if all := files(); len(all) != 0 {
		t.Errorf("at last the files are %q", all)
	}
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
