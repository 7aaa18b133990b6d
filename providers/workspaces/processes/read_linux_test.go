package processes

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// helper is the variable that makes this program a server: its value is the path of a
// Unix socket.
const helper = "PROCESSES_TEST_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(helper); socket != "" {
		serve(socket)
		return
	}
	os.Exit(m.Run())
}

// serve listens until its input ends, and prints its port when it does.
func serve(socket string) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if _, err := net.Listen("unix", socket); err != nil {
		panic(err)
	}
	if _, err := net.Listen("tcp6", "[::]:0"); err != nil {
		fmt.Fprintln(os.Stderr, err) // no IPv6 here
	}
	if dir := os.Getenv("GO_TO"); dir != "" {
		if err := os.Chdir(dir); err != nil {
			panic(err)
		}
	}
	fmt.Println(tcp.Addr().(*net.TCPAddr).Port)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// start starts a program in a folder and returns its process and the first line that it
// prints. It ends with the test.
func start(t testing.TB, dir string, env []string, name string, args ...string) (pid int, line string) {
	t.Helper()
	pid, output := run(t, dir, env, name, args...)
	line, err := bufio.NewReader(output).ReadString('\n')
	fstest.Must(t, err)
	return pid, strings.TrimSpace(line)
}

// run starts a program in a folder and returns its process and its output. It ends with the
// test.
func run(t testing.TB, dir string, env []string, name string, args ...string) (int, io.Reader) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	input, err := cmd.StdinPipe()
	fstest.Must(t, err)
	stdout, err := cmd.StdoutPipe()
	fstest.Must(t, err)
	fstest.Must(t, cmd.Start())
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, stdout
}

// server returns a copy of this program: the program itself is left out.
func server(t testing.TB) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	fstest.Must(t, err)
	path := filepath.Join(t.TempDir(), "server")
	fstest.Must(t, fstest.WriteProgram(path, self, 0o700))
	return path
}

func TestRead(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	one, two := filepath.Join(root, "one"), filepath.Join(root, "two")
	for _, dir := range []string{filepath.Join(one, "sub"), two} {
		fstest.Must(t, os.MkdirAll(dir, 0o700))
	}
	program, socket := server(t), filepath.Join(root, "a socket")
	listening, port := start(t, filepath.Join(one, "sub"), []string{helper + "=" + socket, terminalVariable + "=build_1"}, program, "--password", "hunter2hunter2")
	moved, _ := start(t, two, []string{helper + "=" + socket + "3", "GO_TO=" + root}, program)
	sleeper, _ := run(t, two, nil, "sleep", "1000")
	shell, _ := run(t, two, nil, "/bin/sh")

	now := time.Now()
	opts := Options{
		Place: func(dir string) string {
			for _, place := range []string{one, two} {
				if dir == place || strings.HasPrefix(dir, place+"/") {
					return place
				}
			}
			return ""
		},
		Now: func() time.Time { return now.Add(time.Hour) },
	}
	all, err := Read(opts)
	fstest.Must(t, err)
	if len(all) != 2 || len(all[one]) != 1 {
		t.Fatalf("got %+v", all)
	}
	p := all[one][0]
	if p.PID != listening || p.Command != program+" --password '[REDACTED:password]'" || p.Terminal != "build_1" || now.Sub(p.Since).Abs() > time.Hour {
		t.Errorf("got %+v", p)
	}
	text := strings.Join(p.Listens, ", ")
	if !strings.Contains(text, "tcp 127.0.0.1:"+port) || !strings.Contains(text, "unix "+socket) || len(p.Listens) == 3 && !strings.Contains(text, "tcp *:") {
		t.Errorf("it listens at %s, not at port %s", text, port)
	}
	got := make(map[int]Process)
	for _, p := range all[two] {
		got[p.PID] = p
	}
	if _, ok := got[moved]; ok {
		t.Error("what has left its folder for another is listed")
	}
	fstest.Equal(t, got[sleeper].Command, "sleep 1000", got)
	if _, ok := got[shell]; ok {
		t.Error("a shell that waits for a command is listed")
	}

	opts.Own = os.Getpid()
	if all, err := Read(opts); err != nil || len(all) > 0 {
		t.Errorf("what our own process has started is listed: %+v, %v", all, err)
	}
	opts.Own, opts.Now = 0, func() time.Time { return now.Add(-time.Hour) }
	if all, err := Read(opts); err != nil || len(all) > 0 {
		t.Errorf("what has just begun is listed: %+v, %v", all, err)
	}
}

func TestTerminalName(t *testing.T) {
	for device, want := range map[int]string{0: "", 136<<8 | 3: "pts/3", 1<<20 | 136<<8 | 5: "pts/261", 4<<8 | 1: "", 5 << 8: ""} {
		fstest.Equal(t, terminalName(device), want, "device", device)
	}
}
