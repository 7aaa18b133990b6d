package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/await"
	"ctxfs/fs/fstest"
	"ctxfs/fs/wording"
	"ctxfs/providers/terminals/record"
	"ctxfs/providers/wait"
)

// waitingCommand is a ctxfs wait that runs.
type waitingCommand struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// waits starts ctxfs wait with at most 100 s of time.
func (b *box) waits(args ...string) *waitingCommand {
	b.Helper()
	w := &waitingCommand{Cmd: b.command(b.Context(), b.program(), append([]string{"wait", "--timeout", "100s"}, args...)...)}
	w.Stdout, w.Stderr = &w.out, &w.err
	must(b.T, w.Start())
	return w
}

// ends waits for its end, which must be with an exit code and these words.
func (w *waitingCommand) ends(t *testing.T, code int, words ...string) {
	t.Helper()
	_ = w.Wait()
	if got := w.ProcessState.ExitCode(); got != code || !containsAll(w.out.String()+w.err.String(), words) {
		t.Errorf("%q: exit %d, want %d and %q\nout: %s\nerr: %s", w.Args, got, code, words, w.out.String(), w.err.String())
	}
}

// notYet checks that something that can be waited for has not come about, and what is said of it.
func (b *box) notYet(said string, condition ...string) {
	b.Helper()
	all, err := wait.Parse(condition)
	must(b.T, err)
	b.settled()
	s := b.stands(all[0], func(await.Standing) bool { return true })
	if s.State != await.NotYet || !strings.Contains(s.What, said) {
		b.Errorf("%q: %+v, want %q", condition, s, said)
	}
}

// TestWaitForTerminal: what a real shell prints is found, what is typed into it is not.
func TestWaitForTerminal(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal("--name", "api")
	b.refused(124, []string{"not within 10ms: terminal api --for MARKER: "}, "wait", "terminal", "api", "--for", "MARKER", "--timeout=10ms")
	w.types("read x; echo MAR'KE'R $x # MARKER\r")
	b.recorded("api", "it runs", func(t *record.Terminal) bool { return strings.HasPrefix(t.Command, "read x") })
	b.notYet("terminal api", "terminal", "api", "--for", "MARKER")
	found, ended := b.waits("terminal", "api", "--for", "^MARKER go$"), b.waits("terminal", "api", "--exit")
	w.types("go\r")
	found.ends(t, 0, "terminal api has printed: MARKER go\n", "more: ctxfs cat terminals/api")
	ended.ends(t, 0, "has ended `read x; echo", ", exit 0\n", "ctxfs cat terminals/api/last.txt")
	w.sees("ready> ")
	b.ok("wait", "terminal", "api", "--for", "MARKER") // what was printed counts
	w.types("clear; true # another\r")
	b.hasRun("api", "clear; true # another", 0)
	b.notYet("terminal api", "terminal", "api", "--for", "MARKER|another|ready>")
	b.ok("wait", "terminal", "api", "--idle", "200ms", "--timeout", "60s")
	never := b.waits("terminal", "api", "--for", "nothing")
	w.types("exit 4\r")
	w.wait()
	never.ends(t, 11, "is closed and has not printed that: ended", "exit 4")
	b.refused(12, []string{`there is no terminal "apo"`, "did you mean: terminal api"}, "wait", "terminal", "apo", "--exit")
	b.refused(exitUsage, []string{"--for: missing closing )"}, "wait", "terminal", "api", "--for", "(")
	b.refused(exitUsage, []string{"what of terminal api?", "--for REGEX, --exit, --idle 2s"}, "wait", "terminal", "api")
	b.refused(exitUsage, []string{"nothing of the kind terminl can be waited for", "did you mean: terminal"}, "wait", "terminl", "api")
	b.refused(exitUsage, []string{"wait for what?", "for example: ctxfs wait terminal 3 --exit"}, "wait", "--any")
	b.refused(exitUsage, []string{"--any and --all exclude each other"}, "wait", "--any", "--all", "question")
}

