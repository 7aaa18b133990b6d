package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// recordMode names the folder where this program records its standard input.
const recordMode = "CTXFS_TEST_RECORD"

// bare hides nothing.
type bare struct{}

func (bare) Mask(text []byte) []byte     { return text }
func (bare) Again(text []byte) []byte    { return text }
func (bare) Args(argv []string) []string { return argv }

// recordStdin records lines as what a terminal is sent, "~" for a line's end, and
// says when each is written.
func recordStdin(dir string) int {
	r, err := record.New(record.Options{Dir: dir, Source: record.Term, Nonce: "n", Pid: os.Getpid(), Cwd: "/home/u", Mask: func() record.Masker { return bare{} }})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(r.ID())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		r.Write([]byte(strings.ReplaceAll(lines.Text(), "~", "\r\n")))
		r.Settle(time.Now().Add(time.Second))
		fmt.Println("written")
	}
	if err := r.Close(0, ""); err != nil {
		return 1
	}
	return 0
}

// child is a process in a box whose lines are read one by one.
type child struct {
	*box
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// follow starts a command, which ends with the test at the latest.
func (b *box) follow(cmd *exec.Cmd) *child { b.Helper(); return b.followed(cmd, false) }

// talks is follow, where the lines of standard error are read as well.
func (b *box) talks(cmd *exec.Cmd) *child { b.Helper(); return b.followed(cmd, true) }

func (b *box) followed(cmd *exec.Cmd, errs bool) *child {
	b.Helper()
	c := &child{box: b, cmd: cmd, lines: make(chan string, 100_000)}
	in, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	if c.in, cmd.Stderr = in, os.Stderr; errs {
		cmd.Stderr = cmd.Stdout
	}
	must(b, cmd.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
	})
	return c
}

// rest reads the other lines, waits for the end of the process, and returns its exit code.
func (c *child) rest() (code int, text string) {
	c.Helper()
	for line := range c.lines {
		text += line + "\n"
	}
	_ = c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode(), text
}

// recorder starts a process that records a terminal.
func (b *box) recorder() *child {
	b.Helper()
	cmd := b.command(b.Context(), stubPath())
	cmd.Env = append(cmd.Env, recordMode+"="+filepath.Join(b.state, "ctxfs", "terminals"))
	c := b.follow(cmd)
	c.sees("1")
	return c
}

// put has text recorded.
func (c *child) put(text string) {
	c.Helper()
	fmt.Fprintln(c.in, strings.ReplaceAll(text, "\r\n", "~"))
	c.sees("written")
}

// sees reads lines to one that holds some text, and returns them.
func (c *child) sees(want string) (text string) {
	c.Helper()
	for timeout := time.After(fstest.Patience); ; {
		select {
		case line, ok := <-c.lines:
			if strings.Contains(line, "\x00") {
				c.Fatalf("a zero byte: %q", line)
			}
			if text += line + "\n"; ok && strings.Contains(line, want) {
				return text
			}
			if ok {
				continue
			}
		case <-timeout:
		}
		c.Fatalf("no %q in %q", want, text)
	}
}

// command begins and ends as a shell tells it.
func commandBegins(text string) string {
	return "\x1b]133;A;ctx=n;cwd=/home/u\a$ " + text + "\r\n\x1b]133;C;ctx=n;cwd=/home/u;cmdline_url=" + text + "\a"
}

func commandEnds(exit int) string { return fmt.Sprintf("\x1b]133;D;%d;ctx=n\a", exit) }

// TestTerminals looks at a terminal from its beginning to its end as people and
// agents do.
func TestTerminals(t *testing.T) {
	t.Parallel()
	need(t, "rg", "jq")
	b := newBox(t)
	b.mount()
	b.shows("AGENTS.md", "terminals/: none recorded yet")
	r := b.recorder()
	b.shows("AGENTS.md", "Open now: 1\n")
	r.put(commandBegins("make") + "cc x.c\r\nx.c:1: wombat expected\r\n" + commandEnds(2))
	b.shows("terminals/1.txt", "last_command: make\nlast_exit_code: 2\n", "wombat expected")
	b.shows("terminals/1/failed.txt", "cc x.c\nx.c:1: wombat expected\n")
	b.shows("terminals/INDEX.md", "- **1.txt**: idle, pid ", "last: `make`, exit 2")
	b.shows("STATUS.md", "## terminals: ready\n\n1 terminal, 1 open")
	// The places of a record, with the tools that are to be used.
	const places = `cd .agentctx/terminals; eval $(jq -r '"b0=\(.bytes[0]) b1=\(.bytes[1]) l0=\(.lines[0]) l1=\(.lines[1])"' 1/commands.jsonl); `
	for _, tool := range []string{"sed -n $l0,${l1}p 1.txt", "tail -c +$((b0+1)) 1.txt | head -c $((b1-b0))", "tail -n +8 1/commands/1.txt", "tail -n +8 1/last.txt"} {
		if got := b.sh(places + tool); got != "cc x.c\nx.c:1: wombat expected\n" {
			t.Errorf("%s: %q", tool, got)
		}
	}
	for _, where := range []string{"rg -l wombat .agentctx", "cd .agentctx; rg -l wombat", "cd .agentctx; rg -l wombat .", "cd .agentctx; rg -l wombat terminals"} {
		if got := b.sh(where); !strings.HasSuffix(got, "terminals/1.txt\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", where, got)
		}
	}
	b.ok("wait", "settled")
	if got := b.ok("find", "make"); !strings.Contains(got, "terminals/1/commands/1.txt") { // the command's own record
		t.Errorf("find: %s", got)
	}
	must(t, r.in.Close())
	r.rest()
	b.shows("terminals/INDEX.md", "- 1.txt: ended 20")
	b.shows("AGENTS.md", "Open now: none\n")
	b.ok("unmount")
	// The same without a mount, and in a plain folder.
	if got := b.ok("cat", "terminals/1/failed.txt"); !strings.HasPrefix(got, "---\ncommand: make\n") || !strings.HasSuffix(got, "\n---\ncc x.c\nx.c:1: wombat expected\n") {
		t.Errorf("%q", got)
	}
	b.ok("sync", "--once", filepath.Join(b.home, "plain"))
	if got := b.sh("tail -n +8 plain/terminals/1/commands/1.txt; ls plain/terminals/1"); got != "cc x.c\nx.c:1: wombat expected\ncommands\ncommands.jsonl\nfailed.txt\nlast.txt\nscreen.txt\n" {
		t.Errorf("%q", got)
	}
}

