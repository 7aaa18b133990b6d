package transcripts

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/zstd"
)

// TestNoCopyHasSecrets: neither what is shown of a session nor any file of ours has the
// secrets in its log. The log itself is not changed.
func TestNoCopyHasSecrets(t *testing.T) {
	home := tempHome(t)
	const own = "0f3c2c9e-5d2a-4b7e-9f1e-000000000001"
	s := piSession(t, home, own)
	s.user("use DB_PASSWORD=asked-pw-1 and mysql -psaid-pw-2")
	s.call("c1", "bash", "POSTGRES_PASSWORD=printed-pw-3\n"+long(30_000)+"\nAuthorization: Basic cHJpbnRlZC1wdy00\n", map[string]any{
		"command": "curl -u a:typed-pw-5 https://x", "password": "argument-pw-6", "number": 7,
	})
	s.assistant("the token is in \"client_secret\": \"told-pw-8\"")
	old := time.Now().Add(-time.Hour)
	fstest.Must(t, os.Chtimes(s.path, old, old))
	settingsOf(t, home, "archive = true\n")
	f := start(t, home, offline)
	f.names("")
	secrets := []string{"asked-pw-1", "said-pw-2", "printed-pw-3", "cHJpbnRlZC1wdy00", "typed-pw-5", "argument-pw-6", "told-pw-8"}
	none := func(where, text string) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s", where, secret)
			}
		}
	}
	dir := "by-id/" + own + "/"
	for _, name := range []string{"transcript.md", "messages.jsonl", "digest.md", "meta.json"} {
		text := f.read(dir + name)
		none(name, text)
		if name == "transcript.md" && !strings.Contains(text, "DB_PASSWORD=[REDACTED:password]") {
			t.Errorf("%s:\n%.1000s", name, text)
		}
	}
	results := f.names(dir + "results")
	if len(results) == 0 {
		t.Error("no long result")
	}
	for _, name := range results {
		text := f.read(dir + "results/" + name)
		none(name, text)
		if !strings.Contains(text, "POSTGRES_PASSWORD=[REDACTED:password]") {
			t.Errorf("%s: %.200s", name, text)
		}
	}
	f.keepArchive(t.Context())
	archived := 0
	fstest.Must(t, filepath.WalkDir(filepath.Dir(filepath.Join(home, ".state", "archive")), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		none(path, string(text))
		if strings.HasSuffix(path, ".jsonl.zst") {
			archived++
			log, err := os.Open(path)
			fstest.Must(t, err)
			defer log.Close()
			z, err := zstd.NewReader(log)
			fstest.Must(t, err)
			text, err := io.ReadAll(z)
			fstest.Must(t, err)
			none("the archive", string(text))
		}
		return err
	}))
	fstest.Equal(t, archived, 1, "sessions are archived")
}