// TestWaitForBackground: several conditions at once, with a background process that is
// killed meanwhile, and without one.
func TestWaitForBackground(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	release := b.fifo("go")
	script := "read -r _ <go; printf 'Continue? '; read -r _ <go; echo done; exit 3"
	e := b.background("--name", "job", "--", "sh", "-c", "cd "+b.home+"; "+script)
	defer b.ok("stop", e.ID)
	b.mount()
	defer b.ok("unmount")
	question, all := b.waits("terminal", "job", "--for", `Continue\?`), b.waits("terminal", "job", "--exit", ",", "file", filepath.Join(b.home, "made"), "--for", "^yes$")
	one := b.waits("--any", "--json", "terminal", "job", "--for", "nothing", ",", "file", filepath.Join(b.home, "made"))
	b.kill()
	release.Release()
	question.ends(t, 0, "terminal job has printed: Continue?")
	b.write("made", "no\n")
	one.ends(t, 0)
	var result struct {
		State      string
		Conditions []struct{ Condition, State, What string }
	}
	must(t, json.Unmarshal(one.out.Bytes(), &result))
	if result.State != "met" || len(result.Conditions) != 2 || result.Conditions[1].State != "met" || result.Conditions[0].State != "" {
		t.Errorf("%s", one.out.String())
	}
	b.write("made", "no\nyes\n")
	release.Release()
	all.ends(t, 0, "has ended `sh -c", "exit 3", "made:2: yes")
	b.refused(11, []string{"has not printed that"}, "wait", "terminal", "job", "--for", "nothing")
	if r := b.run("wait", "--any", "terminal", "job", "--for", "nothing", ",", "terminal", "job", "--for", "done"); r.code != 0 {
		t.Errorf("any: %v", r)
	}
	b.run("mount") // takes away what the killed process has left
}

// TestWaitForPort: a port that somebody begins to listen at, and leaves.
func TestWaitForPort(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	port := fstest.Port(t) // nobody else's while nobody listens at it
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(t, err)
	fstest.Contains(t, b.ok("wait", "port", port), "port "+port+" takes connections, at 127.0.0.1:"+port)
	closed := b.waits("port", port, "--closed")
	must(t, l.Close())
	closed.ends(t, 0, "nothing listens at port "+port)
	opened := b.waits("port", port)
	l, err = net.Listen("tcp", "127.0.0.1:"+port)
	must(t, err)
	defer l.Close()
	opened.ends(t, 0, "takes connections")
	b.refused(exitUsage, []string{`a port is a number from 1 to 65535, not "0"`}, "wait", "port", "0")
	gone := b.waits("file", filepath.Join(b.home, "lock"), "--gone")
	gone.ends(t, 0, "is gone")
}

