// Command shim is the program ctxfs where the commands of a test run in its own process:
// for the scripts, agents and servers of that test. It hands its command line and its
// streams over, and exits as the command there does. What must be a process of its own,
// such as a recorded terminal, the test's program becomes.
package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// processes are the commands that the program of the test becomes; of a hook and of a call
// this is the part that agents start. TestMain tells them by the name ctxfs.
var processes = []string{"helper", "run", "term", "attach", "stop", "agent", "hook"}

func main() {
	self, err := os.Executable()
	folder := filepath.Dir(self)
	if len(os.Args) > 1 && slices.Contains(processes, os.Args[1]) {
		err = syscall.Exec(filepath.Join(folder, "whole", "ctxfs"), os.Args, os.Environ())
	}
	code := 0
	if err == nil {
		code, err = handOver(filepath.Join(folder, "sock"))
	}
	if err != nil {
		os.Stderr.WriteString("shim: " + err.Error() + "\n")
		code = 99
	}
	os.Exit(code)
}

func handOver(socket string) (code int, err error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	}
	if err != nil {
		return 0, err
	}
	streams := []int{0, 1, 2}
	if slices.Contains(os.Args[1:], "daemon") {
		streams = append(streams, 3) // who has started it is told there that it runs
	}
	if err := syscall.Sendmsg(fd, []byte{0}, syscall.UnixRights(streams...), nil, 0); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1) // before the command does anything that is answered by a signal
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	dir, _ := os.Getwd()
	words := append([]string{dir, strconv.Itoa(os.Getpid()), strconv.Itoa(len(os.Args) - 1)}, append(os.Args[1:], os.Environ()...)...)
	conn := os.NewFile(uintptr(fd), socket)
	words = append([]string{strconv.Itoa(len(words))}, words...)
	if _, err := conn.WriteString(strings.Join(words, "\x00") + "\x00"); err != nil {
		return 0, err
	}
	go func() {
		<-signals
		_ = syscall.Shutdown(fd, syscall.SHUT_WR)
	}()
	answer := make([]byte, 1)
	if _, err := conn.Read(answer); err != nil {
		return 0, err
	}
	return int(answer[0]), nil
}
