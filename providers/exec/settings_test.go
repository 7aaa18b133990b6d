package exec

import (
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

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
		`"placeholders"`, "{unknown} has no pattern", `has {numbr}, but its path does not (did you mean {number}?)`, "package.json in every folder", "INDEX.md is a file of ctxfs's own", `"../x"`, "config.toml:9")
	if got := f.read("x/ok/7.txt"); got != "7\n" { // the rest works
		t.Errorf("%q", got)
	}
	if s := f.Status(); s.State != "degraded" {
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
	f.began.Line()
	if !f.Busy() {
		t.Error("nothing is said to run")
	}
	f.configure("")
	f.Reload()
	if err := <-ended; err == nil {
		t.Error("the reader got something")
	}
	fstest.EqualSlices(t, f.walk(), []string{"INDEX.md"})
}

func TestFoldersAreTold(t *testing.T) {
	t.Parallel()
	f := configured(t, topics+"env = [\"API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\"]\n")
	all, err := OpFolders.Ask(t.Context(), fs.Operations(f.Operations()), fs.None{})
	if err != nil || len(all) != 1 || len(all[0].Paths) != 4 || all[0].Lifetime != "1h" {
		t.Fatalf("%+v, %v", all, err)
	}
	paths := all[0].Paths
	if paths[0].Path != "topics/" || paths[0].Line == 0 || !strings.Contains(paths[1].Means, "a refresh does") ||
		!slices.Contains(paths[2].Placeholders, "{number} is [0-9]{1,18}") || !strings.Contains(paths[3].Means, "one file") {
		t.Errorf("%+v", paths)
	}
	f.configure(topics + "every = \"2h\"\nwatch = [\"source\", \"/etc/hosts\"]\n")
	f.Reload()
	all, err = OpFolders.Ask(t.Context(), fs.Operations(f.Operations()), fs.None{})
	if err != nil || all[0].When != "every 2h, after a change of ~/source or /etc/hosts" || all[0].Lifetime != "4h" {
		t.Errorf("%+v, %v", all, err)
	}
	fstest.Contains(t, f.read("team/INDEX.md"), "It is refreshed every 2h, after a change of ~/source or /etc/hosts, and by: ctxfs exec refresh team")
}

func TestEditingTheConfigurationEndsNothing(t *testing.T) {
	t.Parallel()
	gate := fstest.NewFIFO(t)
	table := "[exec.x]\n\"{key}.txt\" = " + sh("+ read x <"+gate.Path+"; echo done") + "\n"
	f := configured(t, table)
	read := make(chan string, 1)
	go func() {
		text, err := fstest.Text(f.tree, "x/a.txt")
		if err != nil {
			text = err.Error()
		}
		read <- text
	}()
	f.began.Line()
	for _, config := range []string{"# a comment\n\n" + table, "[exec.x\n", table + "[exec.other]\n\"a\" = [\"true\"]\n"} {
		f.configure(config)
		f.Reload()
	}
	if got := f.walk(); !slices.Contains(got, "other/INDEX.md") {
		t.Errorf("%q", got)
	}
	gate.Release()
	fstest.Equal(t, <-read, "done\n")
	f.wantRan(1)
}

func TestAMistakeCostsNoOutputs(t *testing.T) {
	t.Parallel()
	right := "[exec.x]\n\"{key}.txt\" = " + sh("+ echo $1", "{key}") + "\n"
	f := configured(t, right)
	f.read("x/a.txt")
	f.configure(strings.Replace(right, "{key}.txt", "{kee}.txt", 1))
	opts := f.opts
	opts.Watch = false
	fstest.Must(t, New(opts).Close())
	f.Reload()
	if got := f.walk(); slices.Contains(got, "x/a.txt") {
		t.Errorf("%q", got)
	}
	f.configure(right)
	f.reopen()
	fstest.Equal(t, f.read("x/a.txt"), "a\n")
	f.wantRan(1)
}
