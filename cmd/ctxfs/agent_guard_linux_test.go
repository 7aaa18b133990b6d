package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

// guarded is a box with the real file system server, which may write to the folder work,
// and an agent that runs the script try of the home folder.
func guarded(t *testing.T) *box {
	t.Helper()
	modules := fstest.NodeModules(t, "@modelcontextprotocol/server-filesystem")
	b := realBox(t)
	must(t, os.Mkdir(filepath.Join(b.home, "work"), 0o700))
	b.write("work/there.txt", "it is there\n")
	b.servers["files"] = map[string]any{"command": "node", "args": []string{
		filepath.Join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js"), filepath.Join(b.home, "work"),
	}}
	b.configure()
	b.kinds("[mcp]\nfile_calls = true", map[string]string{"tries": `cd "$HOME"; . ./try`, "waits": `exec sleep 1005`})
	b.mount()
	b.ready("files")
	return b
}

// tried is how one thing has ended that an agent has tried.
type tried struct {
	code int
	text string
}

// tries has an agent try things: each is a command line of the shell, by a name.
func (b *box) tries(readOnly bool, things map[string]string) map[string]tried {
	b.Helper()
	return b.triesBy(b.run, readOnly, things)
}

// triesOpen has an agent try things in a read-only run on a system where nothing keeps it
// from writing.
func (b *box) triesOpen(things map[string]string) map[string]tried {
	b.Helper()
	without := b.with(forbidMode, fmt.Sprintf("%d,%d", unix.SYS_MOUNT_SETATTR, unix.SYS_LANDLOCK_CREATE_RULESET))
	return b.triesBy(func(args ...string) result { return without.do(stubPath(), append([]string{binary()}, args...)...) }, true, things)
}

func (b *box) triesBy(run func(args ...string) result, readOnly bool, things map[string]string) map[string]tried {
	b.Helper()
	var script strings.Builder
	for name, line := range things {
		fmt.Fprintf(&script, "text=$(\n%s\n) 2>&1; printf '\\n=== %s %%s\\n%%s\\n' $? \"$text\"\n", line, name)
	}
	b.write("try", strings.ReplaceAll(script.String(), "text=$(\n", "text=$(exec 2>&1\n"))
	args := []string{"agent", "run", "--agent", "tries", "--repo", filepath.Join(b.home, "work")}
	if readOnly {
		args = append(args, "--read-only")
	}
	got := run(append(args, "--", "x")...)
	var r request.Result
	if err := json.Unmarshal([]byte(got.out), &r); err != nil || got.code != 0 || r.Ended != request.Success {
		b.Fatalf("%v: %+v", err, got)
	}
	all := make(map[string]tried)
	parts := regexp.MustCompile(`(?m)^=== (.*) (\d+)\n`)
	ends := parts.FindAllStringSubmatchIndex(r.Text, -1)
	for i, at := range ends {
		end := len(r.Text)
		if i+1 < len(ends) {
			end = ends[i+1][0]
		}
		code, _ := strconv.Atoi(r.Text[at[4]:at[5]])
		all[r.Text[at[2]:at[3]]] = tried{code, r.Text[at[1]:end]}
	}
	for name := range things {
		if _, ok := all[name]; !ok {
			b.Errorf("%s was not tried: %s", name, r.Text)
		}
	}
	return all
}

// confinedText is what everything says that is refused inside a read-only run.
const confinedText = "read-only run of an agent (tries-"

