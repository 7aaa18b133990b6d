package transcripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/modeltest"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// What is made: the agent has a command run, whose output does not stand in it, and answers
// once it has seen that.
const (
	madePrompt  = "Run the command that tells the number, please."
	madeCommand = "printf number-%d 7391"
	madeOutput  = "number-7391"
	madeAnswer  = "The number is number-7391. Shall I run it again?"
)

// TestSessionsMadeByAgents runs the agents themselves, offline, with a stand-in for their
// models, and reads the sessions that they have made. See [modeltest.Variable].
func TestSessionsMadeByAgents(t *testing.T) {
	for _, a := range modeltest.Agents() {
		t.Run(a.ID, func(t *testing.T) {
			home := tempHome(t)
			work := filepath.Join(home, "work")
			fstest.Must(t, os.Mkdir(work, 0o755))
			model := modeltest.Start(t, madePrompt, madeAnswer, modeltest.Step{Until: madeOutput, Calls: modeltest.Shell(madeCommand)})
			a.Configure(t, home, model)
			cmd := a.Command(t, model, "HOME="+home, "PATH="+os.Getenv("PATH"))
			cmd.Dir = work
			began := time.Now().Add(-time.Second)
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Logf("%s ended with %v:\n%s\nit asked for %q", a.ID, err, said, model.Asked())
			}
			ended := time.Now().Add(time.Second)

			f := start(t, home, offline)
			f.scanner.First()
			var found *catalogue.Session
			for _, s := range f.catalogue.All() {
				if v, _ := f.catalogue.View(s); s.Agent == a.ID && v.Parent == nil {
					found = s
				}
			}
			if found == nil {
				t.Fatalf("it has made no session; it said:\n%s\nit asked for %q", said, model.Asked())
			}
			path := f.catalogue.Path(found)
			text := f.read(path + "/transcript.md")
			asked, answered, called, resulted, unknown := 0, 0, "", 0, 0
			for line := range strings.Lines(f.read(path + "/messages.jsonl")) {
				e, err := render.ParseMessage([]byte(strings.TrimSuffix(line, "\n")))
				fstest.Must(t, err)
				switch {
				case e.Kind == event.Unknown:
					unknown++
					t.Logf("unknown: %.300s", e.Record)
				case e.Kind == event.User && e.Origin != event.Injected && strings.Contains(e.Text, madePrompt) && len(e.Text) < len(madePrompt)+3: // opencode quotes it
					asked++
				case e.Kind == event.Assistant && strings.TrimSpace(e.Text) == madeAnswer:
					answered++
				case e.Call != nil && strings.Contains(e.Call.Input, madeCommand):
					called = e.Call.ID
				case e.Result != nil && strings.Contains(e.Result.Text, madeOutput) && e.Result.CallID == called:
					resulted++
				}
			}
			if asked != 1 || answered != 1 || called == "" || resulted != 1 || unknown > 0 {
				t.Errorf("asked %d, answered %d, called %q, %d results, %d unknown:\n%s", asked, answered, called, resulted, unknown, text)
			}
			v, _ := f.catalogue.View(found)
			info := v.Info
			if info.CWD != work || info.Start.Before(began) || info.Last.After(ended) || info.Last.Before(info.Start) {
				t.Errorf("in %s from %v to %v; it was in %s from %v to %v", info.CWD, info.Start, info.Last, work, began, ended)
			}
			digest := f.read(path + "/digest.md")
			if _, ending, _ := strings.Cut(digest, "\n## Last words\n"); !strings.Contains(ending, madeAnswer) {
				t.Errorf("the digest: %s", digest)
			}
			if s := f.Status(); s.State != "ready" {
				t.Errorf("status %+v", s)
			}
			t.Logf("%s %s: %d events", a.ID, info.Program, v.Published.Events)
		})
	}
}
