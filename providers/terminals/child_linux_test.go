package terminals

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/terminals/record"

	"golang.org/x/sys/unix"
)

// childVariable names the folder where this test binary records as a process of its
// own.
const childVariable = "CTXFS_TERMINALS_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := recordStdin(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// recordStdin records its input by lines, and reports when each is written.
func recordStdin(dir string) error {
	r, err := record.New(record.Options{Dir: dir, Source: record.Term, Nonce: nonce, Pid: os.Getpid(), Cwd: "/home/u", Mask: func() record.Masker { return mask.New() }})
	if err != nil {
		return err
	}
	fmt.Println(r.ID())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		r.Write([]byte(strings.ReplaceAll(lines.Text(), "~", "\r\n")))
		r.Settle(time.Now().Add(time.Second))
		fmt.Println("written")
	}
	return r.Close(0, "")
}

// recorder is a process that records.
type recorder struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    *os.File
	lines *bufio.Scanner
}

func startRecorder(t *testing.T, dir string) *recorder {
	t.Helper()
	theirs, ours, err := os.Pipe()
	fstest.Must(t, err)
	r := &recorder{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0]), in: ours}
	r.cmd.Env, r.cmd.Stdin, r.cmd.Stderr = append(os.Environ(), childVariable+"="+dir), theirs, os.Stderr
	out, err := r.cmd.StdoutPipe()
	fstest.Must(t, err)
	fstest.Must(t, r.cmd.Start())
	fstest.Must(t, theirs.Close())
	t.Cleanup(func() {
		_ = r.in.Close()
		_ = r.cmd.Wait()
	})
	r.lines = bufio.NewScanner(out)
	r.line()
	return r
}

func (r *recorder) line() {
	r.t.Helper()
	if !r.lines.Scan() {
		r.t.Fatal("the recorder has ended")
	}
}

// put makes it record a text, with "~" for a line's end.
func (r *recorder) put(text string) {
	r.t.Helper()
	fmt.Fprintln(r.in, strings.ReplaceAll(text, "\r\n", "~"))
	r.line()
}

// TestRecorderIsKilled: the end of the process is noticed at once, and nothing
// is lost.
func TestRecorderIsKilled(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	r := startRecorder(t, dir)
	r.put(begin("serve") + "listening\r\n")
	f.shows(indexName, "**1.txt**", "runs: `serve`")
	before := f.read("1.txt")
	fstest.Must(t, r.cmd.Process.Kill())
	fstest.Must(t, unix.Waitid(unix.P_PID, r.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	f.shows(indexName, "- 1.txt: ended, its holder was killed", "last: `serve`, exit not known")
	if got := f.read("1.txt"); got != before || !strings.HasSuffix(got, "listening\n") {
		t.Errorf("%q", got)
	}
	if got := f.read("1/last.txt"); !strings.HasPrefix(got, "---\ncommand: serve\n") || !strings.HasSuffix(got, "\n---\nlistening\n") {
		t.Errorf("%q", got)
	}
	// The same for a process that has ended and is still in the process table.
	_ = r.cmd.Wait()
	fstest.Contains(t, start(t, dir, offline).read(indexName), "its holder was killed")
}

// TestRecorderEnds shows a terminal that was closed.
func TestRecorderEnds(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	r := startRecorder(t, dir)
	f.shows(indexName, "**1.txt**")
	fstest.Must(t, r.in.Close())
	fstest.Must(t, r.cmd.Wait())
	f.shows(indexName, "- 1.txt: ended 20", ", exit 0")
}
