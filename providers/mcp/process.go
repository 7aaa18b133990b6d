package mcp

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/spawn"
)

// process is a server's process with its whole group: launchers leave the
// real server as a grandchild, which outlives them.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *tail

	exited chan struct{} // closed when the process has ended
	status string        // how it ended; read after exited
}

// startProcess starts the server of a definition.
func startProcess(d *definition, env []string, home string, spawner *spawn.Spawner) (*process, error) {
	dir := d.dir
	if dir == "" {
		dir = home
	}
	path, err := findProgram(d.command, env, dir)
	if err != nil {
		return nil, err
	}
	// Pipes of our own: those of exec.Cmd are closed by Wait, whatever is
	// still in them.
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	p := &process{stdin: inW, stdout: outR, stderr: new(tail), exited: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: path, Args: append([]string{d.command}, d.args...), Env: env, Dir: dir,
		Stdin: inR, Stdout: outW, Stderr: p.stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   time.Second, // a grandchild may hold the standard error
	}
	err = spawner.Start(p.cmd)
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, startError(d, dir, err)
	}
	go func() {
		p.status = exitStatus(p.cmd.Wait())
		close(p.exited)
	}()
	return p, nil
}

// stop ends the process and all of its group, and waits for its end: its
// standard input is closed; it is asked to end; it is killed. What hangs in
// the kernel even then is left to it.
func (p *process) stop(t timing) {
	p.stdin.Close()
	if !p.waitFor(t.eof) {
		p.signal(syscall.SIGTERM)
		p.waitFor(t.term)
	}
	p.signal(syscall.SIGKILL) // what is left of the group, in any case
	p.waitFor(t.kill)
	p.stdout.Close()
}

// signal signals the group. There may be nobody left in it.
func (p *process) signal(sig syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, sig) }

func (p *process) waitFor(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// exitStatus puts the result of Wait into words.
func exitStatus(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return "it ended with exit status 0"
	case errors.As(err, &exit):
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return "it was ended by a signal: " + ws.Signal().String()
		}
		return fmt.Sprintf("it ended with exit status %d", exit.ExitCode())
	}
	return "it ended: " + err.Error()
}

// findProgram finds a command as its process would: in the PATH of its own
// environment, which may not be ours, and from its own folder.
func findProgram(command string, env []string, dir string) (string, error) {
	if strings.ContainsRune(command, '/') {
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		return command, nil // Start tells what is wrong with it
	}
	var search string
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			search = value
		}
	}
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		path := filepath.Join(folder, command)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &startFault{
		what:   fmt.Sprintf("the command %q was not found in PATH", program(command)),
		hint:   "install it, or give its full path",
		remark: "the PATH in which ctxfs looks for it, that of the shell that started it: " + search,
	}
}

// program is what may be shown of a command.
func program(command string) string {
	first, _, _ := strings.Cut(command, " ")
	return first
}

// startFault is why a process could not be started at all.
type startFault struct {
	what, hint string
	remark     string // more, for STATUS.md
}

func (f *startFault) Error() string { return f.what }

func startError(d *definition, dir string, err error) error {
	if errors.Is(err, iofs.ErrNotExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return &startFault{what: fmt.Sprintf("its folder %s does not exist", dir), hint: "make it, or change `cwd`"}
		}
	}
	cause := err
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	return &startFault{
		what: fmt.Sprintf("the command %q cannot be started: %v", program(d.command), cause),
		hint: "correct the command",
	}
}
