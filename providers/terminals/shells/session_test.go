package shells

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/grid"
)

// patience is how long a shell may take for something momentary.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	fstest.DefaultSignals()
	os.Exit(m.Run())
}

// record is what the marks report of one command.
type record struct {
	command, cwd string
	exit         int
	output       string
}

const unknown = -1 // an exit code

func (r record) String() string {
	return fmt.Sprintf("%q in %s: exit %d, output %q", r.command, r.cwd, r.exit, r.output)
}

// A home is where a shell of the tests finds the user's files.
type home struct {
	testing.TB
	dir string
}

func newHome(t testing.TB) home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return home{t, dir}
}

// file writes a file of the user's.
func (h home) file(name, text string) {
	h.Helper()
	path := filepath.Join(h.dir, name)
	fstest.Must(h, os.MkdirAll(filepath.Dir(path), 0o700))
	fstest.Must(h, os.WriteFile(path, []byte(text), 0o600))
}

// fish writes fish's files. It would make completions of all manuals at its
// first start, in the background, if it had none.
func (h home) fish(text string) {
	h.Helper()
	h.file(".config/fish/config.fish", "function fish_prompt; echo -n 'ok> '; end\nset -g fish_greeting\n"+text+"\n")
	h.file(".local/share/fish/generated_completions/none", "")
}

