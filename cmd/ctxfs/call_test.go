package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

// zooTools are tools of the stub.
const zooTools = `[
	{"name":"feed.animal","description":"Feeds an animal. It may bite.","inputSchema":{"type":"object",
		"properties":{"animal":{"type":"string","enum":["lion","zebra"],"description":"Which"},
			"kilos":{"type":"number"},"labels":{"type":"array","items":{"type":"string"}},
			"draft":{"type":"boolean"},"note":{"type":"string"},"json":{"type":"string"}},
		"required":["animal"]}},
	{"name":"open","description":"Opens the zoo.","inputSchema":{"type":"object","properties":{}}},
	{"name":"list","description":"Lists the animals.","annotations":{"readOnlyHint":true},
		"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},
	{"name":"fail","description":"Fails.","inputSchema":{"type":"object"}},
	{"name":"sleep","description":"Sleeps for ever.","inputSchema":{"type":"object"}},
	{"name":"demolish","description":"Tears the zoo down.","annotations":{"destructiveHint":true},"inputSchema":{"type":"object"}}
]`

// zoo is a box with a stub that has these tools.
func zoo(t *testing.T, mode string) *box {
	t.Helper()
	return newBox(t).zoo(mode)
}

func (b *box) zoo(mode string) *box {
	b.Helper()
	b.write("tools.json", zooTools)
	b.stub("zoo", mode, map[string]string{
		stubTools: filepath.Join(b.home, "tools.json"), stubJournal: filepath.Join(b.dir, "journal"),
		stubResult: filepath.Join(b.home, "result.json"),
	})
	return b
}

// keepRunning holds the background process, which could end between two commands on a busy
// machine, by a call of a tool that sleeps.
func (b *box) keepRunning(server string) (end func()) {
	b.Helper()
	sleeps := b.command(b.Context(), b.program(), "call", server, "sleep")
	must(b, sleeps.Start())
	return func() {
		_ = sleeps.Process.Kill()
		_ = sleeps.Wait()
	}
}

// starts is how often the stub was started.
func (b *box) starts() int {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	must(b.T, err)
	return strings.Count("\n"+string(text), "\nstart\n")
}

// TestCall calls tools with arguments in every form. Nothing is mounted, and
// nothing runs before.
func TestCall(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.write("note.txt", "two\nlines\n")
	b.ok("call", "zoo", "list")
	defer b.keepRunning("zoo")()
	for script, want := range map[string]string{
		`ctxfs call zoo feed.animal --animal lion`:                                                    `{"animal":"lion"}`,
		`ctxfs call zoo feed_animal --animal=zebra --kilos 2.50 --label a --label b --no-draft`:       `{"animal":"zebra","draft":false,"kilos":2.50,"labels":["a","b"]}`,
		`ctxfs call zoo/feed_animal '{"animal":"lion","kilos":1}' --kilos 3`:                          `{"animal":"lion","kilos":3}`,
		`ctxfs call zoo feed_animal --animal lion --note @note.txt`:                                   `{"animal":"lion","note":"two\nlines\n"}`,
		`ctxfs call zoo feed_animal --animal lion --note=@note.txt`:                                   `{"animal":"lion","note":"two\nlines\n"}`,
		`ctxfs call zoo feed_animal --animal lion --note @@home`:                                      `{"animal":"lion","note":"@home"}`,
		`ctxfs call zoo feed_animal --animal lion --json x`:                                           `{"animal":"lion","json":"x"}`,
		`echo '{"animal":"lion"}' | ctxfs call zoo feed_animal`:                                       `{"animal":"lion"}`,
		`printf lion | ctxfs call zoo feed_animal --animal - --note=-`:                                `{"animal":"lion","note":"-"}`,
		`echo '{"animal":"lion"}' | ctxfs call zoo feed_animal -`:                                     `{"animal":"lion"}`,
		`echo '{"animal":"lion"}' > args && ctxfs call zoo feed_animal < args && rm args`:             `{"animal":"lion"}`,
		`echo '{"animal":"lion"}' > args.json && ctxfs call zoo feed_animal @args.json; rm args.json`: `{"animal":"lion"}`,
		`ctxfs call zoo list`: `{}`,
	} {
		r := b.shell(script)
		if r.code != 0 || canonical(r.out) != canonical(want) {
			t.Errorf("%s\ngot %d: %v\nwant %s", script, r.code, r, want)
		}
	}
	// A pipe that nobody writes to is not waited for.
	for _, tool := range []string{"open", "list"} {
		cmd := b.command(t.Context(), b.program(), "call", "zoo", tool)
		_, err := cmd.StdinPipe()
		must(t, err)
		if out, err := cmd.Output(); err != nil || string(out) != "{}\n" {
			t.Errorf("with an open pipe: %q, %v", out, err)
		}
	}
	fstest.Equal(t, b.starts(), 1)
}

