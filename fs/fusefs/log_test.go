package fusefs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// numberedLine returns line i of a log: readers can check it without having
// seen the one before.
func numberedLine(i int) string { return fmt.Sprintf("%08d %s\n", i, strings.Repeat("x", i%53)) }

const headLen = 32

func header(i int) string { return fmt.Sprintf("head %-*d\n", headLen-6, i) }

// growingLog is a log in a mount, and the file behind it.
type growingLog struct {
	*mountedTree
	log   *fs.Log
	path  string
	lines int
}

func newGrowingLog(t *testing.T) *growingLog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	fstest.Must(t, os.WriteFile(path, []byte(header(0)), 0o600))
	log := fs.NewLog(path, headLen)
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"log": log, "other": text("other\n")}), fs.TreeOptions{})
	return &growingLog{mountedTree: m, log: log, path: path}
}

// grow appends n lines with one write.
func (g *growingLog) grow(n int) {
	g.t.Helper()
	var b bytes.Buffer
	for range n {
		b.WriteString(numberedLine(g.lines))
		g.lines++
	}
	g.append(b.String())
}

func (g *growingLog) append(s string) {
	g.t.Helper()
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(s)
		err = errors.Join(err, f.Close())
	}
	fstest.Must(g.t, err)
}

func TestLogReadersSeeEveryByteAndNoOther(t *testing.T) {
	for _, announced := range []bool{true, false} {
		t.Run(fmt.Sprintf("announced=%v", announced), func(t *testing.T) {
			g := newGrowingLog(t)
			lines := fstest.Rounds(30_000)
			if testing.Short() {
				lines = 800
			}
			file := filepath.Join(g.dir, "log")
			readers := followers(t, file, lines)
			looks := start(t, helper(t, "reopen", file))
			for i := 0; g.lines < lines; i++ {
				g.grow(min(1+i%41, lines-g.lines))
				if announced {
					g.tree.Changed("log")
				}
				fmt.Fprintln(looks.stdin) // the pace is that of the readers
				looks.hear("seen")
			}
			for _, r := range append(readers, looks) {
				r.end()
			}
			g.expect(strings.TrimSuffix(numberedLine(lines-1), "\n"), "tail -n1 log")
		})
	}
}

// followed is the number of lines after which those who follow a log tell how many they have.
const followed = 400

// followers starts programs that read a log up to a number of lines, as it grows.
func followers(t *testing.T, file string, lines int) []*child {
	t.Helper()
	var all []*child
	for _, how := range []string{"read", "fstat"} {
		c := start(t, helper(t, "follow", file, strconv.Itoa(lines), how))
		c.hear("ready")
		all = append(all, c)
	}
	return all
}

// helpFollow reads a log up to a number of lines, as it grows.
func helpFollow(args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	fmt.Println("ready")
	var text []byte
	off, line := int64(headLen), 0
	buf := make([]byte, 10_000)
	for line < lines {
		if args[2] == "fstat" {
			info, err := f.Stat()
			if err != nil {
				return err
			}
			if info.Size() < off {
				return fmt.Errorf("%w: size %d after %d bytes were read", errFault, info.Size(), off)
			}
		}
		n, err := f.ReadAt(buf, off)
		if err != nil && err != io.EOF {
			return err
		}
		off += int64(n)
		text = append(text, buf[:n]...)
		for {
			i := bytes.IndexByte(text, '\n')
			if i < 0 {
				break
			}
			if got := string(text[:i+1]); got != numberedLine(line) {
				return fmt.Errorf("%w: line %d at %d is %q", errFault, line, off, got)
			}
			text = text[i+1:]
			if line++; line%followed == 0 {
				fmt.Println(line)
			}
		}
		if i := bytes.IndexByte(text, 0); i >= 0 {
			return fmt.Errorf("%w: zero byte in line %d: %q", errFault, line, text)
		}
	}
	return nil
}

