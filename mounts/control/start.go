package control

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startTimeout is how long a new background process may take to be ready.
const startTimeout = 20 * time.Second

// ReadyFD is the descriptor on which a background process says "ready", or
// what keeps it from being so, and which it then closes.
const ReadyFD = 3

// Start connects to the background process, starting it if there is none:
// command must become a [Server] that writes to ReadyFD. Its output goes to
// the file logPath. Many who start at once get one process.
func Start(runtime string, command *exec.Cmd, logPath string) (*Client, error) {
	if c, err := Dial(runtime); !errors.Is(err, ErrNotRunning) {
		return c, err
	}
	starting, err := lock(startPath(runtime), true)
	if err != nil {
		return nil, err
	}
	defer starting.Close()
	if c, err := Dial(runtime); !errors.Is(err, ErrNotRunning) {
		return c, err
	}
	if err := launch(command, logPath); err != nil {
		return nil, err
	}
	return Dial(runtime)
}

func launch(command *exec.Cmd, logPath string) error {
	logFile, err := openLog(logPath)
	if err != nil {
		return err
	}
	defer logFile.Close()
	ready, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	command.Dir = "/" // it must not hold anybody's folder
	command.Stdin, command.Stdout, command.Stderr = nil, logFile, logFile
	command.ExtraFiles = []*os.File{tell} // becomes ReadyFD
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	keepDescriptors()
	err = command.Start()
	tell.Close()
	if err != nil {
		return fmt.Errorf("start the background process: %w", err)
	}
	go func() { _ = command.Wait() }()
	if err := ready.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return err
	}
	line, err := bufio.NewReader(ready).ReadString('\n')
	if line = strings.TrimSpace(line); line == "ready" {
		return nil
	}
	switch {
	case line != "":
		return &Fault{Message: line, Hint: "its log: " + logPath}
	case errors.Is(err, io.EOF):
		return &Fault{Message: "the background process ended at once", Hint: "its log: " + logPath}
	}
	return &Fault{Message: fmt.Sprintf("the background process was not ready within %v", startTimeout), Hint: "its log: " + logPath}
}

// keepDescriptors keeps what this process was handed open, such as the lock of
// a shell script, from programs that it starts: the background process would
// hold it for days.
func keepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // then they are handed on
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// maxLog is the size in bytes past which a log is set aside at the next start.
const maxLog = 1 << 20

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
