package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]limits{
		"":                               {1 << 30, 14 * day, 12_000},
		"[results\n":                     {1 << 30, 14 * day, 12_000}, // told by others
		"[results]\nmax_size = 5000\n":   {5000, 14 * day, 12_000},
		"[results]\nmax_size='500 MB'\n": {500e6, 14 * day, 12_000},
		"[results]\nmax_size='1.5GiB'\nmax_age='36h'\nlimit='8 kb'\n": {3 << 29, 36 * time.Hour, 8000},
		"[results]\nmax_age='0.5d'\nlimit=100\n":                      {1 << 30, 12 * time.Hour, 100},
	} {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		if got, problems := readLimits(path); got != want || len(problems) > 0 {
			t.Errorf("%q: %+v, %+v", text, got, problems)
		}
	}
	for text, want := range map[string]string{
		"[results]\n\nmax_size='lots'\n":   `:3: "max_size" in [results] is "lots"; it is a size such as "500 MB"`,
		"[results]\nmax_size=-1\n":         `:2: "max_size" in [results] is "-1"; it is a size`,
		"[results]\nmax_size=''\n":         `:2: "max_size" in [results] is ""; it is a size`,
		"[results]\nmax_size='1e999 GB'\n": `it is a size`,
		"[results]\nmax_size=[]\n":         `it is a size`,
		"[results]\nlimit='5 GB'\n":        `:2: "limit" in [results] is "5 GB"; it is a size of at most 2 GB`,
		"[results]\nmax_age='soon'\n":      `:2: "max_age" in [results] is "soon"; it is a time such as "14d"`,
		"[results]\nmax_age='-1d'\n":       `it is a time`,
		"[results]\nmax_age='NaNd'\n":      `it is a time`,
		"[results]\nmax_age=14\n":          `:2: "max_age" in [results] is not a string`,
		"[results]\nmaxsize=1\nlimit=5\n":  `:2: unknown key "maxsize" in [results]; did you mean "max_size"?`,
	} {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		got, problems := readLimits(path)
		if len(problems) != 1 || !strings.Contains(problems[0].What, want) || !strings.Contains(problems[0].Mend, "correct "+path) || got.maxSize != 1<<30 {
			t.Errorf("%q: %+v, %+v", text, got, problems)
		}
	}
}

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	f := start(t, stateDir(t), at(c), configured(path))
	f.save(issues, "", strings.Repeat("x", 1000))
	c.move(2 * minAge)
	kept := f.save(issues, "", strings.Repeat("x", 1000))
	if f.Store().Limit() != 12_000 || len(f.names()) != 2 {
		t.Fatalf("limit %d, %q", f.Store().Limit(), f.names())
	}
	fstest.Must(t, os.WriteFile(path, []byte("[results]\nmax_size = 1500\nlimit = 99\n"), 0o600))
	f.Reload()
	if got := f.names(); f.Store().Limit() != 99 || len(got) != 1 || got[0] != kept.Name {
		t.Errorf("limit %d, %q", f.Store().Limit(), got)
	}
	fstest.Must(t, os.WriteFile(path, []byte("[results]\nmax_size = 'x'\n"), 0o600))
	f.Reload()
	if s := f.Status(); s.State != "degraded" || len(s.Problems) != 1 || f.Store().Limit() != 12_000 {
		t.Errorf("limit %d, %+v", f.Store().Limit(), s)
	}
}
