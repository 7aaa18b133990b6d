package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/oauthtest"
)

// login is a `ctxfs auth` that waits for its browser.
type login struct {
	*exec.Cmd
	address string
	lines   *bufio.Reader
	err     bytes.Buffer
	stop    context.CancelFunc
}

// startLogin runs `ctxfs auth` until it has shown where to log in.
func (b *box) startLogin(args ...string) *login {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	l := &login{Cmd: b.command(ctx, b.program(), append([]string{"auth", "--no-browser"}, args...)...), stop: cancel}
	out, err := l.StdoutPipe()
	must(b, err)
	l.Stderr = &l.err
	l.lines = bufio.NewReader(out)
	must(b, l.Start())
	for l.address == "" {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			_ = l.Wait()
			b.Fatalf("auth ended: %v\n%s", err, l.err.String())
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "http") {
			l.address = line
		}
	}
	return l
}

// end waits for the end, and returns what was said.
func (l *login) end() result {
	defer l.stop()
	rest, _ := io.ReadAll(l.lines)
	_ = l.Wait()
	return result{l.ProcessState.ExitCode(), string(rest), l.err.String()}
}

// browse follows an address as a browser does, and returns the last page.
func browse(t testing.TB, address string) string {
	t.Helper()
	res, err := http.Get(address)
	must(t, err)
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	must(t, err)
	return string(page)
}

// login logs in to a server.
func (b *box) login(server string) result {
	b.Helper()
	l := b.startLogin(server)
	page := browse(b, l.address)
	r := l.end()
	if r.code != 0 || !strings.Contains(r.out, "logged in to "+server+" at ") || !strings.Contains(page, "You are logged in") {
		b.Fatalf("auth %s: exit %d\n%v\n%s", server, r.code, r, page)
	}
	return r
}

// hides checks that no secret is in anything that users or agents look at.
func (b *box) hides(secrets []string, texts ...string) {
	b.Helper()
	if len(secrets) < 3 {
		b.Errorf("too few secrets: %d", len(secrets))
	}
	texts = append(texts, b.log())
	for _, dir := range []string{b.mnt(), b.cache} {
		must(b, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if renamed(d, err) {
				return nil
			}
			texts = append(texts, string(text))
			return err
		}))
	}
	for _, text := range texts {
		fstest.ContainsNot(b, text, secrets...)
	}
}

// loginList is what `ctxfs auth --json` prints.
func (b *box) loginList() (list []struct {
	Server, State, Stored string
	LoggedIn              bool `json:"logged_in"`
	Missing               []string
}) {
	b.Helper()
	must(b, json.Unmarshal([]byte(b.ok("auth", "--json")), &list))
	return list
}

func TestAuth(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	s := oauthtest.New(t)
	s.Set(oauthtest.Faults{Echo: true})
	b.servers["guarded"] = map[string]any{"url": s.URL}
	b.configure()
	b.mount()
	b.server("guarded", "needs-auth", "\nfix: ctxfs auth guarded\n")
	b.shows("AGENTS.md", "needs-auth")
	b.shows("mcps/INDEX.md", "needs-auth", "guarded/STATUS.md")
	if l := b.loginList(); len(l) != 1 || l[0].LoggedIn || l[0].State != "needs-auth" {
		t.Errorf("%+v", l)
	}

	l := b.startLogin("guarded")
	browse(t, l.address)
	r := l.end()
	b.ready("guarded")
	for _, file := range []string{"mcps/guarded/STATUS.md", "mcps/INDEX.md", "AGENTS.md"} {
		b.lacks(file, "needs-auth")
	}
	if r.code != 0 || !containsAll(r.out, []string{"logged in to guarded at " + s.Issuer, "in a file", "guarded is ready"}) {
		t.Errorf("exit %d\n%v", r.code, r)
	}
	b.shows("mcps/guarded/tools/whoami.json", "Says who you are.")
	if l := b.loginList(); len(l) != 1 || !l[0].LoggedIn || l[0].State != "ready" || l[0].Stored != "file" {
		t.Errorf("%+v", l)
	}

	// A scope that is missing.
	s.Set(oauthtest.Faults{Scope: "admin", Echo: true})
	b.ok("restart", "guarded")
	b.shows("mcps/guarded/STATUS.md", "state: needs-auth\n", `the scope "admin" as well`, "\nfix: ctxfs auth guarded\n", "1 tool")
	b.login("guarded")
	b.ready("guarded")

	// The end of the login: the tools stay.
	list := b.ok("auth")
	out := b.ok("auth", "--logout", "guarded")
	if !strings.Contains(out, "logged out of guarded") || s.Counts().Revocations != 2 {
		t.Errorf("%s, %+v", out, s.Counts())
	}
	b.server("guarded", "needs-auth", "1 tool")
	b.shows("mcps/guarded/tools/whoami.json", "Says who you are.")
	fstest.Contains(t, b.ok("auth", "--logout", "guarded"), "there was no login")
	b.hides(s.Secrets(), r.out, r.err, list, out, b.run("status").out, b.run("doctor").out)
}

