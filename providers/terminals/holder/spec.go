package holder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
	"ctxfs/providers/terminals/shells"
)

// Recording says where and how terminals are recorded.
type Recording struct {
	// Dir is the folder of all terminals.
	Dir string `json:"dir"`
	// Runtime are folders for their sockets and other runtime files: the first
	// usable one is used, and all are searched.
	Runtime []string      `json:"runtime"`
	Limits  record.Limits `json:"limits,omitzero"`
	Replay  bool          `json:"replay,omitempty"`
	// Key detaches a viewer.
	Key Key `json:"key,omitzero"`
}

// Spec is what to start.
type Spec struct {
	Recording
	// Name is the wanted ID; see record.Options.
	Name string `json:"name,omitempty"`
	// Shell is the path of a shell; Login makes it a login shell. Argv is a
	// command instead.
	Shell string   `json:"shell,omitempty"`
	Login bool     `json:"login,omitempty"`
	Argv  []string `json:"argv,omitempty"`
	// Background runs the command in a holder without a viewer.
	Background bool `json:"background,omitempty"`
}

// TreeVariable is the environment variable that marks everything that a command has
// started, whatever its parent is by then; see [Recording.Stop].
const TreeVariable = "CTXFS_TREE"

// name returns what is started, as people call it.
func (s *Spec) name() string {
	if len(s.Argv) > 0 {
		return s.Argv[0]
	}
	return s.Shell
}

// prepared is a program ready to be started and recorded.
type prepared struct {
	rec     *record.Recorder
	cmd     *exec.Cmd
	pipe    bool // the output comes through pipes
	cleanup func()
}

// prepare creates the recording and the command. On a later error the caller must
// close the recording and call the cleanup function. Without columns the command's
// output comes through pipes; shown, if not nil, gets the text of the log.
func (s *Spec) prepare(source string, cols, rows int, shown io.Writer) (p prepared, err error) {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "/"
	}
	argv := s.Argv
	if len(argv) == 0 {
		argv = []string{s.Shell}
	}
	nonce := ""
	if source == record.Term {
		nonce = rand.Text()
	}
	tree, environ := "", procs.Without(os.Environ(), TreeVariable)
	if source == record.Run {
		tree = rand.Text()
		environ = append(environ, TreeVariable+"="+tree)
	}
	known := mask.NewKnown(os.Environ())
	p.pipe = cols == 0
	p.rec, err = record.New(record.Options{
		Dir: s.Dir, Name: s.Name, Source: source, Argv: argv, Cwd: cwd, Cols: cols, Rows: rows, Pipe: p.pipe, Copy: shown,
		Background: s.Background, Tree: tree,
		Nonce: nonce, Limits: s.Limits, Replay: s.Replay, Mask: func() record.Masker { return known.Masker() },
	})
	if err != nil {
		return p, unrecorded(err)
	}
	p.cleanup = func() {}
	env := append(environ, Variable+"="+p.rec.ID())
	if len(s.Argv) > 0 {
		var path string
		path, err = LookPath(argv[0])
		p.cmd = &exec.Cmd{Path: path, Args: argv, Env: env}
	} else {
		var c shells.Command
		c, p.cleanup, err = shells.Prepare(shells.Options{
			Shell: s.Shell, Login: s.Login, Nonce: nonce, Dir: filepath.Join(s.runtime(), p.rec.ID()+".shell"), Env: env,
		})
		p.cmd = &exec.Cmd{Path: c.Path, Args: c.Args, Env: c.Env}
		err = unrecorded(err)
	}
	if err != nil {
		p.abandon(err)
	}
	return p, err
}

// start starts a program that needs no terminal.
func (p *prepared) start() error {
	if err := p.cmd.Start(); err != nil {
		err = notStarted(err)
		p.abandon(err)
		return err
	}
	p.rec.Started(p.cmd.Process.Pid)
	return nil
}

// begin starts the program in a new terminal; see the function begin.
func (p *prepared) begin(stdin *os.File, cols, rows int) (*session, error) {
	s, err := begin(p.rec, p.cmd, stdin, cols, rows)
	if err != nil {
		p.abandon(err)
	}
	return s, err
}

// abandon ends a recording whose program could not be started. If the program then
// runs without it, the recording is deleted.
func (p *prepared) abandon(err error) {
	if without := (*Unrecorded)(nil); errors.As(err, &without) {
		p.discard()
		return
	}
	newline := "\n"
	if !p.pipe {
		newline = "\r\n"
	}
	p.rec.Write([]byte("ctxfs: " + NotStartedText(strings.TrimPrefix(p.cmd.Args[0], "-"), err) + newline)) // as the user sees it
	_ = p.rec.Close(NotStarted(err), "")
	p.clean()
}

// discard deletes the recording.
func (p *prepared) discard() {
	p.rec.Discard()
	p.clean()
}

func (p *prepared) clean() {
	if p.cleanup != nil {
		p.cleanup()
	}
}

// NotStartedText says, for people, why a program could not be started.
func NotStartedText(program string, err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Sprintf("%s: there is no such command", program)
	}
	return fmt.Sprintf("%s cannot be started: %s", program, fs.Cause(err))
}

// NotStarted returns the exit code for a command that could not be started, as
// shells do: 127 if it was not found, 126 otherwise.
func NotStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// runtime returns the folder for what a terminal needs while it runs.
func (r *Recording) runtime() string {
	for _, folder := range r.Runtime {
		if os.MkdirAll(folder, 0o700) == nil {
			return folder
		}
	}
	return r.Dir
}