// TestWaitForSession: the log of a session that is appended to.
func TestWaitForSession(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	n := 0
	line := func(kind, content string) string {
		n++
		return fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"version":"2.1.132","isSidechain":false,"type":%q,"uuid":"u%d","parentUuid":null,"timestamp":"2026-05-12T01:02:%02dZ","message":{"role":%q,"id":"m%d","content":%s}}`, claudeID, b.home, kind, n, n, kind, n, content)
	}
	log := b.session(".claude/projects/-x/"+claudeID+".jsonl", line("user", `"add a cart"`))
	add := func(lines ...string) {
		f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0o600)
		must(t, err)
		defer f.Close()
		_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
		must(t, err)
	}
	b.mount()
	defer b.ok("unmount")
	b.notYet("session "+claudeID+" is at work", "session", claudeID[:8], "--idle")
	idle, asks := b.waits("session", claudeID, "--idle", "100ms"), b.waits("session", claudeID, "--asks")
	add(line("assistant", `[{"type":"text","text":"I look."}]`), line("assistant", `[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]`))
	b.notYet("waits for Bash", "session", claudeID, "--idle")
	add(line("user", `[{"type":"tool_result","tool_use_id":"t1","content":"x"}]`), line("assistant", `[{"type":"text","text":"Done. Shall I commit it?"}]`))
	idle.ends(t, 0, "session "+claudeID+" has ended its turn and asks: Shall I commit it?", "more: ctxfs cat ")
	asks.ends(t, 0, "asks: Shall I commit it?")
	add(line("user", `"yes"`), line("assistant", `[{"type":"tool_use","id":"t2","name":"AskUserQuestion","input":{"questions":[{"question":"Which branch?","header":"B","options":[]}]}}]`))
	b.settled()
	b.waits("session", claudeID, "--asks").ends(t, 0, "Which branch?")
	b.refused(12, []string{"no session is nosuch"}, "wait", "session", "nosuch", "--idle")
}

// TestWaitForServer: a real server from npm is started, one that cannot start never is
// ready, and the wait survives the background process.
func TestWaitForServer(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.everything()
	b.stub("broken", "dies", nil)
	defer b.run("unmount")
	b.waits("server", "everything", "ready").ends(t, 0, "server everything is ready, ", "more: ctxfs tools everything")
	b.refused(12, []string{`no server is called "everythin"`}, "wait", "server", "everythin", "ready")
	b.servers["dead"] = map[string]any{"command": "nosuchcmd-x"}
	b.configure()
	b.waits("server", "dead", "ready").ends(t, 11, "server dead is error: ", "nosuchcmd-x", "install")
	b.waits("server", "broken", "ready").ends(t, 11, "server broken is error: ")
	asked := b.waits("question")
	b.mount()
	b.kill()
	b.ok("mount")
	must(t, asked.Process.Signal(syscall.SIGTERM))
	_ = asked.Wait()
}

// TestWaitForQuestion: what a server asks ends a wait.
func TestWaitForQuestion(t *testing.T) {
	t.Parallel()
	b := askers(t)
	asked := b.waits("question")
	question, _ := b.asked(loginForm)
	asked.ends(t, 0, question+": guard/ask asks: Who is it?", "more: ctxfs answer "+question)
}

// TestWaitByGateway: an agent without a shell waits likewise, and reaches no file outside
// of its folder.
func TestWaitByGateway(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/log", "")
	b.write("secret", "key\n")
	must(t, os.Symlink(filepath.Join(b.home, "secret"), filepath.Join(b.home, "src/link")))
	e := b.background("--name", "job", "--", "sh", "-c", "echo ready at 3; exec sleep 1000")
	defer b.ok("stop", e.ID)
	a := b.agentIn(b.home, []string{"--project", filepath.Join(b.home, "src")})
	a.says(false, []string{`met: terminal job --for ready at \d: terminal job has printed: ready at 3`, `read {"path":"terminals/job.txt"`}, "wait", map[string]any{"for": `terminal job --for 'ready at \d'`})
	a.says(false, []string{"not yet: terminal job --exit: terminal job runs", "Not within 1s. Call wait again"}, "wait", map[string]any{"for": "terminal job --exit , file log", "seconds": 1})
	a.says(false, []string{"met: file log: log exists"}, "wait", map[string]any{"for": "terminal job --exit , file log", "any": true})
	a.says(true, []string{"is not in the folder in which you work"}, "wait", map[string]any{"for": "file ../secret --for key"})
	a.says(false, []string{"never: file link --for key: link leads out of the folder"}, "wait", map[string]any{"for": "file link --for key"})
	a.says(true, []string{"wait for what?", "terminal ID --for REGEX"}, "wait", map[string]any{"for": " "})
	a.says(true, []string{`there is no terminal "jab"`, "did you mean: terminal job"}, "wait", map[string]any{"for": "terminal jab --exit"})
}

// TestWaitSettled: what was changed before is shown by the mount, in its pages and to a
// search, however soon after.
func TestWaitSettled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	for i := range 5 {
		name := fmt.Sprintf("okapi-%d", i)
		b.write(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Counts okapis, "+name+"\n---\nCount.\n")
		b.write(".claude/rules/"+name+".md", "Rule of "+name+".\n")
		b.ok("wait", "settled")
		for path, words := range map[string]string{
			"skills/INDEX.md": name, "skills/" + name + "/SKILL.md": "Counts okapis", "rules/user/claude-rules-" + name + ".md": "Rule of " + name,
			"AGENTS.md": name, "STATUS.md": wording.Count(i+1, "rules") + " of the user",
		} {
			if text := b.read(path); !strings.Contains(text, words) {
				t.Errorf("%s does not say %q:\n%s", path, words, text)
			}
		}
		fstest.Contains(t, b.ok("find", "counts okapis "+name), name)
	}
	b.refused(exitUsage, []string{"takes no other word"}, "wait", "settled", "now")
}
