package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
	"ctxfs/providers/transcripts"
)

func TestFindsWhatWasSaid(t *testing.T) {
	s := open(t, "")
	log := filepath.Join(s.opts.Home, ".pi", "agent", "sessions", "--work--", "2026-05-12T01-02-27-657Z_0b0e2bd1-1111-4000-8000-000000000001.jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(log), 0o700))
	text := `{"type":"session","version":3,"id":"0b0e2bd1-1111-4000-8000-000000000001","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/work"}
{"type":"message","id":"m1","timestamp":"2026-05-12T01:03:01Z","message":{"role":"user","content":[{"type":"text","text":"why does the login fail"}]}}
{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-05-12T01:03:02Z","message":{"role":"assistant","content":[{"type":"text","text":"the zebra token expires"}]}}
`
	fstest.Must(t, os.WriteFile(log, []byte(text), 0o600))
	again := New(s.opts)
	defer again.Close()
	const id = "0b0e2bd1-1111-4000-8000-000000000001"
	for _, in := range []string{
		"", "transcripts", "transcripts/pi", "transcripts/by-id", "transcripts/by-id/" + id, "transcripts/by-id/" + id + "/transcript.md",
		"transcripts/pi/work/2026-05-12_as-it-was-called-before_0b0e2bd1", "transcripts/pi/work/2026-05-12_why-does-the-login-fail_0b0e2bd1/digest.md",
	} {
		got, err := again.Finder().Find(t.Context(), "zebra token", find.Options{In: in, Limit: 10})
		if err != nil || len(got) != 1 {
			t.Fatalf("in %q: %+v, %v", in, got, err)
		}
		if m := got[0]; !strings.HasPrefix(m.Path, "transcripts/pi/work/") || !strings.Contains(m.Why, "the zebra token expires") {
			t.Errorf("%+v", m)
		}
	}
	for _, in := range []string{"mcps", "transcripts/codex", "transcript", "transcripts/by-id/" + id[:30]} {
		if got, err := again.Finder().Find(t.Context(), "zebra token", find.Options{In: in, Limit: 10}); err != nil || len(got) != 0 {
			t.Errorf("in %q: %+v, %v", in, got, err)
		}
	}
	// Its title is found too, behind what was said.
	for _, in := range []string{"transcripts", "transcripts/by-id/" + id} {
		got, err := again.Finder().Find(t.Context(), "login fail", find.Options{In: in, Limit: 10})
		if err != nil || len(got) != 2 || !strings.HasSuffix(got[1].Path, "/transcript.md") || got[0].Score < got[1].Score {
			t.Errorf("in %s: %+v, %v", in, got, err)
		}
	}
	// As files.
	root := fs.NewFolder(time.Now(), map[string]fs.Node{"transcripts": Of[*transcripts.Provider](again)[0].Root()})
	tree := fs.NewTree(root, fs.TreeOptions{})
	folder := again.Finder().NewFolder(time.Now(), tree.Resolve)
	for _, in := range []string{"", "transcripts/", "transcripts/by-id/", "transcripts/by-id/" + id + "/"} {
		var found fs.Node = folder
		for name := range strings.SplitSeq(in+"zebra token", "/") {
			var err error
			if found, err = found.(fs.Dir).Lookup(t.Context(), name); err != nil {
				t.Fatalf("%s: %v", in, err)
			}
		}
		checkFound(t, tree, found)
	}
	byID, err := folder.Lookup(t.Context(), "transcripts")
	if err == nil {
		byID, err = byID.(fs.Dir).Lookup(t.Context(), "by-id")
	}
	fstest.Must(t, err)
	if _, err := byID.(fs.Dir).Lookup(t.Context(), "nobody said this xyzzyplugh"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not found: %v", err)
	}
}

// checkFound checks that a folder has the one message that is looked for, beside its
// session.
func checkFound(t *testing.T, tree *fs.Tree, found fs.Node) {
	t.Helper()
	entries, err := found.(fs.Dir).List(t.Context())
	if err != nil || len(entries) != 3 || entries[2].Name != "01-2026-05-12_why-does-the-login-fail_0b0e2bd1-00003.md" {
		t.Fatalf("%v, %v", entries, err)
	}
	file, err := found.(fs.Dir).Lookup(t.Context(), entries[2].Name)
	fstest.Must(t, err)
	if body, err := tree.ReadAll(t.Context(), file.(fs.File)); err != nil || !strings.Contains(string(body), "the zebra token expires\n") {
		t.Errorf("%s, %v", body, err)
	}
}
