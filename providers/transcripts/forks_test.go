package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/catalogue"
)

// id makes the id of a session.
func id(n int) string { return fmt.Sprintf("%08d-2222-4333-8444-555555555555", n) }

// forkOf is a session that repeats another up to now. Whether it says so is
// said.
func forkOf(t testing.TB, home, id string, from *pi, says bool) *pi {
	t.Helper()
	fork := piSession(t, home, id)
	header := ""
	if says {
		header = fmt.Sprintf(`,"parentSession":%q`, from.path)
	}
	text, err := os.ReadFile(from.path)
	fstest.Must(t, err)
	_, records, _ := strings.Cut(string(text), "\n")
	fstest.Must(t, os.WriteFile(fork.path, []byte(fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":%q%s}`+"\n", id, filepath.Join(home, "work"), header)+records), 0o644))
	fork.last, fork.n = from.last, from.n
	return fork
}

// told counts the places of a text in all transcripts together.
func (f *fixture) toldTimes(text string, ids ...string) (n int) {
	f.t.Helper()
	for _, id := range ids {
		if f.exists(catalogue.ByID + "/" + id) {
			n += count(f.transcript(id), "\n"+text+"\n")
		}
	}
	return n
}

func (f *fixture) toldOnce(when string, ids []string, texts ...string) {
	f.t.Helper()
	for _, text := range texts {
		f.await(fmt.Sprintf("%s, %q is told once", when, text), func() bool { return f.toldTimes(text, ids...) == 1 })
	}
}

func TestForksTellNothingTwice(t *testing.T) {
	for name, says := range map[string]bool{"that say so": true, "that do not": false} {
		t.Run(name, func(t *testing.T) {
			home := tempHome(t)
			all := []string{id(1), id(2), id(3)}
			parent := piSession(t, home, id(1))
			parent.user("in the beginning")
			fork := forkOf(t, home, id(2), parent, says)
			fork.user("in the fork")
			f := start(t, home)
			f.toldOnce("at first", all, "in the beginning", "in the fork")
			fstest.Contains(t, f.transcript(id(1)), "in the beginning")

			parent.user("in the parent, later")
			second := forkOf(t, home, id(3), fork, says)
			second.user("in the fork of the fork")
			f.toldOnce("with a fork of the fork", all, "in the beginning", "in the fork", "in the fork of the fork", "in the parent, later")

			fstest.Must(t, os.Remove(parent.path))
			f.await("the parent is gone", func() bool { return !f.exists(catalogue.ByID + "/" + id(1)) })
			f.toldOnce("without the parent", all, "in the beginning", "in the fork", "in the fork of the fork")
			fstest.Must(t, os.Remove(fork.path))
			f.await("the fork is gone", func() bool { return !f.exists(catalogue.ByID + "/" + id(2)) })
			f.toldOnce("with the last alone", all, "in the beginning", "in the fork", "in the fork of the fork")
			before := f.transcript(id(3))
			fstest.Must(t, f.Close())

			again := start(t, home, offline)
			fstest.Equal(t, again.transcript(id(3)), before, "after a restart")
		})
	}
}

// TestRecordsWithoutTime: equal ids of records without a time do not make a fork of a
// session.
func TestRecordsWithoutTime(t *testing.T) {
	home := tempHome(t)
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"one", "two"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(`{"type":"session","id":"`+name+`","cwd":"/y"}`+"\n"+`{"type":"message","id":"1","message":{"role":"user","content":"this is `+name+`"}}`+"\n"), 0o644))
	}
	f := start(t, home, offline, anyPi)
	f.names(catalogue.ByID)
	for _, name := range []string{"one", "two"} {
		if got := f.transcript(name); !strings.Contains(got, "this is "+name) {
			t.Errorf("%s: %q", name, got)
		}
		if v, _ := f.catalogue.View(f.catalogue.Find(name)[0]); v.FirstRecord != "" {
			t.Errorf("%s is identified by %q", name, v.FirstRecord)
		}
	}
}

