package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]Settings{
		"": {record.Limits{MaxSize: 1 << 30, MaxAge: 14 * 24 * time.Hour}, true, false, holder.DefaultKey()},
		"[terminals]\nmax_size='2 GB'\nmax_age='3d'\nreplay=false\ntmux=true\ndetach_key='ctrl-]'\n": {record.Limits{MaxSize: 2e9, MaxAge: 72 * time.Hour}, false, true, holder.Key{Prefix: 0x1d}},
	} {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		if got, problems := Read(path); got != want || len(problems) > 0 {
			t.Errorf("%q: %+v, %+v", text, got, problems)
		}
	}
	for text, want := range map[string]string{
		"[terminals]\nmax_size='lots'\n": `:2: "max_size" in [terminals] is "lots"; it is a size`,
		"[terminals]\nmax_age='soon'\n":  `:2: "max_age" in [terminals] is "soon"; it is a time`,
		"[terminals]\ndetach_key='x'\n":  `:2: "detach_key" in [terminals] is "x"; it is a key such as "ctrl-\ d"`,
		"[terminals]\nreplay='no'\n":     `:2: "replay" in [terminals] is not true or false`,
		"[terminals]\nreplays=true\n":    `did you mean "replay"?`,
	} {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		got, problems := Read(path)
		if len(problems) != 1 || !strings.Contains(problems[0].What, want) || got != defaults() {
			t.Errorf("%q: %+v, %+v", text, got, problems)
		}
	}
}
