package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNoTimeIsInvented: where nothing has happened no time is shown, what is part
// of the program is as old as that, and a restart changes no time.
func TestNoTimeIsInvented(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	begun := time.Now()
	b.mount()
	program, err := os.Stat(shimPath())
	must(t, err)
	for _, path := range []string{".ignore", "find/README.md", "skills/.ignore", "skills/agentctx/SKILL.md", "transcripts/.ignore", "transcripts/by-id/README.md", "terminals/INDEX.md", "results/INDEX.tsv"} {
		info, err := os.Stat(b.mnt(path))
		must(t, err)
		if !info.ModTime().Equal(program.ModTime()) {
			t.Errorf("%s has the time %v, the program %v", path, info.ModTime(), program.ModTime())
		}
	}
	times := func() map[string]time.Time {
		all := make(map[string]time.Time)
		must(t, filepath.WalkDir(b.mnt(), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(path, b.mnt("mcps")) {
				return err
			}
			info, err := d.Info()
			if err == nil {
				all[path] = info.ModTime()
			}
			return err
		}))
		return all
	}
	before := times()
	for path, at := range before {
		if at.Before(program.ModTime()) || at.After(time.Now()) {
			t.Errorf("%s has the time %v", path, at)
		}
	}
	var report struct{ Providers []map[string]any }
	must(t, json.Unmarshal([]byte(b.ok("status", "--json")), &report))
	if len(report.Providers) == 0 {
		t.Fatal("no providers are told of")
	}
	for _, p := range report.Providers {
		if since, told := p["since"]; told && p["name"] != "mcps" {
			t.Errorf("%v: %v since %v", p["name"], p["state"], since)
		}
	}
	if text := b.read("STATUS.md"); strings.Contains(text, "since 0001") || strings.Contains(text, "T00:00:00Z") || strings.Count(text, ", since") > 1 {
		t.Errorf("STATUS.md, begun %v:\n%s", begun, text)
	}
	b.ok("unmount")
	b.mount()
	for path, at := range times() {
		if was := before[path]; !was.Equal(at) && filepath.Base(path) != "STATUS.md" && filepath.Base(path) != "AGENTS.md" {
			t.Errorf("%s had the time %v, and has %v after a restart", path, was, at)
		}
	}
}