// TestAForkThatIsFirstSeenEmpty: its first record is found, though its rendering has
// told before what else identifies it.
func TestAForkThatIsFirstSeenEmpty(t *testing.T) {
	home := tempHome(t)
	parent := piSession(t, home, id(1))
	parent.user("in the beginning")
	piSession(t, home, id(2))
	f := start(t, home, offline)
	f.names("pi/work") // it is seen
	fork := forkOf(t, home, id(2), parent, false)
	fork.user("in the fork")
	if got := f.transcript(id(2)); !strings.Contains(got, "in the fork") {
		t.Fatalf("it is not rendered: %s", got)
	}
	f.scanner.Inspect(t.Context(), "pi", fork.path, f.scanner.Format(fork.path), false)
	if v, _ := f.catalogue.View(f.catalogue.Find(id(2))[0]); v.FirstRecord == "" {
		t.Error("its first record is not known")
	}
}

// TestAForkBeforeItsParent: a fork leaves out what it has shown while it was alone once
// the parent is there.
func TestAForkBeforeItsParent(t *testing.T) {
	home := tempHome(t)
	all := []string{id(1), id(2)}
	parent := piSession(t, home, id(1))
	parent.user("in the beginning")
	fork := forkOf(t, home, id(2), parent, true)
	fork.user("in the fork")
	fstest.Must(t, os.Rename(parent.path, filepath.Join(home, "away")))
	f := start(t, home)
	f.toldOnce("alone", all, "in the beginning", "in the fork")
	fstest.Must(t, os.Rename(filepath.Join(home, "away"), parent.path))
	f.await("the parent is there", func() bool { return f.exists(catalogue.ByID + "/" + id(1)) })
	f.toldOnce("with its parent", all, "in the beginning", "in the fork")
	fstest.Contains(t, f.transcript(id(1)), "in the beginning")
}

// TestForksInACircle: sessions that name each other as their origin are all shown.
func TestForksInACircle(t *testing.T) {
	home := tempHome(t)
	all := []string{id(1), id(2), id(3)}
	first := piSession(t, home, id(1))
	first.user("in the beginning")
	second := forkOf(t, home, id(2), first, true)
	second.user("in the second")
	third := forkOf(t, home, id(3), second, true)
	third.user("in the third")
	text, err := os.ReadFile(first.path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(first.path, []byte(strings.Replace(string(text), `"cwd"`, fmt.Sprintf(`"parentSession":%q,"cwd"`, third.path), 1)), 0o644))
	f := start(t, home)
	f.toldOnce("at first", all, "in the beginning", "in the second", "in the third")
	const more = 12
	for i := range more {
		s := []*pi{third, first, second}[i%3]
		text := fmt.Sprintf("number %d.", i)
		s.user(text)
		f.await("it is told", func() bool { return strings.Contains(f.transcript(s.id), text) })
		f.toldOnce("later", all, "in the beginning", text)
	}
	generations := 0
	f.catalogue.Each(func(_ *catalogue.Session, v *catalogue.View) { generations += int(v.Published.Generation) })
	if generations > more/2 { // while the first are found, some are rendered before all are known
		t.Errorf("in all they were rendered from the beginning %d times", generations)
	}
	self := forkOf(t, home, id(4), first, false)
	text, err = os.ReadFile(self.path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(self.path, []byte(strings.Replace(string(text), `"cwd"`, fmt.Sprintf(`"parentSession":%q,"cwd"`, self.path), 1)), 0o644))
	f.await("a fork of itself is there", func() bool { return f.exists(catalogue.ByID + "/" + id(4)) })
	f.transcript(id(4))
}