// canonical is JSON with its members in order.
func canonical(text string) string {
	cmd := exec.Command("jq", "-cS", ".")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		return text
	}
	return string(bytes.TrimSpace(out))
}

// TestCallRefused are calls that do not come to pass, or fail.
func TestCallRefused(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(guarded.Close)
	b.servers["login"] = map[string]any{"url": guarded.URL + "/mcp"}
	b.servers["away"] = map[string]any{"url": "http://127.0.0.1:1/mcp"}
	b.stub("dead", "dies", nil)
	b.write(".config/ctxfs/config.toml", "[mcp.policy]\ndeny = [\"zoo/open\"]\nconfirm = \"destructive\"\n")
	for _, c := range []struct {
		code  int
		line  string
		words []string
	}{
		{2, "zoo feed_animal", []string{`missing "animal"`, "ctxfs call zoo feed_animal --help"}},
		{2, "zoo feed_animal --animl lion", []string{`did you mean`, "animal"}},
		{2, "zoo feed_animal --animal lionn", []string{"lion", "zebra"}},
		{2, "zoo feed_animal --animal lion --kilos many", []string{"kilos", "number"}},
		{2, "zoo feed_animal --animal lion --note @nowhere", []string{"nowhere", "@@nowhere"}},
		{2, "zoo feed_animal --animal lion --note @-", []string{"standard input is written -", "@@-"}},
		{2, "zoo feed_animal --animal lion --note=@-", []string{"standard input is written -: --note -", "--note=@@-"}},
		{2, "zoo feed_animal @-", []string{"standard input is written -", "@@-"}},
		{2, "zoo", []string{"which tool", "ctxfs tools zoo"}},
		{2, "zoo --jsn list", []string{"unknown option --jsn"}},
		{2, "zoo list --timeout soon", []string{"--timeout", "90s"}},
		{2, "zoo feed_animl", []string{"no tool", "feed.animal"}},
		{2, "zo list", []string{`no server`, "zoo"}},
		{8, "zoo open", []string{"deny", "config.toml"}},
		{8, "zoo demolish", []string{"--yes"}},
		{6, "login anything", []string{"requires a login", "\n  ctxfs auth login"}},
		{7, "away anything", []string{"http://127.0.0.1:1", "cannot be reached", "away"}},
		{7, "dead anything", []string{"dead", "moon"}},
	} {
		b.refused(c.code, c.words, append([]string{"call"}, strings.Fields(c.line)...)...)
	}
	defer b.keepRunning("zoo")()
	b.heard("tools/call")
	b.refused(7, []string{"0.1 s", "--timeout"}, "call", "zoo", "sleep", "--timeout", "100ms")
	if r := b.run("call", "zoo", "fail"); r.code != 5 || r.out != "" || r.err != "the zoo is closed\n" {
		t.Errorf("a tool's own failure: exit %d, %v", r.code, r)
	}
	fstest.Contains(t, b.run("call", "--json", "zoo", "fail").exits(t, 5).out, `"isError":`)
	fstest.Equal(t, b.ok("call", "zoo", "demolish", "--yes"), "{}\n", "confirmed")
}

