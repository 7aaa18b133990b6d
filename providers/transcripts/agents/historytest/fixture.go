package historytest

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Conform checks what holds for the reader of every agent, with a fixture: a text
// file that begins each file of a home folder with a line "-- path --". A file
// whose path ends in .sql becomes a database of the path without that ending; one
// with "(never read)" after its path stands for credentials. ~ in the content is
// replaced by the home folder where a slash or a quote follows.
// The last section, "-- want --", is what the sessions in it should show: for each
// a line "session <title> in <folder>", then its events as in [CheckShown].
//
// It checks that
//
//  1. the places are absolute paths on every system, and files with credentials
//     are not opened;
//  2. at least one session is found, with an id that listing and reading agree on;
//  3. a log gives the same events in one piece and saved and restored after every
//     line; a store lists the same stamps twice;
//  4. every event has what goes with its kind, and nothing is unknown;
//  5. a person and the model both speak.
func Conform(t *testing.T, agent history.Agent, fixture string) {
	t.Helper()
	home := t.TempDir()
	want, never := unpack(t, fixture, home)
	for _, system := range []string{"linux", "darwin"} {
		m := Linux(home)
		m.OS, m.Projects = system, []string{filepath.Join(home, "work")}
		checkPlaces(t, agent, m, never)
	}
	m := Linux(home)
	m.Projects = []string{filepath.Join(home, "work")}
	var got strings.Builder
	all := findSessions(t, agent, m)
	for _, c := range all {
		if c.Of.ID == "" {
			t.Errorf("a session without an id: %+v", c.Of)
		}
		CheckEvents(t, func(out event.Sink) {
			for _, e := range c.Events {
				out.Emit(e)
			}
		})
		if n := kinds(c.Events); n["typed"] == 0 || n["assistant"] == 0 || n["unknown"] > 0 {
			t.Errorf("session %s: a person and the model should speak, and nothing be unknown: %v", c.Of.ID, n)
		}
		fmt.Fprintf(&got, "session %s in %s\n%s", cmp.Or(c.Of.Title, "-"), cmp.Or(c.Of.CWD, "-"), shown(c.Events))
	}
	if len(all) == 0 {
		t.Error("no session was found")
	}
	if text := strings.ReplaceAll(got.String(), home, "~"); text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// unpack writes the files of a fixture below a home folder. It returns what its
// sessions should show, and the files that must never be read.
func unpack(t *testing.T, fixture, home string) (want string, never []string) {
	t.Helper()
	text, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatalf("every agent has a fixture: %v", err)
	}
	for section := range strings.SplitSeq("\n"+string(text), "\n-- ") {
		path, content, ok := strings.Cut(section, " --\n")
		if !ok {
			continue
		}
		content = strings.TrimSuffix(content, "\n") + "\n"
		if path == "want" {
			return content, never
		}
		content = strings.NewReplacer("~/", home+"/", `~"`, home+`"`).Replace(content)
		path, secret := strings.CutSuffix(path, " (never read)")
		if secret {
			never = append(never, filepath.Join(home, path))
		}
		if database, ok := strings.CutSuffix(path, ".sql"); ok {
			MakeDatabase(t, filepath.Join(home, database), content)
			continue
		}
		WriteFile(t, home, path, content)
	}
	t.Fatalf("%s has no section \"want\"", fixture)
	return "", nil
}

// checkPlaces checks the places of an agent without looking at any file: their
// folders, and that they open none of the files that are never read.
func checkPlaces(t *testing.T, agent history.Agent, m history.Machine, never []string) {
	t.Helper()
	places := agent.Places(m)
	if len(places) == 0 {
		t.Errorf("%s has no places on %s", agent.Name, m.OS)
	}
	for _, place := range places {
		if !filepath.IsAbs(place.Dir) {
			t.Errorf("%s: %s is not an absolute path", agent.Name, place.Dir)
		}
		for _, path := range never {
			if rel, err := filepath.Rel(place.Dir, path); err == nil && filepath.IsLocal(rel) && place.File(filepath.ToSlash(rel)) != nil {
				t.Errorf("%s would open %s", agent.Name, path)
			}
		}
	}
}

// findSessions reads all sessions of an agent on a machine, in the order of their
// paths.
func findSessions(t *testing.T, agent history.Agent, m history.Machine) []*event.Collector {
	t.Helper()
	var all []*event.Collector
	done := make(map[string]bool) // places may lie in each other
	for _, place := range agent.Places(m) {
		_ = filepath.WalkDir(place.Dir, func(path string, d fs.DirEntry, err error) error {
			rel, relErr := filepath.Rel(place.Dir, path)
			switch {
			case err != nil || relErr != nil || rel == ".":
				return nil
			case d.IsDir() && place.Skip != nil && place.Skip(filepath.ToSlash(rel)):
				return fs.SkipDir
			case d.IsDir() || done[path]:
				return nil
			}
			switch format := place.File(filepath.ToSlash(rel)).(type) {
			case history.Log:
				done[path] = true
				all = append(all, readLogFile(t, format, path))
			case history.Store:
				done[path] = true
				all = append(all, readStoreFile(t, format, path)...)
			}
			return nil
		})
	}
	return all
}

func readLogFile(t *testing.T, log history.Log, path string) *event.Collector {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := RoundTrip(t, func() history.Reader { return log.Open(path) }, text)
	c.Of.ID = cmp.Or(c.Of.ID, log.ID)
	if log.ID != "" && c.Of.ID != log.ID {
		t.Errorf("%s: the name says session %q, the content %q", path, log.ID, c.Of.ID)
	}
	return c
}

func readStoreFile(t *testing.T, store history.Store, path string) (all []*event.Collector) {
	t.Helper()
	again := ListStore(t, store, path)
	for i, entry := range ListStore(t, store, path) {
		if entry.Key != again[i].Key || entry.Stamp != again[i].Stamp {
			t.Errorf("%s: a session is listed as %q %q and then as %q %q", path, entry.Key, entry.Stamp, again[i].Key, again[i].Stamp)
		}
		c := ReadStore(t, store, path, entry.ID)
		if c.Of.ID != entry.ID {
			t.Errorf("%s: listed as %q, read as %q", path, entry.ID, c.Of.ID)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *event.Collector) int { return strings.Compare(a.Of.Title, b.Of.Title) })
	return all
}
