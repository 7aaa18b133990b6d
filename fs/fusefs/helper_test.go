package fusefs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// helperVar names the helper that this test binary runs when it was started as
// a child: a process that may look at the mount, as the tests may not.
const helperVar = "CTXFS_FUSEFS_HELPER"

func TestMain(m *testing.M) {
	name := os.Getenv(helperVar)
	if name == "" {
		os.Exit(m.Run())
	}
	help := map[string]func(args []string) error{
		"follow":  helpFollow,
		"reopen":  helpReopen,
		"version": helpVersion,
		"names":   helpNames,
		"own":     helpOwn,
		"user":    helpUser,
		"stands":  helpStands,
		"stuck":   helpStuck,
	}[name]
	if err := help(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// child is a process whose lines are read one by one.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
	errs  bytes.Buffer
}

// start runs a command that ends with the test at the latest.
func start(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{t: t, cmd: cmd}
	var err error
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	fstest.Must(t, err)
	cmd.Stderr = &c.errs
	cmd.WaitDelay = 10 * time.Second
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	fstest.Must(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			c.kill()
		}
	})
	c.lines = bufio.NewScanner(out)
	c.lines.Buffer(nil, 1<<20)
	return c
}

// line returns the next line that the child prints.
func (c *child) line() string {
	c.t.Helper()
	timer := time.AfterFunc(time.Minute, func() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	if !c.lines.Scan() {
		c.t.Fatalf("%v ended: %v %s", c.cmd.Args, c.cmd.Wait(), c.errs.String())
	}
	return c.lines.Text()
}

// hear reads lines up to one that contains text.
func (c *child) hear(text string) {
	c.t.Helper()
	for !strings.Contains(c.line(), text) {
	}
}

// end waits for the child, which must not have found anything wrong.
func (c *child) end() {
	c.t.Helper()
	c.stdin.Close()
	for c.lines.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("%v: %v\n%s", c.cmd.Args[1:], err, c.errs.String())
	}
}

// kill ends the child and its own children, whatever they do.
func (c *child) kill() {
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	c.cmd.Wait()
}

// helper prepares this test binary as one of its helpers.
func helper(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	fstest.Must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), helperVar+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// helpNames prints the names in a folder each time a line is asked for. It lists
// without asking for the folder's attributes, as musl's and Go's readers do.
func helpNames(args []string) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		entries, err := os.ReadDir(args[0])
		if err != nil {
			return err
		}
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		fmt.Println(strings.Join(names, " "))
	}
	return in.Err()
}

var errFault = errors.New("fault")
