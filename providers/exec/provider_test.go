package exec

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var topics = `
[exec.team]
"topics/" = ` + sh("+ echo alpha; echo beta; echo; echo beta; echo -rf; echo .git") + `
"topics/{key}/events.jsonl" = ` + sh(`+ echo "{\"key\": \"$1\"}"`, "{key}") + `
"topics/{key}/{number}.txt" = ` + sh(`+ echo "$1 $2"`, "{key}", "{number}") + `
"now.txt" = ` + sh(`+ echo now`) + `
`

func TestOnlyAskingForANameRunsItsCommand(t *testing.T) {
	t.Parallel()
	f := configured(t, topics)
	if got := f.walk(); !slices.Equal(got, []string{"INDEX.md", "team/", "team/INDEX.md", "team/topics/"}) {
		t.Errorf("at first: %q", got)
	}
	dir, err := f.tree.Resolve(t.Context(), "team/topics/gamma")
	if err != nil {
		t.Fatal(err)
	}
	node, err := f.tree.Lookup(t.Context(), dir.(fs.Dir), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, probe := range []string{".git", "package.json", "Cargo.toml", "x y", "-x", "events.json"} {
		if _, err := f.tree.Lookup(t.Context(), dir.(fs.Dir), probe); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", probe, err)
		}
	}
	if _, err := f.tree.Resolve(t.Context(), "team/topics/package.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("package.json: %v", err)
	}
	f.wantRan(0)
	if a, err := f.tree.Stat(t.Context(), node); err != nil || a.Size != int64(len("{\"key\": \"gamma\"}\n")) {
		t.Errorf("%+v, %v", a, err)
	}
	if got := f.read("team/topics/gamma/events.jsonl"); got != "{\"key\": \"gamma\"}\n" {
		t.Errorf("%s", got)
	}
	f.wantRan(1)
	fstest.Eventually(t, "it is listed", func() bool { return slices.Contains(f.walk(), "team/topics/gamma/events.jsonl") })
	f.wantRan(1)
	fstest.Check(t, f.tree)
	f.reopen()
	if got := f.walk(); !slices.Contains(got, "team/topics/gamma/events.jsonl") {
		t.Errorf("after a restart: %q", got)
	}
	f.wantRan(1)
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	f := configured(t, topics)
	if got := f.refreshed("team"); got.Names != 4 || got.Fetched != 3 || len(got.Failed) > 0 {
		t.Errorf("%+v", got)
	}
	want := []string{"INDEX.md", "team/", "team/INDEX.md", "team/now.txt", "team/topics/", "team/topics/NAMES.txt",
		"team/topics/alpha/", "team/topics/alpha/events.jsonl", "team/topics/beta/", "team/topics/beta/events.jsonl"}
	if got := f.walk(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := f.read("team/topics/NAMES.txt"); got != "alpha\nbeta\n-rf\n.git\n" {
		t.Errorf("%q", got)
	}
	f.wantRan(4)
	fstest.Check(t, f.tree)
	found, err := f.Search(t.Context(), "beta", "", 10)
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "team/topics/beta/events.jsonl" {
		t.Errorf("%+v, %v", found, err)
	}
	f.wantRan(4)
	// What a listing no longer names leaves the folder; what somebody asked for stays.
	f.read("team/topics/beta/7.txt")
	f.configure(strings.Replace(topics, "echo beta; echo;", "", 2))
	f.configure(strings.ReplaceAll(topics, "echo beta;", ""))
	f.Reload()
	f.refreshed("team")
	got := f.walk()
	if slices.Contains(got, "team/topics/beta/events.jsonl") || !slices.Contains(got, "team/topics/beta/7.txt") {
		t.Errorf("%q", got)
	}
	if _, err := OpRefresh.Ask(t.Context(), fs.Operations(f.Operations()), RefreshQuery{Folder: "taem"}, nil, nil); err == nil || !strings.Contains(err.(interface{ Fix() string }).Fix(), "team") {
		t.Errorf("%v", err)
	}
}

func TestAllWhoWaitShareOneRun(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("+ until [ -e $HOME/go ]; do sleep 0.01; done; echo done"))
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			if got, err := fstest.Text(f.tree, "x/slow.txt"); got != "done\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	fstest.Eventually(t, "it runs", func() bool { return f.ran() > 0 })
	if got := f.walk(); slices.Contains(got, "x/slow.txt") {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(f.home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	f.wantRan(1)
}

func TestAsManyAtOnceAsConfigured(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\nat_once = 2\n\"{key}.txt\" = "+sh(`echo >>$HOME/$1; ls $HOME | grep -c '^job' >>$HOME/most; sleep 0.05; rm $HOME/$1`, "job{key}"))
	var readers sync.WaitGroup
	for _, name := range strings.Split("abcdefghij", "") {
		readers.Go(func() { f.read("x/" + name + ".txt") })
	}
	readers.Wait()
	text, err := os.ReadFile(filepath.Join(f.home, "most"))
	if err != nil || strings.ContainsAny(string(text), "3456789") {
		t.Errorf("at once: %s, %v", text, err)
	}
}

func TestOutputsExpire(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\nlifetime = \"200ms\"\n\"{key}.txt\" = "+sh("+ echo $1", "{key}"))
	f.Start()
	f.read("x/a.txt")
	fstest.Eventually(t, "it leaves the listing", func() bool { return !slices.Contains(fstest.Names(t, f.tree, "x"), "a.txt") })
	f.wantRan(1)
	f.read("x/a.txt")
	f.wantRan(2)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.h]
