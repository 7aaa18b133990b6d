// Package bench has the measurements of the whole program whose figures are in
// BENCHMARKS.md. `./...` does not match it; CONTRIBUTING.md has its commands.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// base is the folder of all users and of the program. Its name is short, for the sake of
// socket addresses.
var base string

func program() string { return filepath.Join(base, "ctxfs") }

func TestMain(m *testing.M) {
	var err error
	if base, err = os.MkdirTemp("/tmp", "cx"); err != nil {
		panic(err)
	}
	out, err := exec.Command("go", "build", "-o", program(), "ctxfs/cmd/ctxfs").CombinedOutput()
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
	}
	os.RemoveAll(base)
	os.Exit(code)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// user is a person with a home folder, in which the program runs.
type user struct {
	testing.TB
	dir, home, mnt, state string
	env                   []string
}

func newUser(tb testing.TB) *user {
	tb.Helper()
	dir, err := os.MkdirTemp(base, "")
	must(tb, err)
	u := &user{TB: tb, dir: dir, home: filepath.Join(dir, "h"), mnt: filepath.Join(dir, "h/.agentctx"), state: filepath.Join(dir, "XDG_STATE_HOME/ctxfs")}
	must(tb, os.MkdirAll(u.home, 0o700))
	u.env = append(os.Environ(), "HOME="+u.home, "XDG_RUNTIME_DIR="+u.home, "LC_ALL=C.UTF-8", "TERM=xterm", "SHELL=/bin/sh")
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		u.env = append(u.env, v+"="+filepath.Join(dir, v))
	}
	tb.Cleanup(func() {
		u.run(program(), "unmount", "--all")
		os.RemoveAll(dir)
	})
	return u
}

// write writes a file below the home folder.
func (u *user) write(path, text string) {
	u.Helper()
	path = filepath.Join(u.home, path)
	must(u, os.MkdirAll(filepath.Dir(path), 0o700))
	must(u, os.WriteFile(path, []byte(text), 0o600))
}

func (u *user) run(name string, args ...string) string {
	u.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = u.env, u.home
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		u.Fatalf("%s %q: %v: %s", name, args, err, said.String())
	}
	return string(out)
}

// took runs a command with its output into a pipe, and returns its time in milliseconds.
// Finding nothing is no failure.
func (u *user) took(dir, name string, args ...string) float64 {
	u.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = append(u.env, "RIPGREP_CONFIG_PATH="), dir
	begun := time.Now()
	if _, err := cmd.Output(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		u.Fatalf("%s %q: %v", name, args, err)
	}
	return float64(time.Since(begun).Microseconds()) / 1000
}

// status is what `ctxfs status --json` prints.
type status struct {
	Pid       int
	Providers []struct {
		Name, State, Summary string
		Items                []fs.Item
	}
}

func (u *user) status() (s status) {
	u.Helper()
	must(u, json.Unmarshal([]byte(u.run(program(), "status", "--json")), &s))
	return s
}

// end unmounts, and waits until the background process has ended.
func (u *user) end() {
	u.Helper()
	proc := fmt.Sprint("/proc/", u.status().Pid)
	u.run(program(), "unmount", "--all")
	fstest.Eventually(u, "the background process has ended", func() bool { _, err := os.Stat(proc); return err != nil })
}

// memory returns a line of a process's /proc/PID/status in MB: VmRSS or VmHWM.
func (u *user) memory(pid int, what string) (mb float64) {
	u.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(u, err)
	_, rest, _ := strings.Cut(string(text), what+":")
	_, err = fmt.Sscan(rest, &mb)
	must(u, err)
	return mb / 1024
}

// resting waits until the memory of a process has been the same for ten seconds: it gives
// memory back when it has been at rest.
func (u *user) resting(pid int) float64 {
	u.Helper()
	last, since := 0.0, time.Now()
	fstest.Eventually(u, "the process is at rest", func() bool {
		if now := u.memory(pid, "VmRSS"); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 10*time.Second
	})
	return last
}