// TestAgentReadOnlyRefusals: an agent that may only read reaches nothing that writes, by
// none of the ways to the background process and to what runs outside of its sandbox.
func TestAgentReadOnlyRefusals(t *testing.T) {
	t.Parallel()
	need(t, "python3", "setsid")
	b := guarded(t)
	b.write("raw.py", rawClient)
	target := filepath.Join(b.home, "work/new.txt")
	write := func(how string) string { return fmt.Sprintf(how, target) }
	raw := func(op, args string) string {
		return fmt.Sprintf(`python3 raw.py %s %s '%s'`, filepath.Join(b.state, "ctxfs/daemon.sock"), op, args)
	}
	refused := map[string]string{
		"call":                write(`ctxfs call files write_file --path %s --content x`),
		"call --yes":          write(`ctxfs call --yes files write_file --path %s --content x`),
		"call --detach":       write(`ctxfs call --detach files write_file --path %s --content x`),
		"bin":                 write(`.agentctx/mcps/files/bin/write_file --path %s --content x`),
		"without environment": write(`env -i HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" PATH="$PATH" ctxfs call files write_file --path %s --content x`),
		"in a session":        write(`setsid -w ctxfs call files write_file --path %s --content x`),
		"restart":             `ctxfs restart files`,
		"trust":               `ctxfs trust work`,
		"accept":              `ctxfs accept files`,
		"note":                `cd work && ctxfs note "remember me"`,
		"remember":            `ctxfs remember "we use tabs"`,
		"unmount":             `ctxfs unmount`,
		"raw unmount":         raw("unmount", `{"dir": "", "all": true}`),
		"raw retire":          raw("retire", `{}`),
		"raw call":            write(raw("call", `{"words": [{"text": "files"}, {"text": "write_file"}, {"text": "--path"}, {"text": "%s"}, {"text": "--content"}, {"text": "x"}], "caller": {"pid": 1}}`)),
		"raw gateway call":    write(raw("gateway-call", `{"server": "files", "tool": "write_file", "arguments": {"path": "%s", "content": "x"}, "caller": {"pid": 1}}`)),
		"raw keep":            raw("resource", `{"server": "files", "what": "x", "keep": true}`),
		"raw note":            raw("note", `{"At": {"dir": "`+filepath.Join(b.home, "work")+`"}, "Text": "x"}`),
		"raw answer":          raw("answer", `{"id": "x"}`),
		"nested":              `ctxfs agent run --agent tries -- x`,
		"adopt":               `ctxfs agent adopt x`,
	}
	for name, got := range b.tries(true, refused) {
		if got.code == 0 && !strings.HasPrefix(name, "raw ") || !strings.Contains(got.text, confinedText) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("it has been written")
	}
	b.shows("mcps/files/STATUS.md", "state: ready\n")

	allowed := map[string]string{
		"call":     `ctxfs call files read_text_file --path ` + filepath.Join(b.home, "work/there.txt"),
		"detached": `ctxfs call --continue $(ctxfs call --detach files read_text_file --path ` + filepath.Join(b.home, "work/there.txt") + `)`,
		"raw call": raw("call", `{"words": [{"text": "files"}, {"text": "read_text_file"}, {"text": "--path"}, {"text": "`+filepath.Join(b.home, "work/there.txt")+`"}]}`),
		"cat":      `cat .agentctx/mcps/files/STATUS.md work/there.txt`,
		"read":     `ctxfs cat mcps/files/STATUS.md && cat work/there.txt`,
		"find":     `ctxfs find read file && cat work/there.txt`,
		"ls":       `ctxfs ls mcps/files/tools && cat work/there.txt`,
		"wait":     `ctxfs wait file work/there.txt && cat work/there.txt`,
		"status":   `ctxfs status && cat work/there.txt`,
		"notes":    `cd work && ctxfs note && cat there.txt`,
	}
	for name, got := range b.tries(true, allowed) {
		if got.code != 0 || !strings.Contains(got.text, "it is there") {
			t.Errorf("%s: %+v", name, got)
		}
	}

	// Outside of the run, and in one that may write, nothing is refused.
	b.sh(write(`ctxfs call files write_file --path %s --content x`))
	must(t, os.Remove(target))
	for name, got := range b.tries(false, map[string]string{"call": refused["call"], "raw": refused["raw call"]}) {
		if got.code != 0 || strings.Contains(got.text, "read-only run") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if text := readFile(t, target); text != "x" {
		t.Errorf("%q", text)
	}
}

// TestAgentReadOnlyLeft: what a read-only run has left behind may write no more than before
// when its keeper has been killed and its runner has not noticed, nor when both were.
func TestAgentReadOnlyLeft(t *testing.T) {
	t.Parallel()
	need(t, "setsid")
	for name, both := range map[string]bool{"keeper": false, "both": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := guarded(t)
			target := filepath.Join(b.home, "work/new.txt")
			up, left, goes := b.fifo("up"), b.fifo("left"), b.fifo("go")
			b.write("try", `setsid -f sh -c 'echo $$ >"$HOME/left"; read go <"$HOME/go"
ctxfs call files write_file --path `+target+` --content x >"$TMPDIR/said" 2>&1; echo $$ >"$HOME/left"; sleep 1003'
echo >"$HOME/up"; exec sleep 1004`)
			r := b.startsAgent(up, "--agent", "tries", "--repo", filepath.Join(b.home, "work"), "--read-only", "--", "x")
			id, pid := b.jobs()[0].ID, left.number()
			keeper, runner := r.process("agent-keeper"), r.process("agent-runner")
			stop(t, runner)
			must(t, syscall.Kill(keeper, syscall.SIGKILL))
			if both {
				must(t, syscall.Kill(runner, syscall.SIGKILL))
			}
			goes.Release()
			if both {
				awaitExit(t, pid)
			} else {
				left.Line() // it has tried
				if said := readFile(t, b.job(id, "scratch/said")); !strings.Contains(said, confinedText) {
					t.Errorf("it says %q", said)
				}
				must(t, syscall.Kill(runner, syscall.SIGCONT))
			}
			_ = r.cmd.Wait() // with the code for a run that is lost
			if _, err := os.Stat(target); err == nil {
				t.Error("it has been written")
			}
		})
	}
}

