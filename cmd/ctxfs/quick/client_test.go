package quick

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
)

// TestFolders: the process is looked for where package places and package control have it.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{"HOME": dir},
		{"HOME": dir, "XDG_STATE_HOME": dir + "/state", "XDG_CONFIG_HOME": dir + "/config"},
		{"HOME": dir, "XDG_STATE_HOME": "relative"},
		{"HOME": link, "XDG_STATE_HOME": link + "/none/at/all"},
		{"HOME": "relative"},
		{},
	} {
		t.Setenv("HOME", env["HOME"])
		home, state := folders(func(name string) string { return env[name] })
		p, err := places.Find(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err != nil {
			if home != "" {
				t.Errorf("%v: %s, but %v", env, home, err)
			}
			continue
		}
		if config := configOf(func(name string) string { return env[name] }); home != p.Home || state != p.State || config != p.Config {
			t.Errorf("%v: %s, %s and %s, not %s, %s and %s", env, home, state, config, p.Home, p.State, p.Config)
		}
		var all []string
		for _, folder := range p.Process().Folders() {
			all = append(all, folder+"/daemon.sock")
		}
		if is, want := key(realPath(state)), filepath.Base(filepath.Dir(all[len(all)-1])); is != want {
			t.Errorf("%v: the folder that stands in for %s is called %s, not %s", env, state, is, want)
		}
		if found := sockets(state); found[0] != all[0] || slices.ContainsFunc(found, func(s string) bool { return !slices.Contains(all, s) }) {
			t.Errorf("%v: %q are not among %q", env, found, all)
		}
	}
}

// TestTimeout: the configuration may give a hook another time, and no nonsense.
func TestTimeout(t *testing.T) {
	for value, want := range map[string]time.Duration{
		`"3s"`: 3 * time.Second, `'1500ms' # long`: 1500 * time.Millisecond, "": Patience, "3": Patience, `"-3s"`: Patience, `"0s"`: Patience, `"soon"`: Patience, `"`: Patience,
	} {
		for _, config := range []string{"[hooks]\ntimeout=" + value, "# mine\n[exec.x]\ntimeout = \"9s\"\n[hooks] # told\r\n\tstart = \"here\"\r\n\ttimeout = " + value + "\r\n[mcp]\ntimeout = \"8s\"\n"} {
			if got := timeoutOf([]byte(config)); got != want {
				t.Errorf("%q: %v, not %v", config, got, want)
			}
		}
	}
}

// TestLine: what is written by hand here is what package control reads, and the other way.
func TestLine(t *testing.T) {
	r := Hook{Agent: []byte("claude-code"), Event: []byte("a\"b"), Input: []byte("\xff{}\n"), Dir: []byte("/ü"), Home: []byte("/h"), Timeout: 1500}
	var got struct {
		Op   string `json:"op"`
		Args Hook   `json:"args"`
	}
	line := r.line()
	if err := json.Unmarshal(line, &got); err != nil || got.Op != OpHook || string(got.Args.Input) != "\xff{}\n" || string(got.Args.Event) != "a\"b" || string(got.Args.Dir) != "/ü" || string(got.Args.Home) != "/h" || string(got.Args.Agent) != "claude-code" || got.Args.Timeout != 1500 {
		t.Errorf("%s: %+v, %v", line, got, err)
	}
	for _, want := range []Reply{{}, {Out: []byte("{\"a\":\"<é>\"}\n")}, {Code: 2, Err: []byte("why\n")}, {Out: []byte(strings.Repeat("x", 100_000))}} {
		value, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		reply, ok := readReply([]byte(`{"value":` + string(value) + "}\n"))
		if !ok || reply.Code != want.Code || string(reply.Out) != string(want.Out) || string(reply.Err) != string(want.Err) {
			t.Errorf("%.80s: %+v", value, reply)
		}
	}
	fault, err := json.Marshal(map[string]any{"fault": control.Fault{Message: `"code":2,"out":"e30="`}})
	if err != nil {
		t.Fatal(err)
	}
	if reply, ok := readReply(append(fault, '\n')); ok {
		t.Errorf("a fault: %+v", reply)
	}
}
