package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/daemon"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
)

// inside is the part of a box that runs in this process: background processes, which are
// goroutines here.
type inside struct {
	mu      sync.Mutex
	over    bool            // the test is
	life    context.Context // of those that run now
	end     context.CancelFunc
	daemons sync.WaitGroup
}

// endDaemons ends the background processes, and waits for them.
func (i *inside) endDaemons() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.end()
	i.daemons.Wait()
	i.life, i.end = context.WithCancel(context.Background())
}

// boxes are those that run here, by their folders.
var boxes sync.Map

func (b *box) settleInside() {
	b.inside = new(inside)
	b.inside.life, b.inside.end = context.WithCancel(context.Background())
	boxes.Store(b.dir, b)
}

func (b *box) clearInside() {
	b.inside.endDaemons()
	b.inside.mu.Lock()
	defer b.inside.mu.Unlock()
	b.inside.over = true
	b.inside.end()
	b.inside.daemons.Wait() // of those that were started meanwhile
	boxes.Delete(b.dir)
}

// kill ends the background process. On disk it leaves what a kill leaves: the state and the
// cache of that moment, but for what belongs to other processes.
func (b *box) kill() {
	b.Helper()
	// What goes away while it is copied is not in that moment's state.
	const copies = `for f in $(ls -A "$1" | grep -vE '^(run|terminals|agents|daemon\..*)$'); do
		faults=$(cp -a "$1/$f" "$2/" 2>&1) || ! grep -v 'No such file' <<<"$faults" >&2 || exit 1
	done`
	const back = `for f in $(ls -A "$2"); do rm -rf "$1/$f"; mv "$2/$f" "$1/"; done`
	at := make(map[string]string)
	for _, dir := range []string{filepath.Join(b.state, "ctxfs"), filepath.Join(b.cache, "ctxfs")} {
		if _, err := os.Stat(dir); err == nil {
			at[dir] = b.TempDir()
		}
	}
	move := func(script string) {
		for dir, kept := range at {
			if r := b.do("bash", "-c", script, "bash", dir, kept); r.code != 0 {
				b.Fatal(r)
			}
		}
	}
	move(copies)
	b.inside.endDaemons()
	move(back)
}

// launch is the [control.Launch] of the box.
func (b *box) launch(env []string) control.Launch {
	return func(log, tell *os.File, args ...string) (int, error) {
		b.inside.mu.Lock()
		defer b.inside.mu.Unlock()
		if b.inside.over {
			return 0, errors.New("the test is over")
		}
		log, tell = again(log), again(tell)
		b.inside.daemons.Go(func() {
			defer log.Close()
			a := b.app(console.Streams{Out: log, Err: log}, "/", env)
			_ = daemon.Run(b.inside.life, daemon.Options{ // who has started it is told the error
				Places: a.Places, Environ: a.Environ, LookupEnv: a.LookupEnv, Commands: cli.Commands(a.Home, run), Log: log,
				Starter: control.NewStarter(tell), TakeOver: slices.Contains(args, "--take-over"),
			})
		})
		return os.Getpid(), nil
	}
}

// again opens an open file again, for another owner.
func again(f *os.File) *os.File {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		panic(err)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}

// app is what a command finds in the box.
func (b *box) app(s console.Streams, dir string, env []string) *cli.App {
	a := cli.New(s, caller.Lookup(env))
	a.Program, a.Launch = shimPath(), b.launch(env)
	a.Environ = func() []string { return slices.Clone(env) }
	a.Getwd = func() (string, error) { return dir, nil }
	a.Chdir = func(string) error { return nil }
	a.Here = func() fs.Standpoint {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return fs.Standpoint{PID: os.Getpid(), Unknown: "its folder was deleted"}
		}
		at := fs.StandpointAt(real)
		at.PID = os.Getpid()
		return at
	}
	return a
}

// runInside runs a command in this process.
func (b *box) runInside(ctx context.Context, args []string) result {
	nothing, err := os.Open(os.DevNull)
	must(b.T, err)
	defer nothing.Close()
	var out, errs lockedBuffer
	code := run(ctx, b.app(console.Streams{In: nothing, Out: &out, Err: &errs}, b.work, b.env), args)
	return result{code, out.String(), errs.String()}
}

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *lockedBuffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *lockedBuffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// The shim (testdata/shim) is the program ctxfs for scripts, agents and servers of a box that
// runs in this process: it hands its command line and its streams to this process, which
// runs the command. Of some commands it becomes this program, by the name ctxfs.

func shimPath() string { return filepath.Join(base, "shim", "ctxfs") }

// becomeWhole is the rest of this process if it is what a shim has become. Its background
// process is that of the test.
func becomeWhole() {
	self, _ := os.Executable()
	if filepath.Base(self) != "ctxfs" {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		panic(syscall.Exec(filepath.Join(filepath.Dir(filepath.Dir(self)), "ctxfs"), os.Args, os.Environ()))
	}
	main()
}

// installShim builds the shim.
func installShim() error {
	whole := filepath.Join(filepath.Dir(shimPath()), "whole", "ctxfs")
	if err := errors.Join(os.MkdirAll(filepath.Dir(whole), 0o755), os.Link(stubPath(), whole)); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", shimPath(), "./testdata/shim").CombinedOutput(); err != nil {
		return fmt.Errorf("build the shim: %w\n%s", err, out)
	}
	return nil
}

// serveShims runs the commands of shims until the listener is closed.
func serveShims() (io.Closer, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(filepath.Dir(shimPath()), "sock")})
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			go serveShim(conn)
		}
	}()
	return l, nil
}

func serveShim(conn *net.UnixConn) {
	defer conn.Close()
	rights := make([]byte, syscall.CmsgSpace(4*4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return
	}
	var files []*os.File
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
		files = append(files, os.NewFile(uintptr(fd), "stream"))
		defer files[len(files)-1].Close()
	}
	in := bufio.NewReader(conn)
	word := func() string {
		text, _ := in.ReadString(0)
		return strings.TrimSuffix(text, "\x00")
	}
	number := func() int {
		n, _ := strconv.Atoi(word())
		return n
	}
	words := make([]string, number())
	for i := range words {
		words[i] = word()
	}
	if len(words) < 3 {
		return
	}
	dir := words[0]
	pid, _ := strconv.Atoi(words[1])
	n, _ = strconv.Atoi(words[2])
	args, env := words[3:3+n], words[3+n:]
	code := 98
	if b := boxOf(env); b == nil {
		fmt.Fprintln(files[2], "ctxfs: the test of this home is over")
	} else if len(files) == 4 {
		_, _ = b.launch(env)(files[2], files[3], args...)
		code = 0
	} else {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, conn) // until it is killed, or gets a signal
			cancel()
		}()
		a := b.app(console.Streams{In: files[0], Out: files[1], Err: files[2]}, dir, env)
		here := a.Here
		a.Here = func() fs.Standpoint {
			at := here()
			at.PID = pid
			return at
		}
		code = run(ctx, a, args)
	}
	_, _ = conn.Write([]byte{byte(code)})
}

// boxOf is the box that an environment belongs to, by its home.
func boxOf(env []string) (found *box) {
	boxes.Range(func(dir, b any) bool {
		for _, entry := range env {
			if strings.HasPrefix(entry, "HOME="+dir.(string)+"/") {
				found = b.(*box)
			}
		}
		return found == nil
	})
	return found
}
