package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ctxfs/fs/fstest"
)

// TestTranscriptsAreFollowed has all kinds of followers hear of each message of a
// session, which was idle for a day until then, while others read it.
func TestTranscriptsAreFollowed(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	l := b.claude(wombatID, "Mend the wombat").idle()
	b.mount()
	b.rendered()
	path := b.mnt(l.transcript())
	b.shows(l.transcript(), "Mend the wombat")

	const uutils = "/usr/lib/cargo/bin/coreutils/tail"
	followers := map[string]*child{}
	for name, args := range map[string][]string{
		"tail -f": {"tail", "-n", "+1", "-s", "0.05", "-f", path},
		"tail -F": {"tail", "-n", "+1", "-s", "0.05", "-F", path},
		"uutils":  {uutils, "-n", "+1", "-f", path},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s is not installed", args[0])
			continue
		}
		followers[name] = b.follow(b.command(t.Context(), args[0], args[1:]...))
		followers[name].sees("Mend the wombat")
	}
	var readers sync.WaitGroup
	var done atomic.Bool
	for range 2 {
		readers.Go(func() { readOver(t, path, &done) })
	}
	const messages = 100
	for i := range messages {
		l.assistant(fmt.Sprintf("answer %d %s.", i, strings.Repeat("x", i*7%200)))
		if i%20 == 0 {
			for _, c := range followers {
				c.sees(fmt.Sprintf("answer %d ", i))
			}
		}
	}
	b.shows(l.transcript(), fmt.Sprintf("answer %d ", messages-1))
	done.Store(true)
	readers.Wait()
	text := b.read(l.transcript())
	l.assistant("The end.")
	for name, c := range followers {
		// What is left of what was said.
		from := strings.LastIndex(text, "answer 80 ")
		for line := range strings.Lines(text[from+strings.IndexByte(text[from:], '\n')+1:]) {
			if got := <-c.lines; got != strings.TrimSuffix(line, "\n") {
				t.Fatalf("%s: %q, not %q", name, got, line)
			}
		}
		c.sees("The end.")
	}
	if n := countUp(t, text, "answer "); n != messages {
		t.Errorf("%d answers of %d", n, messages)
	}
}

// countUp counts the lines that begin with a word and a number, which must be in
// order, each once.
func countUp(t *testing.T, text, word string) (next int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, word); ok {
			if !strings.HasPrefix(rest, strconv.Itoa(next)+" ") {
				t.Fatalf("%s%d is %q", word, next, line)
			}
			next++
		}
	}
	return next
}

// readOver reads a growing file over and over: it never has a zero byte, and
// what was read once stays.
func readOver(t *testing.T, path string, done *atomic.Bool) {
	last := ""
	for !done.Load() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			return
		}
		if i := strings.IndexByte(string(text), 0); i >= 0 {
			t.Errorf("a zero byte at %d of %d", i, len(text))
			return
		}
		if !strings.HasPrefix(string(text), last) {
			t.Errorf("%d bytes do not begin with the %d before", len(text), len(last))
			return
		}
		last = string(text)
	}
}