// TestAuthWithoutProcess logs in while ctxfs does not run.
func TestAuthWithoutProcess(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	s := oauthtest.New(t)
	b.servers["guarded"] = map[string]any{"url": s.URL}
	b.configure()
	b.login("guarded")
	if b.run("status").code != exitNotRunning {
		t.Error("a process was started")
	}
	b.mount()
	b.ready("guarded")
	b.hides(s.Secrets())
}

func TestAuthRefused(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	s := oauthtest.New(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer busy.Close()
	gone := oauthtest.New(t)
	gone.Set(oauthtest.Faults{NoRegistration: true})
	b.stub("zoo", "", nil)
	b.servers["guarded"] = map[string]any{"url": s.URL}
	b.servers["strict"] = map[string]any{"url": gone.URL}
	b.servers["token"] = map[string]any{"url": s.URL + "?x", "headers": map[string]any{"Authorization": "Bearer x"}}
	b.configure()
	port := busy.Addr().(*net.TCPAddr).Port
	b.write(".claude.json", asJSON(map[string]any{"mcpServers": map[string]any{
		"busy": map[string]any{"type": "http", "url": oauthtest.New(t).URL, "oauth": map[string]any{"callbackPort": port}},
		"away": map[string]any{"type": "http", "url": "http://127.0.0.1:1/mcp"},
	}}))
	for server, words := range map[string][]string{
		"guard":  {`no server is called "guard"`, `did you mean "guarded"?`},
		"zoo":    {"a program on this machine", "`env`"},
		"token":  {"Authorization"},
		"strict": {"registers no clients by itself", "client id", "\n  "},
		"away":   {"cannot be reached", "connection refused"},
	} {
		b.refused(exitFailed, words, "auth", "--no-browser", server)
	}
	b.refused(exitUsage, []string{"which server"}, "auth", "--logout")
	b.refused(exitUsage, []string{"--json"}, "auth", "--json", "guarded")

	b.refused(exitFailed, []string{fmt.Sprintf("port %d, which the browser has to return to, is in use", port), "\n  "}, "auth", "--no-browser", "busy")

	s.Set(oauthtest.Faults{Deny: true})
	l := b.startLogin("guarded")
	fstest.Contains(t, browse(t, l.address), "The login did not work", "access_denied")
	fstest.Contains(t, l.end().exits(t, exitFailed).err, "ctxfs: the login was denied", "\n  ")

	s.Set(oauthtest.Faults{})
	l = b.startLogin("guarded")
	must(t, l.Process.Signal(syscall.SIGINT))
	fstest.Contains(t, l.end().exits(t, exitFailed).err, "ctxfs: interrupted; the login is as it was before")
}

// TestAuthOfficialServer logs in to the example server of the official
// TypeScript SDK.
func TestAuthOfficialServer(t *testing.T) {
	t.Parallel()
	script := filepath.Join(fstest.NodeModules(t, "@modelcontextprotocol/sdk"), "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js")
	b := newBox(t)
	server, auth := fstest.Port(t), fstest.Port(t)
	ctx, cancel := context.WithCancel(context.Background())
	node := b.command(ctx, "node", script, "--oauth")
	node.Env = append(node.Env, "MCP_PORT="+server, "MCP_AUTH_PORT="+auth)
	must(t, node.Start())
	defer func() {
		cancel()
		_ = node.Wait()
	}()
	b.ok("wait", "port", server, ",", "port", auth)
	b.servers["official"] = map[string]any{"url": "http://localhost:" + server + "/mcp"}
	b.configure()
	b.mount()
	b.server("official", "needs-auth", "\nfix: ctxfs auth official\n")
	r := b.login("official")
	if !strings.Contains(r.out, "official is ready") {
		t.Errorf("%v", r)
	}
	b.shows("mcps/official/tools/greet.json", "greeting")
	fstest.Contains(t, b.ok("auth", "--logout", "official"), "logged out of official")
	b.server("official", "needs-auth")
	b.shows("mcps/official/tools/greet.json", "greeting")
}

// TestAuthAfterACall logs in to a server of a process that a call has started,
// and restarts and keeps what is in it: all is as in a process with a mount.
func TestAuthAfterACall(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	s := oauthtest.New(t)
	b.servers["guarded"] = map[string]any{"url": s.URL}
	b.stub("farm", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json")})
	if r := b.run("call", "guarded", "whoami"); r.code != 6 {
		t.Fatalf("call: exit %d\n%v", r.code, r)
	}
	pid := b.pid()
	defer b.keepRunning("farm")()
	fstest.Contains(t, b.login("guarded").out, "guarded is ready")
	b.ok("restart", "zoo")
	b.ok("wait", "server", "zoo", "ready")
	b.ok("restart")
	defer b.keepRunning("farm")() // the first call has ended with its server
	b.ok("wait", "server", "zoo", "ready", ",", "server", "guarded", "ready")
	if b.pid() != pid {
		t.Errorf("another process: %d, was %d", b.pid(), pid)
	}
}
