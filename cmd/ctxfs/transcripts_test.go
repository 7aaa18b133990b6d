package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTranscripts looks at sessions as people and agents do.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	need(t, "rg", "jq")
	b := newBox(t)
	all := b.threeSessions()
	b.mount()
	b.rendered()
	if got := b.sh("cd .agentctx/transcripts; ls; ls claude-code/work codex/work pi/work"); got != fmt.Sprintf(
		"INDEX.tsv\nby-id\nclaude-code\ncodex\npi\nclaude-code/work:\n%s\n\ncodex/work:\n%s\n\npi/work:\n%s\n",
		filepath.Base(all[0].folder), filepath.Base(all[1].folder), filepath.Base(all[2].folder)) {
		t.Errorf("ls: %s", got)
	}
	for _, l := range all {
		// A word is found once: in the transcript, or in the long result.
		for word, file := range map[string]string{
			"All done by " + l.agent:      "/transcript.md",
			"in-the-middle-of-" + l.agent: "/results/",
		} {
			places := []string{
				"rg -l %q .agentctx", "cd .agentctx; rg -l %q", "cd .agentctx; rg -l %q transcripts", "cd .agentctx/transcripts; rg -l %q .",
				"cd .agentctx/transcripts/" + l.agent + "; rg -l %q", "cd .agentctx/transcripts/" + l.folder + "; rg -l %q $PWD",
			}
			found := strings.SplitAfter(b.sh(strings.ReplaceAll("("+strings.Join(places, "); (")+")", "%q", "'"+word+"'")), "\n")
			if len(found) != len(places)+1 {
				t.Errorf("%q is found in %q", word, found)
				continue
			}
			for i, where := range places {
				got := found[i]
				if !strings.Contains("/"+strings.TrimPrefix(got, b.home), l.folder+file) && !strings.HasPrefix("/"+strings.TrimPrefix(got, "./"), strings.TrimSuffix(file, "/")) &&
					!strings.Contains(got, strings.TrimPrefix(l.folder, l.agent+"/")+file) {
					t.Errorf("%s of %q: %q", where, word, got)
				}
			}
		}
		// Every file has the size that it says.
		for line := range strings.Lines(b.sh("cd .agentctx/transcripts/" + l.folder + "; for f in $(find . -type f); do echo $f $(stat -c %s $f) $(wc -c <$f) $(cat $f | wc -c); done")) {
			if f := strings.Fields(line); len(f) != 4 || f[1] != f[2] || f[2] != f[3] || f[1] == "0" {
				t.Errorf("%s: %q", l.folder, line)
			}
		}
		if got := b.sh("cd .agentctx/transcripts/by-id/" + l.id + "; cat transcript.md"); got != b.read(l.transcript()) {
			t.Errorf("by its id the session of %s is another: %q", l.agent, got)
		}
		if got := b.sh("cd .agentctx/transcripts/" + l.folder + "; jq -r .kind messages.jsonl | sort | uniq -c | tr -s ' \n' ' '; jq -r '.id, .cwd' meta.json"); !strings.HasSuffix(got, " 1 tool-call 1 tool-result 1 user "+l.id+"\n"+b.cwd()+"\n") || !strings.Contains(got, "2 assistant") {
			t.Errorf("%s: %q", l.agent, got)
		}
		if got := b.sh("cat .agentctx/transcripts/" + l.folder + "/results/* | sha256sum; printf '%s' '" + longText(1000, "in-the-middle-of-"+l.agent) + "' | sha256sum"); strings.Count(got, got[:64]) != 2 {
			t.Errorf("the long result of %s: %s", l.agent, got)
		}
	}
	if got := b.sh("cut -f 1,2,3 .agentctx/transcripts/INDEX.tsv"); got != fmt.Sprintf("path\tagent\tid\n%s\tclaude-code\t%s\n%s\tcodex\t%s\n%s\tpi\t%s\n", all[0].folder, wombatID, all[1].folder, quokkaID, all[2].folder, numbatID) {
		t.Errorf("INDEX.tsv: %s", got)
	}
	if r := b.shell("ls .agentctx/transcripts/by-id/99999999-2222-4333-8444-555555555555"); r.code == 0 || !strings.Contains(r.err, "No such file") {
		t.Errorf("a session that is not: %v", r)
	}
}

// TestTranscriptsEverywhereTheSame compares what the mount shows with what the
// commands print, with the background process, without it, and with a folder
// that the tree was copied to.
func TestTranscriptsEverywhereTheSame(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for _, l := range b.threeSessions() {
		l.idle()
	}
	// Without any process, before anything was rendered.
	files := strings.Fields(b.sh(`ctxfs ls -R transcripts --json | jq -r '.[] | select(.type == "file") | .path'`))
	if len(files) < 3*6 {
		t.Fatalf("ls -R lists %q", files)
	}
	const index = "transcripts/INDEX.tsv" // counts events when it knows them
	files = slices.DeleteFunc(files, func(f string) bool { return f == index })
	cat := append([]string{"cat"}, files...)
	first, folders := b.ok(cat...), b.ok("ls", "-R", "transcripts")
	plain := filepath.Join(b.home, "plain")
	in := func(where string) (all string) {
		for _, f := range files {
			all += readFile(t, filepath.Join(where, f))
		}
		return all
	}
	b.mount()
	b.rendered()
	counted := b.read(index)
	for _, running := range []bool{true, false} {
		where := b.mnt()
		if !running {
			where = plain
			b.ok("unmount")
			b.ok("sync", "--once", plain)
		}
		if got := in(where); got != first {
			t.Errorf("%s has\n%s, not\n%s", where, got, first)
		}
		if got := readFile(t, filepath.Join(where, index)); got != counted {
			t.Errorf("%s of %s is %s, not %s", index, where, got, counted)
		}
		if got := b.ok(cat...); got != first {
			t.Errorf("running %v: cat prints %s, not %s", running, got, first)
		}
		if got := b.ok("ls", "-R", "transcripts"); got != folders {
			t.Errorf("running %v: ls -R prints %s, not %s", running, got, folders)
		}
		if got := b.ok("cat", index); got != counted {
			t.Errorf("running %v: %s is %s, not %s", running, index, got, counted)
		}
	}
}
