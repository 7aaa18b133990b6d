package holder

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/grid"
)

// Unrecorded is why nothing can be recorded. The program has not been started:
// [Spec.Exec] and [Spec.RunQuiet] still can.
type Unrecorded struct{ Err error }

func (u *Unrecorded) Error() string { return "this is not recorded: " + u.Cause() }
func (u *Unrecorded) Unwrap() error { return u.Err }

// unrecorded marks an error as not the program's; nil stays nil.
func unrecorded(err error) error {
	if err == nil {
		return nil
	}
	return &Unrecorded{err}
}

// Cause returns the reason, on one line.
func (u *Unrecorded) Cause() string { return strings.ReplaceAll(u.Err.Error(), "\n", "; ") }

// notStarted returns the error of a program's start, as Unrecorded if there is
// no room for one more process.
func notStarted(err error) error {
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return unrecorded(err)
	}
	return err
}

// Exec replaces this process with the program of a Spec, unrecorded: the program
// takes over the process, its files, its terminal and its signals. It returns only
// on an error.
func (s *Spec) Exec() error {
	path, argv, err := s.program()
	if err != nil {
		return err
	}
	return &os.PathError{Op: "exec", Path: path, Err: syscall.Exec(path, argv, os.Environ())}
}

// program returns what is to be executed: the command or the shell.
func (s *Spec) program() (path string, argv []string, err error) {
	if len(s.Argv) > 0 {
		path, err = LookPath(s.Argv[0])
		return path, s.Argv, err
	}
	name := filepath.Base(s.Shell)
	if s.Login {
		name = "-" + name
	}
	return s.Shell, []string{name}, nil
}

// defaultPath is where the system looks for a program without PATH.
var defaultPath = [...]string{"/bin", "/usr/bin"}

// LookPath finds a program as the system does: also in a relative folder of
// PATH, and without PATH.
func LookPath(name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	if _, set := os.LookupEnv("PATH"); !set {
		for _, dir := range defaultPath {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	return path, err
}

// RunQuiet runs the command of a Spec, unrecorded, as Run does for quiet
// Streams. An error means that it was not started.
func (s *Spec) RunQuiet(stdin *os.File, limit int) (o Outcome, err error) {
	path, argv, err := s.program()
	if err != nil {
		return o, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return o, err
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: path, Args: argv, Stdin: stdin, Stdout: w, Stderr: w}
	stop := keepSignals()
	err = cmd.Start()
	w.Close()
	if err != nil {
		stop(nil)
		return o, err
	}
	stop(passTo(cmd))
	screen, secrets, shown := grid.New(grid.Options{Cols: 80, Rows: 24}), mask.New(), excerpt.NewWriter(limit)
	take := func() {
		text, _ := screen.Take()
		_, _ = shown.Write(secrets.Mask(text)) // never fails
	}
	o.Exit, o.Signal = await(cmd, func() {
		procs.Relay(r, func(text []byte) {
			screen.Write([]byte(strings.ReplaceAll(string(text), "\n", "\r\n")))
			take()
		})
	}, r)
	screen.Close()
	take()
	o.Shown = shown.Excerpt("")
	return o, nil
}