// TestTerminalsAreFollowed has all kinds of followers hear of each line.
func TestTerminalsAreFollowed(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	r := b.recorder()
	b.shows("terminals/INDEX.md", "1.txt")
	r.put(commandBegins("serve"))
	const uutils = "/usr/lib/cargo/bin/coreutils/tail"
	followers := map[string][]string{
		"tail -f": {"tail", "-n", "+1", "-s", "0.05", "-f", b.mnt("terminals/1.txt")},
		"tail -F": {"tail", "-n", "+1", "-s", "0.05", "-F", b.mnt("terminals/1.txt")},
		"uutils":  {uutils, "-n", "+1", "-f", b.mnt("terminals/1.txt")},
		"node": {"node", "-e", `
const fs = require("fs"), path = process.argv[1];
let shown = 0;
const show = () => {
  const text = fs.readFileSync(path, "utf8");
  process.stdout.write(text.slice(shown));
  shown = text.length;
};
fs.watch(path, show);
show();`, b.mnt("terminals/1.txt")},
	}
	started := make(map[string]*child)
	for name, args := range followers {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s is not installed", args[0])
			continue
		}
		started[name] = b.follow(b.command(t.Context(), args[0], args[1:]...))
		started[name].sees("$ serve")
	}
	for i := range 20 {
		r.put(fmt.Sprintf("request %d done\r\n", i))
		for _, c := range started {
			c.sees(fmt.Sprintf("request %d done", i))
		}
	}
}

// TestTerminalsAreNeverTorn reads a log over and over as it grows and its header
// changes: no zero byte, no gap, nothing that goes away.
func TestTerminalsAreNeverTorn(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	r := b.recorder()
	b.shows("terminals/INDEX.md", "1.txt")
	const lines = 1000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < lines; i += 10 {
			var text strings.Builder
			text.WriteString(commandBegins("step"))
			for j := range 10 {
				fmt.Fprintf(&text, "%06d %s\r\n", i+j, strings.Repeat("x", (i+j)%50))
			}
			fmt.Fprintln(r.in, strings.ReplaceAll(text.String()+commandEnds(0), "\r\n", "~"))
			<-r.lines
		}
	}()
	last, path := "", b.mnt("terminals/1.txt")
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		text, err := os.ReadFile(path)
		must(t, err)
		if i := bytes.IndexByte(text, 0); i >= 0 {
			t.Fatalf("a zero byte at %d of %d", i, len(text))
		}
		head, body := string(text[:record.HeaderLen]), string(text[record.HeaderLen:])
		if !strings.HasPrefix(strings.TrimLeft(head, "-"), "\npid: ") || !strings.HasSuffix(head, "---\n") || !strings.HasPrefix(body, last) {
			t.Fatalf("torn: %q, then %d bytes after %d", head, len(body), len(last))
		}
		last = body
	}
	want := 0
	for line := range strings.Lines(last) {
		if digits, _, _ := strings.Cut(line, " "); digits != "$" {
			if n, err := strconv.Atoi(digits); err != nil || n != want {
				t.Fatalf("line %d is %q", want, line)
			}
			want++
		}
	}
	if want != lines {
		t.Errorf("%d lines of %d", want, lines)
	}
}

// TestTerminalsOutliveEverything has the recorder killed, then the background
// process: all that was readable stays.
func TestTerminalsOutliveEverything(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	r := b.recorder()
	r.put(commandBegins("serve") + "listening\r\n")
	b.shows("terminals/1.txt", "listening")
	b.kill()
	r.put("still here\r\n") // the terminal goes on
	b.mount()
	b.shows("terminals/1.txt", "listening\nstill here\n")
	r.put("and here\r\n")
	b.shows("terminals/1.txt", "still here\nand here\n")
	must(t, r.cmd.Process.Kill())
	r.rest()
	b.shows("terminals/INDEX.md", "- 1.txt: ended, its holder was killed")
	b.shows("terminals/1.txt", "listening\nstill here\nand here\n")
	b.shows("terminals/1/last.txt", "listening\nstill here\nand here\n")
}