// cpu is what a process has used of processors, in milliseconds.
func (u *user) cpu(pid int) (ms float64) {
	u.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(u, err)
	for _, field := range strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[11:13] {
		ticks, err := strconv.Atoi(field)
		must(u, err)
		ms += float64(10 * ticks)
	}
	return ms
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// tool is a tool of an MCP server.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// tokens is what tools take in a prompt.
func tokens(tb testing.TB, tools []tool) int {
	tb.Helper()
	text, err := json.Marshal(tools)
	must(tb, err)
	return prompt.Tokens(strings.ReplaceAll(string(text), `"inputSchema"`, `"input_schema"`))
}

// offer is what an MCP server has.
type offer struct {
	About              string
	Tools              []tool
	Prompts, Resources []json.RawMessage
	Texts              map[string]string // of resources, by URI
}

// serve runs MCP servers over HTTP, each below its name, and returns their entries for
// mcp.json.
func serve(tb testing.TB, offers map[string]*offer) (entries map[string]any) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offers[strings.TrimPrefix(r.URL.Path, "/")].answer(w, r)
	}))
	tb.Cleanup(web.Close)
	entries = make(map[string]any)
	for name := range offers {
		entries[name] = map[string]any{"url": web.URL + "/" + name}
	}
	return entries
}

func (o *offer) answer(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct{ URI string }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if o == nil { // it never answers
		<-r.Context().Done()
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	none := map[string]any{}
	result, known := map[string]any{
		"initialize": map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": none, "prompts": none, "resources": none},
			"serverInfo": map[string]any{"name": "stub", "version": "1"}, "instructions": o.About,
		},
		"tools/list":               map[string]any{"tools": append([]tool{}, o.Tools...)},
		"tools/call":               map[string]any{"content": []any{map[string]any{"type": "text", "text": "hi"}}},
		"prompts/list":             map[string]any{"prompts": append([]json.RawMessage{}, o.Prompts...)},
		"resources/list":           map[string]any{"resources": append([]json.RawMessage{}, o.Resources...)},
		"resources/templates/list": map[string]any{"resourceTemplates": []any{}},
		"resources/read":           map[string]any{"contents": []any{map[string]any{"uri": m.Params.URI, "mimeType": "text/plain", "text": o.Texts[m.Params.URI]}}},
	}[m.Method]
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if !known {
		delete(answer, "result")
		answer["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// configure gives the user servers.
func (u *user) configure(entries map[string]any) {
	u.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	must(u, err)
	u.write(".cursor/mcp.json", string(text))
}

// toolsOf counts the tools that are known.
func toolsOf(providers []usertree.ProviderStatus) (n int) {
	for _, p := range providers {
		for _, i := range p.Items {
			if p.Name == "mcps" {
				n += max(i.Count, 0)
			}
		}
	}
	return n
}

// tree is the tree of the user in this process, without a mount, once it has that many tools.
func (u *user) tree(tools int) *usertree.Tree {
	u.Helper()
	tree := usertree.New(usertree.Options{
		LookupEnv: func(string) (string, bool) { return "", false },
		Places:    places.Places{Home: u.home, Config: filepath.Join(u.home, "config.toml"), State: u.state, Cache: filepath.Join(u.dir, "cache")},
	})
	tree.Providers().Start()
	u.Cleanup(tree.Close)
	fstest.Eventually(u, "all tools are there", func() bool { return toolsOf(providers(u, tree)) == tools })
	tree.RenewPages()
	return tree
}

func providers(tb testing.TB, tree *usertree.Tree) []usertree.ProviderStatus {
	tb.Helper()
	all, err := usertree.OpProviders.Ask(context.Background(), tree.Operations(), fs.None{})
	must(tb, err)
	return all
}

// recordedTools are the recorded tools of twelve real servers.
func recordedTools(tb testing.TB) map[string]*offer {
	tb.Helper()
	return toolLists(tb, fstest.Data(tb, "mcp-tools")+"/*.json", func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".json") })
}

// toolLists reads files that have lists of tools.
func toolLists(tb testing.TB, pattern string, name func(file string) string) map[string]*offer {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	must(tb, err)
	offers := make(map[string]*offer)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(tb, err)
		o := new(offer)
		must(tb, json.Unmarshal(text, o))
		offers[name(file)] = o
	}
	return offers
}

// recordedSessions are the paths of the recorded sessions of Claude Code.
func recordedSessions(tb testing.TB) []string {
	tb.Helper()
	logs, err := filepath.Glob(fstest.Data(tb, "sessions/claude-code") + "/*.jsonl")
	must(tb, err)
	return logs
}