timeout = "300ms"
"hangs/{key}" = `+sh(`sleep 1000`)+`
[exec.x]
max_size = "1 KB"
"{key}.txt" = `+sh(`+ [ ! -e $HOME/bad ] || { echo "error: it is bad" >&2; exit 7; }; echo "good $1"`, "{key}")+`
"json/{key}.json" = `+sh(`echo "no such thing" >&2; exit 1`)+`
"long/{key}" = `+sh(`head -c 1000000 /dev/zero | tr '\0' x`)+`
"missing/{key}" = ["no-such-program-here"]
"control/{key}" = `+sh(`printf 'a\033[31mred\033[0m\007\000b\r\nTOKEN=ghp_%s\n' 0123456789abcdefghijABCDEFGHIJ012345`)+`
`, func(o *Options) {
		now := time.Now()
		var mu sync.Mutex
		o.Env.Now = func() time.Time { // what was fetched expires soon
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(40 * time.Second)
			return now
		}
	})
	good := f.read("x/a.txt")
	if good != "good a\n" {
		t.Fatalf("%q", good)
	}
	if err := os.WriteFile(filepath.Join(f.home, "bad"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.refreshIt("x", "a.txt")
	bad := f.read("x/a.txt")
	fstest.Contains(t, bad, "exited with 7", "error: it is bad", "a.txt.last-good")
	if got := f.read("x/a.txt.last-good"); got != good {
		t.Errorf("%q", got)
	}
	var failed failed
	if err := json.Unmarshal([]byte(f.read("x/json/a.json")), &failed); err != nil || !strings.Contains(failed.Error, "no such thing") {
		t.Errorf("%+v, %v", failed, err)
	}
	fstest.Contains(t, f.read("h/hangs/a"), "had not ended after 300ms", "timeout in [exec.h]")
	fstest.Contains(t, f.read("x/long/a"), "printed more than 1.0 KB", "max_size")
	fstest.Contains(t, f.read("x/missing/a"), "no program in PATH is called no-such-program-here")
	if got := f.read("x/control/a"); !strings.HasPrefix(got, "ared") || strings.ContainsAny(got, "\x1b\x07\x00\r") || strings.Contains(got, "ghp_01") {
		t.Errorf("%q", got)
	}
}

// refreshIt runs the command of a file again, as a refresh does.
func (f *fixture) refreshIt(folder, name string) {
	f.t.Helper()
	one := f.folders[folder]
	r, values, ok := one.match(split(name))
	if !ok {
		f.t.Fatal("no rule")
	}
	if failed, ok := one.fetch(f.t.Context(), name, target{r, values}); !ok || failed == "" {
		f.t.Fatalf("%q, %v", failed, ok)
	}
}

func TestMistakesInTheConfiguration(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec]
stray = 1
[exec."a b"]
"x" = ["true"]
[exec.empty]
[exec.x]
timout = "3s"
timeout = "soon"
max_size = -1
at_once = 0
env = "PATH"
placeholders = {key = "[", n = 5}
"{unknown}.txt" = ["true"]
"{number}.txt" = ["show", "{numbr}"]
"package.json" = ["true"]
"INDEX.md" = ["true"]
"../x" = ["true"]
"ok/{number}.txt" = ["echo", "{number}"]
`)
	var all strings.Builder
	for _, p := range f.Status().Problems {
		all.WriteString(p.What + "\n")
	}
	fstest.Contains(t, all.String(), `"stray"`, `"a b"`, `"empty"`, `"timout"`, `did you mean "timeout"`, `"soon"`, `"max_size"`, `"at_once"`, `"env"`,
		`"placeholders"`, "{unknown} has no pattern", "{numbr}", "package.json in every folder", "INDEX.md is a file of ctxfs's own", `"../x"`, "config.toml:9")
	if got := f.read("x/ok/7.txt"); got != "7\n" { // the rest works
		t.Errorf("%q", got)
	}
	if s := f.Status(); s.State != "degraded" {
		t.Errorf("%+v", s)
	}
}

func TestACacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("echo $1", "{key}"), func(o *Options) { o.Cache = filepath.Join(o.Home, "config.toml", "cache") })
	if got := f.read("x/a.txt"); got != "a\n" {
		t.Errorf("%q", got)
	}
	if got := f.read("x/a.txt"); got != "a\n" {
		t.Errorf("%q", got)
	}
	if s := f.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "in memory only") {
		t.Errorf("%+v", s)
	}
}

func TestCommandsOfFoldersThatAreGoneEnd(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"{key}.txt\" = "+sh("+ exec sleep 1000"))
	ended := make(chan error, 1)
	go func() {
		_, err := fstest.Text(f.tree, "x/a.txt")
		ended <- err
	}()
	fstest.Eventually(t, "it runs", func() bool { return f.ran() > 0 })
	if !f.Busy() {
		t.Error("nothing is said to run")
	}
	f.configure("")
	f.Reload()
	if err := <-ended; err == nil {
		t.Error("the reader got something")
	}
	if got := f.walk(); !slices.Equal(got, []string{"INDEX.md"}) {
		t.Errorf("%q", got)
	}
}

func TestChangesRefreshAFolder(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\nwatch = [\"source\"]\n\"now.txt\" = "+sh("+ cat $HOME/source"))
	source := filepath.Join(f.home, "source")
	write := func(text string) {
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	f.Start()
	fstest.Eventually(t, "it is fetched", func() bool { return fstest.ReadIfAny(t, f.tree, "x/now.txt") == "one" })
	write("two")
	fstest.Eventually(t, "it is fetched again", func() bool { return f.read("x/now.txt") == "two" })
}

func TestALifetimeRefreshesAFolder(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\nevery = \"1ms\"\n\"now.txt\" = "+sh("+ echo now"))
	f.Start()
	fstest.Eventually(t, "it is refreshed", func() bool { return f.ran() >= 2 })
}

func TestFoldersAreTold(t *testing.T) {
	t.Parallel()
	f := configured(t, topics+"env = [\"API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\"]\n")
	all, err := OpFolders.Ask(t.Context(), fs.Operations(f.Operations()), fs.None{})
	if err != nil || len(all) != 1 || len(all[0].Paths) != 4 || all[0].Lifetime != "1h" {
		t.Fatalf("%+v, %v", all, err)
	}
	paths := all[0].Paths
	if paths[0].Path != "topics/" || paths[0].Line == 0 || !strings.Contains(paths[1].Means, "a refresh does") || strings.Contains(paths[2].Means, "a refresh does") ||
		!slices.Contains(paths[2].Placeholders, "{number} is [0-9]{1,18}") || !strings.Contains(paths[3].Means, "one file") {
		t.Errorf("%+v", paths)
	}
}