// TestTranscriptsComeAndGo has sessions appear, get a better title, and vanish
// under a running mount.
func TestTranscriptsComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	b.shows("STATUS.md", "## transcripts: empty")
	if r := b.shell("ls .agentctx/transcripts/claude-code; ls .agentctx/transcripts/by-id/" + wombatID); strings.Count(r.err, "No such file") != 2 {
		t.Errorf("before there is anything: %v", r)
	}
	l := b.claude(wombatID, "Mend the wombat")
	b.shows("transcripts/by-id/"+wombatID+"/transcript.md", "Mend the wombat")
	b.shows(l.transcript(), "Mend the wombat")
	b.shows("transcripts/INDEX.tsv", l.folder+"\t")
	former := l.folder
	l.append(oneLine(map[string]any{"type": "custom-title", "customTitle": "Wombat day", "sessionId": wombatID}))
	l.folder = "claude-code/work/" + sessionDay + "_Wombat-day_" + first8(wombatID)
	b.shows(l.transcript(), "Mend the wombat")
	if names := b.sh("ls .agentctx/transcripts/claude-code/work"); names != filepath.Base(l.folder)+"\n" {
		t.Errorf("the listing: %s", names)
	}
	b.shows("transcripts/"+former+"/transcript.md", "Mend the wombat") // for who has noted it
	b.shows("transcripts/INDEX.tsv", l.folder+"\t")
	p := b.pi(numbatID, "Wake the numbat")
	b.shows(p.transcript(), "Wake the numbat")
	must(t, os.Remove(filepath.Join(b.home, l.path)))
	b.absent("transcripts/claude-code")
	b.absent("transcripts/by-id/" + wombatID)
	if got := b.sh("ls .agentctx/transcripts"); got != "INDEX.tsv\nby-id\npi\n" {
		t.Errorf("ls: %q", got)
	}
	b.shows(p.transcript(), "Wake the numbat")
}

// TestTranscriptsWarm reads quiet sessions over and over: in the end the kernel answers by
// itself.
func TestTranscriptsWarm(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := realBox(t) // for the system calls of its process
	const sessions = 50
	for i := range sessions {
		b.pi(fmt.Sprintf("%08x-2222-4333-8444-555555555555", i), fmt.Sprintf("Wake numbat %d", i)).idle()
	}
	b.mount()
	b.rendered()
	pid := b.pid()
	search := func() uint64 {
		t.Helper()
		before := readCalls(t, pid)
		if got := b.sh("rg -c 'Wake numbat' .agentctx/transcripts | wc -l"); got != fmt.Sprintln(sessions) {
			t.Fatalf("%s sessions are found", got)
		}
		return readCalls(t, pid) - before
	}
	if n := search(); n < sessions {
		t.Fatalf("%d calls: this does not count requests", n)
	}
	b.settled()
	search() // which may find what the first one has made known
	b.settled()
	if n := search(); n >= sessions/10 {
		t.Errorf("there are %d calls, though all was read", n)
	}
}

// readCalls is how often a process has read from anything; each request of the
// kernel's is read from its device.
func readCalls(t *testing.T, pid int) (n uint64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if digits, ok := strings.CutPrefix(line, "syscr: "); ok {
			n, err = strconv.ParseUint(strings.TrimSpace(digits), 10, 64)
			must(t, err)
			return n
		}
	}
	t.Fatalf("no syscr in %s", text)
	return 0
}

// big makes a session of many megabytes.
func (b *box) big(id string, messages int) *agentLog {
	b.Helper()
	l := b.pi(id, "Wake the numbat")
	var text strings.Builder
	for i := range messages {
		l.n++
		text.WriteString(piRecord(l, "assistant", fmt.Sprintf("message %d %s", i, strings.Repeat("so many words ", 100))))
	}
	l.append(text.String())
	return l
}

// TestTranscriptsOutliveAKill has the background process killed while it renders,
// over and over: in the end there is all of it, and nothing twice.
func TestTranscriptsOutliveAKill(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	const messages = 5_000
	l := b.big(numbatID, messages).idle()
	texts := filepath.Join(b.cache, "ctxfs", "transcripts", "??", "*", "*.md")
	seen := int64(0)
	for range 3 {
		b.mount()
		pid := b.pid()
		fstest.Eventually(t, "it renders", func() bool { // how far that is it tells nobody
			found, err := filepath.Glob(texts)
			must(t, err)
			return slices.ContainsFunc(found, func(path string) bool {
				info, err := os.Stat(path)
				return err == nil && info.Size() > seen
			})
		})
		seen += 2 << 20
		signalTo(t, pid, 9)
		awaitExit(t, pid)
	}
	l.assistant("After the kill.")
	b.mount()
	b.shows(l.transcript(), "After the kill.")
	text := b.read(l.transcript())
	if n := countUp(t, text, "message "); n != messages {
		t.Errorf("%d messages of %d", n, messages)
	}
	other := *b
	other.env = append(slices.Clone(b.env), "XDG_CACHE_HOME="+filepath.Join(b.dir, "other"), "XDG_RUNTIME_DIR="+filepath.Join(b.dir, "other"))
	if got := other.ok("cat", l.transcript()); got != text {
		t.Errorf("made in one go it has %d bytes, not %d", len(got), len(text))
	}
}

