package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ctxfs/cmd/ctxfs/terminal"
	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// window is a terminal of the user's with a program in it, which is the leader
// of its session: what a terminal emulator opens.
type window struct {
	*box
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File // kept, to see how the terminal was left
	before unix.Termios
	ended  chan struct{}

	reading sync.Mutex // held while nothing is to be taken
	mu      sync.Mutex
	shown   []byte
	more    chan struct{} // closed when more is shown
}

// open opens a window with a command of ctxfs.
func (b *box) open(args ...string) *window { b.Helper(); return b.openWith(nil, args...) }

// openWith opens a window with a command of ctxfs and more variables.
func (b *box) openWith(env []string, args ...string) *window {
	b.Helper()
	return b.openProgram(env, append([]string{binary()}, args...)...)
}

// awaitReading waits while the window is stalled.
func (w *window) awaitReading() {
	w.reading.Lock()
	defer w.reading.Unlock()
}

func (b *box) openProgram(env []string, argv ...string) *window {
	b.Helper()
	w := &window{box: b, ended: make(chan struct{}), more: make(chan struct{})}
	master, slave, err := pty.Open()
	must(b.T, err)
	must(b.T, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}))
	// One that is closed also while it is read.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	must(b.T, err)
	must(b.T, unix.SetNonblock(fd, true))
	must(b.T, master.Close())
	w.master, w.slave = os.NewFile(uintptr(fd), "master"), slave
	w.before = w.attributes()
	w.cmd = exec.Command(argv[0], argv[1:]...)
	w.cmd.Dir = b.dir
	w.cmd.Env = append(append(append([]string(nil), b.env...), "SHELL=/bin/bash", "TERM=xterm", "PS1=ready> "), env...)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = w.slave, w.slave, w.slave
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(b.T, w.cmd.Start())
	go func() {
		buf := make([]byte, 64<<10)
		for {
			w.awaitReading()
			n, err := w.master.Read(buf)
			w.mu.Lock()
			w.shown = append(w.shown, buf[:n]...)
			close(w.more)
			w.more = make(chan struct{})
			w.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		_ = w.cmd.Wait()
		close(w.ended)
	}()
	b.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		<-w.ended
		w.close()
	})
	return w
}

// close closes the window.
func (w *window) close() {
	w.master.Close()
	w.slave.Close()
}

// resize gives the window another size.
func (w *window) resize(cols, rows uint16) {
	w.Helper()
	must(w.T, unix.IoctlSetWinsize(int(w.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows}))
}

// resized gives the window another size, and waits until its terminal has it.
func (w *window) resized(id string, cols, rows uint16) {
	w.Helper()
	w.resize(cols, rows)
	w.recorded(id, "the size is known", func(t *record.Terminal) bool { return t.Cols == int(cols) && t.Rows == int(rows) })
}

// attributes are those of the terminal: raw or not, for instance.
func (w *window) attributes() unix.Termios {
	w.Helper()
	t, err := unix.IoctlGetTermios(int(w.slave.Fd()), getAttributes)
	must(w.T, err)
	return *t
}

// restored checks that the terminal is as it was.
func (w *window) restored() {
	w.Helper()
	if w.attributes() != w.before {
		w.Errorf("the terminal was %+v, and is left %+v", w.before, w.attributes())
	}
}

// types types.
func (w *window) types(text string) {
	w.Helper()
	_, err := w.master.Write([]byte(text))
	must(w.T, err)
}

// sleeper is a program that sleeps. It says so when it is the one that keys reach, which the
// shell may see to a little late: before that the shell takes them, and drops them or not.
const sleeper = `#!/bin/sh
until read -r _ _ _ _ own _ _ reached _ </proc/$$/stat; [ "$own" = "$reached" ]; do :; done
echo $$ >%s
exec sleep 1000
`

// sleeps has the shell run ~/sleeper, and waits until keys reach it.
func (w *window) sleeps() (pid int) {
	w.Helper()
	reached := fstest.NewFIFO(w.T)
	w.writeMode("sleeper", fmt.Sprintf(sleeper, reached.Path), 0o700)
	w.types("~/sleeper\r")
	pid, err := strconv.Atoi(reached.Line())
	must(w.T, err)
	return pid
}

