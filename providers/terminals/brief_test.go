package terminals

import (
	"slices"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// TestBrief: what terminals say of the folder in which their commands ran.
func TestBrief(t *testing.T) {
	dir := stateDir(t)
	one := newTape(t, dir)
	one.put(begin("make") + "error\r\n" + end("2") + begin("lint") + "bad\r\n" + end("1") + begin("make") + "ok\r\n" + end("0") + begin("claude --continue") + end("0"))
	one.wait(time.Second)
	two := newTape(t, dir, func(o *record.Options) { o.Name = "api" })
	two.put(begin("serve") + "listening\r\n")
	two.wait(time.Second)
	f := start(t, dir, func(o *Options) { o.Env.Now = func() time.Time { return epoch.Add(time.Hour) } })
	about := func(dir string) (all []string) {
		for _, r := range f.Brief(dir) {
			all = append(all, string(r.Topic)+": "+r.Text+" "+r.Path)
			if _, err := f.try(r.Path); err != nil {
				t.Errorf("%s: %v", r.Path, err)
			}
		}
		return all
	}
	want := []string{
		"running: `serve` in terminal api since 2026-11-20 04:00 api.txt",
		"failing: `lint` failed 2026-11-20 04:00 in terminal 1, exit 1: bad 1/commands/2.txt",
	}
	for dir, want := range map[string][]string{"/home/u": want, "/home": want, "/home/u2": nil, "/home/u/x": nil} {
		fstest.EqualSlices(t, about(dir), want, dir)
	}
	edits := f.Edits("/home/u", epoch.Add(-time.Hour))
	var did []string
	for _, d := range edits {
		did = append(did, d.By+": "+d.Command)
		if d.Dir != "/home/u" || d.Start.IsZero() || d.End.IsZero() != (d.Command == "serve") || d.Session != "" || d.File != "" {
			t.Errorf("%+v", d)
		}
	}
	slices.Sort(did)
	if want := []string{"1.txt: lint", "1.txt: make", "1.txt: make", "api.txt: serve"}; !slices.Equal(did, want) {
		t.Errorf("edits: %q, want %q", did, want)
	}
	if got := f.Edits("/home/u", epoch.Add(time.Hour)); len(got) != 1 || got[0].Command != "serve" {
		t.Errorf("edits of late: %+v", got)
	}
	visits := f.Visits(epoch.Add(-time.Hour))
	if len(visits) != 1 || visits[0].Dir != "/home/u" || visits[0].Certain {
		t.Errorf("visits: %+v", visits)
	}
	fstest.Equal(t, len(f.Visits(epoch.Add(time.Hour))), 0, "older visits are reported")
}

// TestFailuresOfProject: a session is told of commands that failed in its folder, below it,
// and above it in its project, but not of those above the project.
func TestFailuresOfProject(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put(begin("make") + "no\r\n" + end("2"))
	p.wait(time.Second)
	fstest.Must(t, p.Close(0, ""))
	project := ""
	f := start(t, dir, func(o *Options) { o.Root = func(string) string { return project } })
	for _, c := range []struct {
		dir, project string
		told         bool
	}{
		{"/home/u", "", true}, {"/home", "", true}, {"/home/u/p", "", false}, {"/home/u/p", "/home/u/p", false}, {"/home/u/p", "/home/u", true}, {"/home/u/p/q", "/home", true}, {"/home/v", "/home", false},
	} {
		project = c.project
		news := f.News(t.Context(), facts.Moment{Kind: facts.Prompted, Dir: c.dir, Time: epoch.Add(time.Hour), Turn: epoch.Add(-time.Hour)})
		fstest.Equal(t, (len(news) == 1), c.told, "project", c.dir, c.project, news)
	}
}