// TestManyForks: forks are rendered once each, however they are related and in whatever
// order they are read.
func TestManyForks(t *testing.T) {
	n := fstest.Rounds(120)
	for name, shape := range map[string]struct {
		from func(i int) int // what the session is a fork of
		says bool
	}{
		"a chain":                 {func(i int) int { return i - 1 }, true},
		"a chain that says not":   {func(i int) int { return i - 1 }, false},
		"a star":                  {func(int) int { return 0 }, true},
		"a star that says not":    {func(int) int { return 0 }, false},
		"a tree":                  {func(i int) int { return (i - 1) / 2 }, true},
		"two chains from one end": {func(i int) int { return max(i-2, 0) }, true},
	} {
		for order, at := range map[string]func(i int) int{
			"first to last": func(i int) int { return i },
			"last to first": func(i int) int { return n - 1 - i },
			"any":           func(i int) int { return i * 77 % n },
		} {
			t.Run(name+", "+order, func(t *testing.T) {
				t.Parallel()
				home := tempHome(t)
				all := []*pi{piSession(t, home, id(0))}
				all[0].user("told in 0.")
				for i := 1; i < n; i++ {
					s := forkOf(t, home, id(i), all[shape.from(i)], shape.says)
					s.user(fmt.Sprintf("told in %d.", i))
					all = append(all, s)
				}
				f := start(t, home, offline)
				for i := range n {
					f.transcript(id(at(i)))
				}
				for i := range n {
					got := f.transcript(id(i))
					if count(got, "\ntold in ") != 1 || count(got, fmt.Sprintf("\ntold in %d.\n", i)) != 1 {
						t.Errorf("session %d: %s", i, got)
					}
					fstest.Equal(t, f.publishedOf(id(i)).Generation, 1, "rendered", i)
				}
			})
		}
	}
}

// TestForksThatComeWhileOthersRender: forks come, the last first, and grow while others
// are rendered.
func TestForksThatComeWhileOthersRender(t *testing.T) {
	const n = 60
	home, away := tempHome(t), tempHome(t)
	all := []*pi{piSession(t, away, id(0))}
	all[0].user("told in 0.")
	for i := 1; i < n; i++ {
		s := forkOf(t, away, id(i), all[i-1], true)
		s.user(fmt.Sprintf("told in %d.", i))
		all = append(all, s)
	}
	piSession(t, home, id(n)).user("the folder is there")
	f := start(t, home)
	for i := n - 1; i >= 0; i-- {
		to := strings.Replace(all[i].path, away, home, 1)
		fstest.Must(t, os.Rename(all[i].path, to))
		all[i].path = to
		if i%10 == 0 {
			f.await("it is there", func() bool { return f.exists(catalogue.ByID + "/" + id(i)) })
			f.transcript(id(n - 1))
		}
		if i < n-1 {
			all[i+1].user(fmt.Sprintf("later in %d.", i+1))
		}
	}
	for i := range n {
		f.await(fmt.Sprintf("session %d tells its own", i), func() bool {
			if !f.exists(catalogue.ByID + "/" + id(i)) {
				return false
			}
			got := f.transcript(id(i))
			return count(got, "\ntold in ") == 1 && count(got, fmt.Sprintf("\ntold in %d.\n", i)) == 1 &&
				count(got, "\nlater in ") == min(i, 1) && count(got, fmt.Sprintf("\nlater in %d.\n", i)) == min(i, 1)
		})
	}
}

// TestAForkOfWhatWasThrownAway: a fork leaves out the same records when the entries of
// the others were deleted.
func TestAForkOfWhatWasThrownAway(t *testing.T) {
	home := tempHome(t)
	first := piSession(t, home, id(1))
	first.user("in the beginning")
	second := forkOf(t, home, id(2), first, true)
	second.user("in the second")
	third := forkOf(t, home, id(3), second, true)
	third.user("in the third")
	f := start(t, home, offline)
	f.transcript(id(3))
	fstest.Must(t, f.Close())
	fstest.Must(t, os.RemoveAll(f.cache.EntryDir("pi", id(1))))
	fstest.Must(t, os.RemoveAll(f.cache.EntryDir("pi", id(2))))
	third.user("and later")
	again := start(t, home, offline)
	if got := again.transcript(id(3)); strings.Contains(got, "in the beginning") || strings.Contains(got, "in the second") || !strings.Contains(got, "and later") {
		t.Error(got)
	}
	for _, one := range []string{id(1), id(2)} { // while nobody has the ids in memory
		again.cache.DropEntry(again.catalogue.Find(one)[0])
	}
	again.cache.DropUnusedIDs()
	again.cache.DropUnusedIDs()
	again.cache.DropEntry(again.catalogue.Find(id(3))[0])
	if got := again.transcript(id(3)); strings.Contains(got, "in the beginning") || strings.Contains(got, "in the second") || !strings.Contains(got, "and later") {
		t.Error(got)
	}
}