// pause has the window take nothing until resume is called.
func (w *window) pause() (resume func()) {
	w.reading.Lock()
	return w.reading.Unlock
}

// text is what was shown until now.
func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(bytes.Clone(w.shown))
}

// sees waits until words were shown, and forgets all up to them.
func (w *window) sees(words string) {
	w.Helper()
	w.take(words, func(at int) { w.shown = w.shown[at+len(words):] })
}

// take waits until words were shown, and then does something with the text, in which they
// are at a place.
func (w *window) take(words string, do func(at int)) {
	w.Helper()
	for late := time.After(fstest.Patience); ; {
		w.mu.Lock()
		at, more := bytes.Index(w.shown, []byte(words)), w.more
		if at >= 0 {
			do(at)
		}
		w.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-more:
		case <-late:
			w.Fatalf("%q is not shown:\n%q", words, w.text())
		}
	}
}

// reads waits until the shell reads lines. What is typed just after Ctrl-C may be
// lost in part or as a whole: the shell drops it with the line.
func (w *window) reads() {
	w.Helper()
	var typed time.Time
	fstest.Eventually(w.T, "the shell reads lines", func() bool { // which no shell says that drops them
		if time.Since(typed) > time.Second {
			w.types("    echo it is ba''ck\r") // the blanks may be lost
			typed = time.Now()
		}
		return strings.Contains(w.text(), "it is back\r\n")
	})
}

// wait waits for the command and until all that it has written is shown, and
// gives its exit code.
func (w *window) wait() int {
	w.Helper()
	if !inTime(w.ended) {
		w.Fatalf("it does not end:\n%q", w.text())
	}
	const last = "<all is shown>" // behind what the command has written
	if _, err := w.slave.WriteString(last); err != nil {
		return w.cmd.ProcessState.ExitCode() // the window is closed
	}
	w.take(last, func(at int) { w.shown = slices.Delete(w.shown, at, at+len(last)) })
	return w.cmd.ProcessState.ExitCode()
}

// ends waits for the command as wait does, which must end with an exit code and leave the
// terminal as it was.
func (w *window) ends(want int) {
	w.Helper()
	if code := w.wait(); code != want {
		w.Errorf("exit %d, want %d", code, want)
	}
	w.restored()
}

// inTime waits for a channel to be closed, and reports whether it is within
// [fstest.Patience].
func inTime(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(fstest.Patience):
		return false
	}
}

// terminal opens one, and waits for its prompt.
func (b *box) terminal(args ...string) *window {
	b.Helper()
	b.write(".bashrc", "PS1='ready> '\n")
	w := b.open(append([]string{"term"}, args...)...)
	w.sees("ready> ")
	return w
}

// logOf is the newest part of the log of a terminal, without its header.
func (b *box) logOf(id string) string {
	b.Helper()
	text, err := os.ReadFile(b.state + "/ctxfs/terminals/" + id + "/part-0001.txt")
	must(b.T, err)
	return string(text[min(record.HeaderLen, len(text)):])
}

// ps is what `ctxfs ps -a --json` says about a terminal.
func (b *box) ps(id string) terminal.Entry {
	b.Helper()
	for _, e := range b.terminals() {
		if e.ID == id {
			return e
		}
	}
	b.Fatalf("ps does not tell of %s", id)
	return terminal.Entry{}
}

// hasRun waits until a command is recorded as the last one of a terminal, with its exit code.
func (b *box) hasRun(id, command string, exit int) {
	b.Helper()
	b.recorded(id, command+" is recorded", func(t *record.Terminal) bool {
		return t.State == record.Idle && t.LastCommand == command && t.LastExit != nil && *t.LastExit == exit
	})
}

// logs waits until the log of a terminal holds some words.
func (b *box) logs(id, words string) {
	b.Helper()
	b.recorded(id, words+" is recorded", func(*record.Terminal) bool { return strings.Contains(b.logOf(id), words) })
}

// becomes waits until a terminal is in a state.
func (b *box) becomes(id, state string) {
	b.Helper()
	b.recorded(id, id+" is "+state, func(t *record.Terminal) bool { return t.State == state })
}
