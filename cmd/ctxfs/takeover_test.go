package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

// TestAnotherVersion lets a process of an older version serve: each user is told
// once, with the command that replaces it, and that command does.
func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for two programs
	newer := newerProgram(t)
	b.mount()
	pid := b.pid()
	line := fmt.Sprintf("ctxfs: process %d runs an older build of ctxfs (version %s; this program: %s); replace it, which keeps what is mounted: ctxfs mount\n", pid, places.Version, newerVersion)
	for _, args := range [][]string{{"status"}, {"ls"}, {"prompt"}} {
		if r := b.do(newer, args...); r.code != 0 || r.said() != line {
			t.Errorf("%q: exit %d\n%v", args, r.code, r)
		}
	}
	r := b.do(newer, "status", "--json")
	if r.said() != line || !json.Valid([]byte(r.out)) {
		t.Errorf("status --json: %v", r)
	}
	if r := b.do(newer, "__complete", "ls", ""); strings.Contains(r.err, newerVersion) {
		t.Errorf("completion: %v", r)
	}
	if r := b.do(newer, "mount"); r.code != 0 || r.said() != "" || !strings.HasPrefix(r.out, fmt.Sprintf("replaced process %d, of version %s, by one of version %s\nmounted on ~/.agentctx\n", pid, places.Version, newerVersion)) {
		t.Errorf("mount: %v", r)
	}
	awaitExit(t, pid)
	report := b.status()
	if report.Version != newerVersion || report.Pid == pid {
		t.Errorf("status: %+v", report)
	}
	if r := b.do(newer, "mount"); r.code != 0 || r.said() != "" || r.out != "already mounted on ~/.agentctx\n" {
		t.Errorf("again: %v", r)
	}
	// An older program uses a newer process, and never replaces it.
	line = fmt.Sprintf("ctxfs: process %d runs version %s of ctxfs, this program is the older version %s; use the newer one: %s\n", report.Pid, newerVersion, places.Version, newer)
	for _, args := range [][]string{{"mount"}, {"status"}, {"mount", "--json"}} {
		if r := b.run(args...); r.code != 0 || !strings.Contains(r.err, line) {
			t.Errorf("%q: exit %d\n%v", args, r.code, r)
		}
	}
	if now := b.status(); now.Pid != report.Pid {
		t.Errorf("the older program has replaced the newer: %+v", now)
	}
}

// installed copies the program to a place of the box from which it is run; again,
// it replaces the file as an update does.
func (b *box) installed() (program string) {
	b.Helper()
	program = filepath.Join(b.dir, "bin", "ctxfs")
	install(b, program)
	return program
}

func install(t testing.TB, program string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(program), 0o755))
	body, err := os.ReadFile(binary())
	must(t, err)
	must(t, fstest.WriteProgram(program+".new", body, 0o755))
	must(t, os.Rename(program+".new", program))
}

// TestUpdateTakesOver replaces the file of a program whose process shows two mounts
// and a folder, and is used: by a terminal, a call, a program in a mount.
func TestUpdateTakesOver(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for two programs
	answer, journal := filepath.Join(b.dir, "result.json"), fstest.NewFIFO(t)
	b.write("tools.json", `[{"name":"await_it","inputSchema":{"type":"object"}}]`)
	b.stub("zoo", "", map[string]string{stubResult: answer, stubTools: filepath.Join(b.home, "tools.json"), stubJournal: journal.Path})
	program := b.installed()
	second := filepath.Join(b.dir, "second mount")
	for _, dir := range []string{b.mnt(), second} {
		if r := b.do(program, "mount", dir); r.code != 0 {
			t.Fatal(r)
		}
	}
	pid := b.pid()
	w := b.terminal("--name", "api")
	w.types("echo be''fore\r")
	b.hasRun("api", "echo be''fore", 0)
	b.shows("terminals/api.txt", "\nbefore\n")
	plain := filepath.Join(b.dir, "plain")
	syncing := b.syncing(plain)
	defer func() { _ = syncing.Process.Signal(syscall.SIGTERM); _ = syncing.Wait() }()
	defer b.hold(filepath.Join(second, "mcps"))()
	b.ready("zoo")
	call := b.command(t.Context(), program, "call", "zoo", "await_it")
	var said strings.Builder
	call.Stdout, call.Stderr = &said, &said
	must(t, call.Start())
	for journal.Line() != "tools/call" {
	}

	b.installed()
	replaced := make(chan result, 1)
	go func() { replaced <- b.do(program, "mount", "--json") }()
	must(t, os.WriteFile(answer+".new", []byte(`{"content":[{"type":"text","text":"finished"}]}`), 0o600))
	must(t, os.Rename(answer+".new", answer))
	if err := call.Wait(); err != nil || !strings.Contains(said.String(), "finished") {
		t.Errorf("the call: %v, %s", err, said.String())
	}
	r := <-replaced
	var report struct {
		mounts.MountResult
		Replaced struct {
			Pid   int
			Users map[string][]string
		}
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || report.Replaced.Pid != pid || report.Pid == pid || len(report.Replaced.Users[second]) != 1 || !strings.HasPrefix(report.Replaced.Users[second][0], "sleep (") {
		t.Fatalf("mount: %v, %v", err, r)
	}
	w.types("echo af''ter\r")
	b.hasRun("api", "echo af''ter", 0)
	b.shows("terminals/api.txt", "\nbefore\n", "\nafter\n")
	if text, err := os.ReadFile(filepath.Join(second, "AGENTS.md")); err != nil || len(text) == 0 {
		t.Errorf("the second mount: %v", err)
	}
	awaitFiles(t, filepath.Join(b.state, "ctxfs"), "the folder is synced by the next process", func() bool {
		now := b.status()
		return now.Pid == report.Pid && len(now.Mounts) == 3
	})
	if r := b.do(program, "call", "zoo", "await_it"); r.code != 0 || !strings.Contains(r.out, "finished") {
		t.Errorf("a call of the next process: %v", r)
	}
	w.types("exit\r")
	w.wait()
}

// TestUpdatesAtOnce lets many commands start a process at once, and several replace it,
// several times.
func TestUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for two programs
	program := b.installed()
	atOnce := func(many int) {
		t.Helper()
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				if r := b.do(program, "mount"); r.code != 0 {
					t.Errorf("mount: %v", r)
				}
			})
		}
		all.Wait()
	}
	atOnce(fstest.Rounds(50))
	oneServes(b)
	for range 3 {
		pid := b.pid()
		b.installed()
		atOnce(4)
		if now := b.status(); now.Pid == pid || len(now.Mounts) != 1 || now.Mounts[0].State != mounts.Healthy {
			t.Errorf("%+v", now)
		}
	}
}