// helpReopen opens a log and reads its end, some times for each line that comes.
func helpReopen(args []string) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		for range 5 {
			if err := lookAtEnd(args[0]); err != nil {
				return err
			}
		}
		fmt.Println("seen")
	}
	return in.Err()
}

func lookAtEnd(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	buf := make([]byte, 5000)
	n, err := f.ReadAt(buf, max(0, info.Size()-4000))
	f.Close()
	if err != nil && err != io.EOF {
		return err
	}
	if i := bytes.IndexByte(buf[:n], 0); i >= 0 {
		return fmt.Errorf("%w: zero byte %d of %d, size %d", errFault, i, n, info.Size())
	}
	return nil
}

func TestTailFollowsLog(t *testing.T) {
	for name, command := range map[string]string{
		"gnu":    "exec tail -n +1 -s 0.05 -f log",
		"gnu -F": "exec tail -n +1 -s 0.05 -F log",
		"uutils": "exec " + uutilsTail + " -n +1 -f log",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "uutils" {
				need(t, uutilsTail)
			}
			g := newGrowingLog(t)
			tail := start(t, g.command(t.Context(), command))
			tail.hear("head")
			for range 3 {
				g.grow(2)
				g.changed("log")
				tail.hear(strings.TrimSpace(numberedLine(g.lines - 1)))
			}
			tail.kill()
		})
	}
}

func TestWatchersHearOfLog(t *testing.T) {
	for name, script := range map[string]string{
		"node":        `exec node -e 'require("fs").readFileSync("log"); require("fs").watch("log", e => console.log("event")); console.log("ready")'`,
		"inotifywait": `cat log; exec inotifywait -m -e modify log 2>&1 | sed -u -e "s/.*established.*/ready/" -e "s/.*MODIFY.*/event/"`,
	} {
		t.Run(name, func(t *testing.T) {
			need(t, name)
			g := newGrowingLog(t)
			watcher := start(t, g.command(t.Context(), script))
			watcher.hear("ready")
			g.grow(1)
			g.changed("log")
			watcher.hear("event")
			watcher.kill()
		})
	}
}

func TestTailFollowsNextIncarnation(t *testing.T) {
	for name, renew := range map[string]func(g *growingLog) error{
		"truncated": func(g *growingLog) error { return os.Truncate(g.path, 0) },
		"replaced": func(g *growingLog) error {
			err := os.WriteFile(g.path+".new", nil, 0o600)
			return errors.Join(err, os.Rename(g.path+".new", g.path))
		},
		"removed": func(g *growingLog) error { return os.Remove(g.path) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrowingLog(t)
			tail := start(t, g.command(t.Context(), "exec tail -n +1 -s 0.02 -F log 2>&1"))
			g.append("first\n")
			g.changed("log")
			tail.hear("first")
			fstest.Must(t, renew(g))
			g.changed("log")
			g.append("second\n")
			g.changed("log")
			tail.hear("second")
			g.expect("second", "cat log")
			g.expect("7", "stat -c %s log")
			tail.kill()
		})
	}
}

func TestHeaderIsRewrittenInPlace(t *testing.T) {
	g := newGrowingLog(t)
	g.grow(1)
	holder := start(t, g.command(t.Context(), `exec 5<log; head -c 5 <&5 >/dev/null; echo held; read x; exec cat <log`))
	holder.hear("held")
	g.expect(strings.TrimSpace(header(0)), "head -n1 log | xargs")
	for i := range 3 {
		f, err := os.OpenFile(g.path, os.O_WRONLY, 0)
		fstest.Must(t, err)
		_, err = f.WriteAt([]byte(header(i+1)), 0)
		fstest.Must(t, errors.Join(err, f.Close()))
		g.log.HeadChanged()
		g.changed("log")
		g.expect(fmt.Sprintf("head %d", i+1), "head -n1 log | xargs")
	}
	fmt.Fprintln(holder.stdin)
	fstest.Equal(t, holder.line(), strings.TrimSuffix(header(3), "\n"), "holder")
	holder.kill()
}