// TestCallHelp shows what a tool wants, and what there is.
func TestCallHelp(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.mount()
	b.ready("zoo")
	for _, line := range []string{"call zoo feed_animal --help", "call zoo feed_animal -h", "call --help zoo feed.animal"} {
		got := b.ok(strings.Fields(line)...)
		if !containsAll(got, []string{"Feeds an animal.", "ctxfs call zoo feed_animal", "--animal", "lion", "--kilos", "--timeout DURATION"}) ||
			strings.Contains(got, "server's whole answer") {
			t.Errorf("%s:\n%s", line, got)
		}
	}
	fstest.Contains(t, b.do(b.mnt("mcps/zoo/bin/feed_animal")).exits(t, 2).err, "see its arguments: ctxfs call zoo feed_animal --help")
	// What is wrong with a folder has nothing to do with the arguments.
	if r := b.run("call", "--project", "/proc/none", "zoo", "feed_animal", "--animal", "lion"); r.code != 2 ||
		!strings.Contains(r.err, "the project cannot be used: ") || !strings.Contains(r.err, "/proc/none") || strings.Contains(r.err, "\n  ") {
		t.Errorf("a project that there is not: exit %d, %v", r.code, r)
	}
	fstest.Contains(t, b.sh("~/.agentctx/mcps/zoo/bin/feed_animal --help"), "Usage:\n  feed_animal [ARGUMENTS]", "--animal")
	fstest.Contains(t, b.ok("tools", "zoo"), "zoo/feed_animal", "Feeds an animal.", "zoo/open")
	fstest.Equal(t, b.sh("ctxfs tools --json | jq -r '.[].tools[].name' | sort | head -2"), "demolish\nfail\n", "tools --json")
	for line, want := range map[string]string{
		"zoo ":                            "feed_animal",
		"zoo feed_animal --an":            "--animal",
		"zoo feed_animal --animal ":       "zebra",
		"zoo feed_animal --animal lion -": "--kilos",
	} {
		words := strings.Split(line, " ")
		if got := b.ok(append([]string{"__complete", "call"}, words...)...); !strings.Contains(got, want) {
			t.Errorf("completion of %q: %s", line, got)
		}
	}
	calls, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	if err != nil || strings.Contains(string(calls), "tools/call") {
		t.Errorf("looking has called a tool: %v\n%s", err, calls)
	}
}

// TestManyCalls makes many calls by forty callers, by the command and by
// files in bin, on a server that answers out of order.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	n, callers := fstest.Rounds(1000), 40
	b := zoo(t, "shuffles")
	b.mount()
	b.ready("zoo")
	for _, command := range [][]string{
		{b.program(), "call", "zoo", "list"},
		{b.mnt("mcps/zoo/bin/list")},
	} {
		var all sync.WaitGroup
		next := make(chan int)
		for range callers {
			all.Go(func() {
				for i := range next {
					r := b.do(command[0], append(command[1:len(command):len(command)], "--n", fmt.Sprint(i))...)
					if r.code != 0 || r.out != fmt.Sprintf("{\"n\":%d}\n", i) {
						t.Errorf("%s %d: exit %d, %v", command[0], i, r.code, r)
					}
				}
			})
		}
		for i := range n {
			next <- i
		}
		close(next)
		all.Wait()
	}
	fstest.Equal(t, b.starts(), 1)
}

// TestBinWithoutEnvironment calls a tool from an environment that says nothing:
// the background process is the one that shows it.
func TestBinWithoutEnvironment(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.mount()
	b.ready("zoo")
	if got := b.sh("env -i HOME=$HOME ~/.agentctx/mcps/zoo/bin/open"); got != "{}\n" || b.starts() != 1 {
		t.Errorf("%q, %d starts", got, b.starts())
	}
}

// TestCallInterrupted cancels a call.
func TestCallInterrupted(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	cmd := b.command(t.Context(), b.program(), "call", "zoo", "sleep")
	must(t, cmd.Start())
	b.heard("tools/call")
	must(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	fstest.Equal(t, cmd.ProcessState.ExitCode(), 130)
	b.heard("notifications/cancelled")
}

// TestCommandsStartEarly: a call does not wait for libraries that it does not need, and what the
// background process answers for hardly any. The real program: its start.
func TestCommandsStartEarly(t *testing.T) {
	t.Parallel()
	b := realBox(t).zoo("")
	b.ok("call", "zoo", "open") // starts the background process
	b.env = append(b.env, "GODEBUG=inittrace=1")
	for line, late := range map[string][]string{
		"call zoo open":    {"santhosh-tekuri", "mcp-go", "init net/http ", "spf13"},
		"find open a cage": {"init net ", "init regexp "},
		"status":           {"init net ", "init regexp "},
	} {
		r := b.run(strings.Fields(line)...)
		if r.code != 0 || !strings.Contains(r.err, "init ") || r.out == "" {
			t.Errorf("%s: exit %d, %v", line, r.code, r)
		}
		for _, name := range late {
			if strings.Contains(r.err, name) {
				t.Errorf("%s: %s is initialised", line, name)
			}
		}
	}
}