// TestUpdateKilled kills the process that takes over when the other one has left it
// its mounts: the next command shows them.
func TestUpdateKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	second := filepath.Join(b.dir, "second")
	b.mount()
	b.ok("mount", second)
	pid := b.pid()
	home := control.Home{Dir: b.home, State: filepath.Join(b.state, "ctxfs"), Version: "99.0.0"}
	c, err := home.Dial(t.Context())
	must(t, err)
	if !c.Older {
		t.Error("it is not older")
	}
	retired, err := mounts.OpRetire.Ask(t.Context(), c, fs.None{}, nil, nil)
	c.Close()
	if err != nil || len(retired.Views) != 2 {
		t.Fatalf("%+v, %v", retired, err)
	}
	awaitExit(t, pid)
	if _, err := os.ReadDir(second); err != nil {
		t.Errorf("the folder below the mount: %v", err)
	}
	b.mount()
	for _, dir := range []string{b.mnt(), second} {
		if _, err := os.Stat(filepath.Join(dir, "AGENTS.md")); err != nil {
			t.Error(err)
		}
	}
	// Killed while it retires, it has left all the same.
	pid = b.pid()
	text := readFile(t, filepath.Join(home.State, "daemon.json"))
	signalTo(t, pid, syscall.SIGKILL)
	awaitExit(t, pid)
	var record map[string]any
	must(t, json.Unmarshal([]byte(text), &record))
	record["handed"] = mounts.Handed{Views: retired.Views, At: time.Now()}
	must(t, os.WriteFile(filepath.Join(home.State, "daemon.json"), []byte(asJSON(record)), 0o600))
	b.ok("mount", second)
	if now := b.status(); len(now.Mounts) != 2 {
		t.Errorf("%+v", now)
	}
	// What was left long ago is not shown again.
	b.ok("unmount", "--all")
	record["handed"] = mounts.Handed{Views: retired.Views, At: time.Now().Add(-time.Hour)}
	must(t, os.WriteFile(filepath.Join(home.State, "daemon.json"), []byte(asJSON(record)), 0o600))
	b.mount()
	if now := b.status(); len(now.Mounts) != 1 {
		t.Errorf("%+v", now)
	}
}

// TestUpdateInFront has a process in the foreground take over, and another one wait
// for the mount of a process that is replaced.
func TestUpdateInFront(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for two programs
	newer := newerProgram(t)
	b.mount()
	waits, tells := b.front()
	pid := b.pid()
	front, _ := b.frontOf(newer)
	if now := b.pid(); now != front.Process.Pid {
		t.Errorf("process %d serves, not %d", now, front.Process.Pid)
	}
	awaitExit(t, pid)
	b.read("AGENTS.md")
	early := !alive(waits.Process.Pid)
	signalTo(t, front.Process.Pid, syscall.SIGTERM)
	must(t, front.Wait())
	if err := waits.Wait(); early {
		t.Errorf("the command that waits for the mount has ended: %v, it says: %s", err, tells)
	}
}

// newerVersion is a version above that of this program.
var newerVersion = regexp.MustCompile(`\d`).ReplaceAllString(places.Version, "9")

// newerProgram is a copy of the program that is of newerVersion, in a file of its own: where
// it replaced the one of another test, that would run an older build.
func newerProgram(t *testing.T) string {
	t.Helper()
	program, err := os.MkdirTemp(filepath.Dir(binary()), "")
	must(t, err)
	must(t, os.Chmod(program, 0o755)) // for every user
	program = filepath.Join(program, "ctxfs-"+newerVersion)
	body, err := os.ReadFile(binary())
	must(t, err)
	must(t, fstest.WriteProgram(program, bytes.ReplaceAll(body, []byte(places.Version), []byte(newerVersion)), 0o755))
	return program
}