// TestAgentReadOnlyTerminals: an agent that may only read looks at terminals, and neither
// types into one nor starts or ends one.
func TestAgentReadOnlyTerminals(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	b := realBox(t) // for a sandbox
	b.kinds("", map[string]string{"tries": `cd "$HOME"; . ./try`})
	must(t, os.Mkdir(filepath.Join(b.home, "work"), 0o700))
	b.ok("run", "--background", "--name", "target", "--", "sh", "-c", "echo hello; stty size; exec cat")
	found, err := filepath.Glob(filepath.Join(b.dir, "*/*/*/target.sock"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	b.write("raw.py", rawViewer)
	b.logs("target", "40 120")
	for name, got := range b.tries(true, map[string]string{
		"run":            `ctxfs run -- touch work/new`,
		"run background": `ctxfs run --background -- touch work/new`,
		"stop":           `ctxfs stop target`,
		"type":           `python3 raw.py type ` + found[0],
	}) {
		if !strings.Contains(got.text, confinedText) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := b.tries(true, map[string]string{"attach": `python3 raw.py attach ` + found[0]})["attach"]; !strings.Contains(got.text, "hello") {
		t.Errorf("it cannot be looked at: %+v", got)
	}
	if text := b.logOf("target"); strings.Contains(text, "typed by") {
		t.Errorf("typed: %s", text)
	}
	if _, err := os.Stat(filepath.Join(b.home, "work/new")); err == nil {
		t.Error("a command was run")
	}
	for _, how := range []string{"type", "attach"} { // the same outside
		b.sh("python3 raw.py " + how + " " + found[0])
		b.logs("target", "typed by "+how)
	}
	b.ok("stop", "target")
}

// TestAgentReadOnlyGateways: an agent that may only read calls no tool that writes through a
// gateway either, its own one or one that the user has started outside; nor by files.
func TestAgentReadOnlyGateways(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	b := guarded(t)
	b.write("mcp.py", mcpClient)
	gateway := b.command(t.Context(), binary(), "serve", "--http", "127.0.0.1:0")
	out, err := gateway.StdoutPipe()
	must(t, err)
	must(t, gateway.Start())
	defer func() {
		_ = gateway.Process.Kill()
		_ = gateway.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	url := strings.TrimSpace(strings.TrimPrefix(line, "serving on "))

	target, there := filepath.Join(b.home, "work/new.txt"), filepath.Join(b.home, "work/there.txt")
	write := fmt.Sprintf(`'{"server": "files", "tool": "write_file", "arguments": {"path": %q, "content": "x"}}'`, target)
	read := fmt.Sprintf(`'{"server": "files", "tool": "read_text_file", "arguments": {"path": %q}}'`, there)
	for name, got := range b.tries(true, map[string]string{
		"own":  `python3 mcp.py stdio ` + write,
		"http": `python3 mcp.py ` + url + ` ` + write,
	}) {
		if !strings.Contains(got.text, confinedText) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// The kernel refuses files of its own in the mount, and ctxfs where the kernel does not.
	calls := "cd .agentctx/mcps/files/calls && "
	file := calls + fmt.Sprintf(`echo '{"path": %q, "content": "x"}' >write_file.$N.json; cat write_file.$N.result`, target)
	note := `for f in .agentctx/workspaces/*/notes .agentctx/memory/inbox; do [ -d $f ] && echo found && echo x >$f/x.md; done`
	for name, got := range b.tries(true, map[string]string{"file": "N=1; " + file, "note": note}) {
		if !strings.Contains(got.text, "Read-only file system") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	open := b.triesOpen(map[string]string{
		"file": "N=2; " + file, "note": note,
		"read": calls + fmt.Sprintf(`echo '{"path": %q}' >read_text_file.2.json; cat read_text_file.2.result`, there),
	})
	if !strings.Contains(open["file"].text, confinedText) || !strings.Contains(open["note"].text, "ermission denied") || !strings.Contains(open["read"].text, "it is there") {
		t.Errorf("%+v", open)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("it has been written")
	}
	for name, got := range b.tries(true, map[string]string{
		"own":  `python3 mcp.py stdio ` + read,
		"http": `python3 mcp.py ` + url + ` ` + read,
	}) {
		if got.code != 0 || !strings.Contains(got.text, "it is there") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Somebody else may call it at the same time.
	detached := b.detached("--agent", "waits", "--read-only", "--", "x")
	b.sh(`python3 mcp.py ` + url + ` ` + write)
	b.ok("agent", "stop", detached)
	if text := readFile(t, target); text != "x" {
		t.Errorf("%q", text)
	}
}

// mcpClient is an MCP client that calls the tool call, of its own gateway or of one that
// serves HTTP.
const mcpClient = `
import json, subprocess, sys, urllib.request
where, args = sys.argv[1:]
hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}
ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "call", "arguments": json.loads(args)}}
if where == "stdio":
    p = subprocess.Popen(["ctxfs", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for m in hello, ready, call:
        p.stdin.write(json.dumps(m) + "\n")
        p.stdin.flush()
    for line in p.stdout:
        if json.loads(line).get("id") == 2:
            print(line)
            break
    p.stdin.close()
    p.wait()
else:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for m in hello, ready, call:
        with urllib.request.urlopen(urllib.request.Request(where, json.dumps(m).encode(), headers)) as r:
            if r.headers.get("Mcp-Session-Id"):
                headers["Mcp-Session-Id"] = r.headers["Mcp-Session-Id"]
            text = r.read().decode()
    print(text)
`

// rawViewer speaks the protocol of terminals by itself: it types, or views with a terminal
// of its own, whose size is another, and types there.
const rawViewer = `
import array, os, pty, select, socket, sys, time
how, path = sys.argv[1:]
s = socket.socket(socket.AF_UNIX)
s.connect(path)
if how == "type":
    s.sendall(b'{"op": "type", "text": "typed by type\\r"}\n')
    print(s.recv(1 << 16).decode())
    sys.exit()
master, slave = pty.openpty()
s.sendmsg([b'{"op": "attach", "cols": 33, "rows": 11}\n'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [slave]))])
shown = b""
while b"hello" not in shown:
    shown += os.read(master, 1 << 16)
s.sendall(b'{"op": "resize", "cols": 22, "rows": 9}\n')
os.write(master, b"typed by attach\r")
until = time.time() + 1
while time.time() < until and shown.count(b"typed by attach") < 2:
    if select.select([master], [], [], 0.1)[0]:
        shown += os.read(master, 1 << 16)
print(shown.decode(errors="replace"))
`

// rawClient speaks the protocol of the background process by itself: it connects, and asks
// for an operation by its name.
const rawClient = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
f = s.makefile("rwb")
f.readline()
f.write(b'{"op": "%s", "args": %s}\n' % (sys.argv[2].encode(), sys.argv[3].encode()))
f.flush()
for line in f:
    sys.stdout.write(line.decode())
    if b'"more":true' not in line:
        sys.stdout.write(f.read1().decode())
        break
`