// TestACopyIsToldWhole: a fork without records of its own is shown whole; once it goes
// on, the rest stands in its origin only.
func TestACopyIsToldWhole(t *testing.T) {
	home := tempHome(t)
	parent := piSession(t, home, id(1))
	parent.user("in the beginning")
	parent.call("call-1", "read", long(1000), map[string]any{"path": "a.go"})
	fork := forkOf(t, home, id(2), parent, false)
	forkOf(t, home, id(3), parent, false)
	f := start(t, home)
	for _, one := range []string{id(1), id(2), id(3)} {
		folder := f.catalogue.Path(f.catalogue.Find(one)[0])
		if got := f.transcript(one); count(got, "in the beginning") != 1 {
			t.Errorf("%s: %s", one, got)
		}
		for _, name := range f.names(folder + "/results") {
			fstest.Equal(t, f.read(folder+"/results/"+name), long(1000), "another text", one, name)
		}
		fstest.Equal(t, count(f.read(folder+"/messages.jsonl"), "in the beginning"), 1, "messages", one)
	}
	fork.user("in the fork")
	f.await("the fork goes on", func() bool {
		got := f.transcript(id(2))
		return count(got, "in the fork") == 1 && count(got, "in the beginning") == 0 && count(got, "===== FORK of") == 1
	})
	if got := f.transcript(id(3)); count(got, "in the beginning") != 1 {
		t.Errorf("the other copy: %s", got)
	}
	fstest.Must(t, os.Remove(parent.path))
	f.await("without the parent", func() bool {
		return count(f.transcript(id(2)), "in the beginning") == 1
	})

}

// TestEqualIDsMakeNoFork: records of two sessions may have equal ids; with another
// time they are not a repetition.
func TestEqualIDsMakeNoFork(t *testing.T) {
	home := tempHome(t)
	dir := filepath.Join(home, ".claude", "projects", "-w")
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	for n := 1; n <= 2; n++ {
		text := ""
		for uuid, content := range []string{"question", "more"} {
			text += fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"one","cwd":"/w","timestamp":"2026-05-12T01:00:0%dZ","message":{"role":"user","content":"%s %d"}}`+"\n", uuid*n, n, content, n)
		}
		fstest.Must(t, os.WriteFile(filepath.Join(dir, id(n)+".jsonl"), []byte(text), 0o644))
	}
	f := start(t, home)
	for n := 1; n <= 2; n++ {
		if got := f.transcript(id(n)); count(got, fmt.Sprintf("\nquestion %d\n", n)) != 1 || strings.Contains(got, "FORK") {
			t.Errorf("session %d: %s", n, got)
		}
	}
}

// TestAForkSaysWhereTheRestIs: also where the records name a session that is not there,
// or none.
func TestAForkSaysWhereTheRestIs(t *testing.T) {
	for _, says := range []string{"", "no-such-session"} {
		t.Run(says, func(t *testing.T) {
			home := tempHome(t)
			parent := piSession(t, home, id(1))
			parent.user("in the beginning")
			fork := forkOf(t, home, id(2), parent, false)
			if says != "" {
				text, err := os.ReadFile(fork.path)
				fstest.Must(t, err)
				fstest.Must(t, os.WriteFile(fork.path, []byte(strings.Replace(string(text), `"cwd"`, fmt.Sprintf(`"parentSession":%q,"cwd"`, says), 1)), 0o644))
			}
			fork.user("in the fork")
			f := start(t, home)
			f.await("the parent is named", func() bool {
				return strings.Contains(f.transcript(id(2)), "FORK of "+id(1)+": 1 records are told there, by-id/"+id(1)+" ")
			})
		})
	}
}
