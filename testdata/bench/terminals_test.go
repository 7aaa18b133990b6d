package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// inTerminal starts a program in a new terminal.
func (u *user) inTerminal(argv ...string) (*exec.Cmd, *os.File) {
	u.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		u.Skip(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = u.dir, u.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	master, slave, err := pty.Open()
	must(u, err)
	must(u, pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	must(u, cmd.Start())
	slave.Close()
	return cmd, master
}

// BenchmarkTermFlood compares cat of a large file in ctxfs term with script(1), which keeps
// the bytes only. It prints the ratio, and fails if the clean text is not that of the file.
func BenchmarkTermFlood(b *testing.B) {
	u := newUser(b)
	var flood bytes.Buffer
	for n := 0; flood.Len() < 128<<20; n++ {
		fmt.Fprintf(&flood, "2026-11-21T06:%02d:%02d.%06d INFO worker-%d request %d served in %d ms\n", n/60%60, n%60, n%1000000, n%8, n, n%977)
	}
	path := filepath.Join(u.dir, "flood")
	must(b, os.WriteFile(path, flood.Bytes(), 0o600))
	var took [2]time.Duration
	for n := 0; b.Loop(); n++ {
		name := fmt.Sprint("flood-", n)
		for i, argv := range [][]string{
			{"script", "-qec", "cat " + path, filepath.Join(u.dir, "typescript")},
			{program(), "term", "--name", name, "--", "cat", path},
		} {
			begun := time.Now()
			cmd, master := u.inTerminal(argv...)
			shown, _ := io.Copy(io.Discard, master) // ends as terminals do
			if err := cmd.Wait(); err != nil || shown < int64(flood.Len()) {
				b.Fatalf("%s has shown %d bytes of %d: %v", argv[0], shown, flood.Len(), err)
			}
			took[i] += time.Since(begun)
			master.Close()
		}
		logs, _ := filepath.Glob(filepath.Join(u.state, "terminals", name, "*.txt"))
		var text strings.Builder
		for part := range len(logs) {
			log, err := os.ReadFile(logs[part])
			must(b, err)
			text.Write(log)
		}
		if last := flood.Bytes()[flood.Len()-200:]; !strings.Contains(text.String(), string(last)) || text.Len() < flood.Len() {
			b.Errorf("%d bytes of %d are in %d parts of the log", text.Len(), flood.Len(), len(logs))
		}
	}
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "×script")
}

// BenchmarkTermEcho compares how long a key takes to be shown, in ctxfs term and in script(1),
// taking turns. It prints both medians in µs.
func BenchmarkTermEcho(b *testing.B) {
	u := newUser(b)
	names := []string{"script", "term"}
	var masters [2]*os.File
	var took [2][]float64
	for i, argv := range [][]string{{"script", "-qec", "cat", filepath.Join(u.dir, "typescript")}, {program(), "term", "--name", "echo", "--", "cat"}} {
		var cmd *exec.Cmd
		cmd, masters[i] = u.inTerminal(argv...)
		defer func() {
			_, _ = masters[i].Write([]byte("\r\x04"))
			_ = cmd.Wait()
			masters[i].Close()
		}()
	}
	buf := make([]byte, 1024)
	pace := time.NewTicker(5 * time.Millisecond) // people type slowly
	defer pace.Stop()
	for n := 0; n < 100 || b.Loop(); n++ {
		for i, master := range masters {
			<-pace.C
			c := "abcdefghi\r"[n%10]
			begun := time.Now()
			_, err := master.Write([]byte{c})
			must(b, err)
			for shown := 0; bytes.IndexByte(buf[:shown], c) < 0; {
				shown, err = master.Read(buf)
				must(b, err)
			}
			if n >= 100 && c != '\r' {
				took[i] = append(took[i], float64(time.Since(begun).Nanoseconds())/1000)
			}
		}
	}
	for i, name := range names {
		b.ReportMetric(median(took[i]), name+"-µs")
	}
}