// find returns the path of a shell. CTXFS_TEST_BASH names another bash to test.
func find(t testing.TB, name string) string {
	t.Helper()
	if other := os.Getenv("CTXFS_TEST_BASH"); other != "" && name == "bash" {
		return other
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// environment is that of a user with a home folder and nothing else.
func (h home) environment() []string {
	path := os.Getenv("PATH")
	if other := os.Getenv("CTXFS_TEST_BASH"); other != "" {
		path = filepath.Dir(other) + ":" + path
	}
	return []string{
		"HOME=" + h.dir, "PATH=" + path, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "USER=user", "LOGNAME=user",
		"XDG_RUNTIME_DIR=" + h.dir,
	}
}

// A session is a shell in a terminal whose output goes through a grid.
type session struct {
	testing.TB
	nonce   string
	master  *os.File
	shell   *exec.Cmd
	cleanup func()
	done    chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	grid    *grid.Grid
	raw     bytes.Buffer
	log     []byte
	marks   []grid.Mark
	ended   bool
}

// start starts a shell with the integration.
func (h home) start(o Options) *session {
	h.Helper()
	o.Nonce, o.Dir = rand.Text(), filepath.Join(h.dir, ".run", "shell")
	if o.Env == nil {
		o.Env = h.environment()
	}
	c, cleanup, err := Prepare(o)
	fstest.Must(h, err)
	s := open(h.TB, c, h.dir, o.Nonce)
	s.cleanup = cleanup
	return s
}

// open runs a command in a new terminal of 80 by 24.
func open(t testing.TB, c Command, dir, nonce string) *session {
	t.Helper()
	master, slave := openTerminal(t)
	s := &session{TB: t, nonce: nonce, master: master, cleanup: func() {}, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	s.grid = grid.New(grid.Options{Cols: 80, Rows: 24, Nonce: nonce})
	s.shell = &exec.Cmd{
		Path: c.Path, Args: c.Args, Env: c.Env, Dir: dir, Stdin: slave, Stdout: slave, Stderr: slave,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	fstest.Must(t, s.shell.Start())
	_ = slave.Close()
	go s.read()
	t.Cleanup(s.close)
	return s
}

// read feeds the grid until the terminal is closed.
func (s *session) read() {
	defer close(s.done)
	buffer := make([]byte, 4096)
	for {
		n, err := s.master.Read(buffer)
		s.mu.Lock()
		s.raw.Write(buffer[:n])
		s.grid.Write(buffer[:n])
		if err != nil {
			s.grid.Close()
			s.ended = true
		}
		text, marks := s.grid.Take()
		s.log = append(s.log, text...)
		s.marks = append(s.marks, marks...)
		s.changed.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// close ends the shell, if it has not ended.
func (s *session) close() {
	_ = s.shell.Process.Kill()
	_ = s.shell.Wait()
	_ = s.master.Close()
	<-s.done
	s.cleanup()
}

// await waits for a condition that is evaluated with the lock held.
func (s *session) await(what string, is func() bool) {
	s.Helper()
	timer := time.AfterFunc(patience, s.changed.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(patience)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !is() {
		if !time.Now().Before(deadline) || s.ended {
			s.Fatalf("no %s; the terminal has shown:\n%q\nlog:\n%s\nscreen:\n%s", what, s.raw.String(), s.log, strings.Join(s.grid.Screen(), "\n"))
		}
		s.changed.Wait()
	}
}

// shown returns everything that the terminal was sent.
func (s *session) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// count returns the number of marks of a kind.
func (s *session) count(kind grid.Kind) int {
	n := 0
	for _, m := range s.marks {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

// prompt waits for the prompt after a number of them: the shell is reading
// lines, and the last line is that of the prompts of the tests.
func (s *session) prompt(n int) {
	s.Helper()
	s.await(fmt.Sprintf("prompt %d", n), func() bool {
		_, row := s.grid.Cursor()
		return s.count(grid.PromptStart) >= n && strings.HasSuffix(s.grid.Screen()[row], "ok>")
	})
}

// write types bytes.
func (s *session) write(text string) {
	s.Helper()
	if _, err := s.master.WriteString(text); err != nil {
		s.Fatal(err)
	}
}

// shows waits for a text on the screen.
func (s *session) shows(text string) {
	s.Helper()
	s.await(text, func() bool { return strings.Contains(strings.Join(s.grid.Screen(), "\n"), text) })
}

// enter types a command and waits for the prompt after it.
func (s *session) enter(command string) {
	s.Helper()
	s.mu.Lock()
	n := s.count(grid.PromptStart)
	s.mu.Unlock()
	s.write(command + "\r")
	s.prompt(n + 1)
}

// end waits for the end of the shell, and returns its exit code.
func (s *session) end() int {
	s.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.Fatalf("the shell goes on; the terminal has shown:\n%q", s.shown())
	}
	err := s.shell.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return s.shell.ProcessState.ExitCode()
}

// records returns what the marks report of the commands.
func (s *session) records() []record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []record
	var begin *grid.Mark
	prompt := int64(0)
	finish := func(end int64, exit int) {
		if begin == nil {
			return
		}
		r := record{begin.Command, begin.Folder, exit, string(s.log[begin.Offset:end])}
		if r.command == "" {
			r.command = Typed(string(s.log[prompt:begin.Offset]), begin.Parameters["prompt"], begin.Parameters["last"])
		}
		all = append(all, r)
		begin = nil
	}
	for _, m := range s.marks {
		switch m.Kind {
		case grid.PromptStart:
			prompt = m.Offset
		case grid.OutputStart:
			finish(m.Offset, unknown)
			begin = &m
		case grid.CommandEnd:
			finish(m.Offset, m.Exit)
		}
	}
	finish(int64(len(s.log)), unknown)
	return all
}

// recorded compares the records with what they should be.
func (s *session) recorded(want ...record) {
	s.Helper()
	got := s.records()
	for i := range max(len(got), len(want)) {
		switch {
		case s.Failed(): // the first one tells
		case i >= len(got):
			s.Errorf("there is no record of %v", want[i])
		case i >= len(want):
			s.Errorf("there is a record too many: %v", got[i])
		case got[i] != want[i]:
			s.Errorf("record %d:\n got %v\nwant %v", i+1, got[i], want[i])
		}
	}
	if s.Failed() {
		s.Logf("the terminal has shown:\n%q", s.shown())
	}
}