// TestTranscriptsWithoutTheirCache deletes the cache under a running mount.
func TestTranscriptsWithoutTheirCache(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	all := b.threeSessions()
	all[0].idle()
	b.mount()
	b.rendered()
	before := make(map[string]string)
	for _, l := range all {
		before[l.transcript()] = b.read(l.transcript())
	}
	open, err := os.Open(b.mnt(all[1].transcript()))
	must(t, err)
	defer open.Close()
	b.settled() // nobody writes to it
	must(t, os.RemoveAll(filepath.Join(b.cache, "ctxfs", "transcripts")))
	dropPages(t)
	for path, want := range before {
		if got := b.read(path); got != want {
			t.Errorf("%s is %q, not %q", path, got, want)
		}
	}
	if text, err := io.ReadAll(open); err != nil || string(text) != before[all[1].transcript()] {
		t.Errorf("who had it open reads %q, %v", text, err)
	}
	for _, l := range all {
		l.assistant("And on it goes.")
		b.shows(l.transcript(), before[l.transcript()], "And on it goes.")
		if got := b.read(l.transcript()); strings.Count(got, "All done by") != 1 {
			t.Errorf("%s is %s", l.transcript(), got)
		}
	}
}

// dropPages has the kernel forget what it has read, where it lets us.
func dropPages(t *testing.T) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0); err != nil {
		t.Logf("what the kernel has read stays: %v", err)
	}
}

// TestTranscriptsThatMayNotBeRead has a session and a folder without permission:
// both say so, and the others are as they were.
func TestTranscriptsThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	if os.Getuid() == 0 && b.uid == 0 {
		t.Skip("root may read everything")
	}
	l, p := b.claude(wombatID, "Mend the wombat").idle(), b.pi(numbatID, "Wake the numbat").idle()
	b.write(".claude/projects/-closed/"+quokkaID+".jsonl", `{"type":"user","uuid":"c0de0000-0000-4000-8000-000000000001","sessionId":"`+quokkaID+`","timestamp":"2026-05-12T08:00:00Z","cwd":"/closed","message":{"role":"user","content":"Feed the quokka"}}`+"\n")
	b.sh("chmod 000 .claude/projects/-closed " + l.path)
	defer b.sh("chmod 700 .claude/projects/-closed")
	b.mount()
	mounted := func(script string, words ...string) {
		t.Helper()
		b.settled()
		if r := b.shell(script); !containsAll(r.out+r.err, words) {
			t.Fatalf("%s does not say %q: %v", script, words, r)
		}
	}
	mounted("cat .agentctx/"+p.transcript(), "Wake the numbat")
	mounted("cat .agentctx/STATUS.md", "## transcripts: degraded", "no permission to read "+b.home+"/.claude/projects/-closed", "chmod u+rx")
	mounted("cat .agentctx/transcripts/by-id/"+wombatID+"/STATUS.md", "state: unreadable", "permission denied", "chmod u+r "+b.home+"/"+l.path)
	b.sh("chmod 600 " + l.path)
	mounted("cat .agentctx/transcripts/by-id/"+wombatID+"/transcript.md", "Mend the wombat")
	mounted("ls .agentctx/transcripts/by-id/"+wombatID, "transcript.md")
	b.sh("chmod 700 .claude/projects/-closed")
	mounted("cat .agentctx/STATUS.md", "## transcripts: ready")
}
