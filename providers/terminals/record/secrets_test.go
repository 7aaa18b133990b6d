package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/mask"
)

// TestNoTokenInAnyFile records tokens in every place, with the masking of all
// recordings, and a private key over several lines and writes.
func TestNoTokenInAnyFile(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9", 4)
	key := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\r\n", 12)
	hides := func(o *Options) {
		o.Mask, o.Replay, o.Cols = func() Masker { return mask.New() }, true, 50
		o.Argv, o.Cwd = []string{"/bin/bash", "-c", "export T=" + token}, "/home/"+token
	}
	for _, source := range []string{Term, Run} {
		p := newTape(t, "", hides, func(o *Options) { o.Source = source })
		p.put(prompt() + begins("export TOKEN="+token))
		p.wait(time.Second)
		p.put(ends(0) + prompt() + begins("curl -H 'Authorization: Bearer "+token+"'\ncat key"))
		for _, c := range "some text of this line, then " + token + " and more\r\n\x1b[1m" + token + "\x1b[0m\r\n" {
			p.put(string(c))
			p.wait(time.Millisecond)
		}
		for line := range strings.Lines("-----BEGIN PRIVATE" + " KEY-----\r\n" + key + "-----END PRIVATE" + " KEY-----\r\n") {
			p.put(line)
			p.wait(10 * time.Millisecond)
			noTokens(t, p.Dir(), token, key[:48])
		}
		p.put("https://u:hunter2hunter2@example.com/\r\nclean text\r\n\x1b]7;file:///home/" + token + "\a" + ends(1) + prompt() + begins("sleep "+token))
		p.wait(time.Second)
		noTokens(t, p.Dir(), token, key[:48], "hunter2hunter2")
		fstest.Must(t, p.Close(0, ""))
		noTokens(t, p.Dir(), token, key[:48], "hunter2hunter2")
		for _, name := range []string{MetaFile, RecordsFile, ReplayFile, partFile(1)} {
			if !strings.Contains(p.read(name), "[REDACTED:github]") {
				t.Errorf("%s has nothing hidden:\n%s", name, p.read(name))
			}
		}
		log := p.text(1)
		if n := strings.Count(log, "[REDACTED:private-key]\n"); n != 12 || !strings.Contains(log, "\nclean text\n") {
			t.Errorf("%d lines of the key are hidden:\n%s", n, log)
		}
	}
}

// TestNoEverydaySecretInAnyFile records passwords that only their context
// reveals: assignments, flags, headers, the value of a variable of the shell
// and of one that was set since.
func TestNoEverydaySecretInAnyFile(t *testing.T) {
	known := mask.NewKnown([]string{"A_TOKEN=from-env-4711"})
	secrets := []string{"argv-pw-1", "typed-pw-2", "sql-pw-3", "b:json-pw-4", "json-pw-4", "header-pw-5", "from-env-4711", "split-pw-6", "YTpiYXNpYzc="}
	for _, source := range []string{Term, Run} {
		p := newTape(t, "", func(o *Options) {
			o.Mask, o.Replay, o.Cols, o.Source = func() Masker { return known.Masker() }, true, 60, source
			o.Argv = []string{"mysql", "-u", "root", "--password", "argv-pw-1", "db"}
		})
		p.put(prompt() + begins("export DB_PASSWORD=typed-pw-2; mysql -psql-pw-3 db"))
		p.wait(time.Second)
		p.put("the value is typed-pw-2\r\n\x1b[1mDB_PASSWORD\x1b[0m=\x1b[32mtyped-pw-2\x1b[0m\r\n{\"password\": \"json-pw-4\"}\r\n")
		p.put(ends(0) + prompt() + begins("curl -u a:b:json-pw-4 -H 'X-Api-Key: header-pw-5' https://x"))
		for _, c := range "> Authorization: Basic YTpiYXNpYzc=\r\necho from-env-4711\r\nSECRET_KEY=split-pw-6\r\nclean text\r\n" {
			p.put(string(c))
			p.wait(time.Millisecond)
		}
		p.put(ends(1))
		p.wait(time.Second)
		fstest.Must(t, p.Close(0, ""))
		noTokens(t, p.Dir(), secrets...)
		log := p.text(1)
		for _, want := range []string{"DB_PASSWORD=[REDACTED:", "the value is [REDACTED:", "\nclean text\n", "> Authorization: Basic [REDACTED:", "SECRET_KEY=[REDACTED:secret]\n"} {
			fstest.Contains(t, log, want)
		}
		for _, file := range []string{MetaFile, RecordsFile} {
			if !strings.Contains(p.read(file), "REDACTED") {
				t.Errorf("%s has nothing hidden:\n%s", file, p.read(file))
			}
		}
	}
}

// noTokens checks that none of the secrets is in a file, also not over two lines.
func noTokens(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	fstest.Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(text, []byte(s)) || bytes.Contains(bytes.ReplaceAll(text, []byte("\n"), nil), []byte(s)) {
				t.Errorf("a secret is in %s:\n%s", path, text)
			}
		}
		return err
	}))
}
