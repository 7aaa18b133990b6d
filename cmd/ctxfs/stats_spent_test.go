package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/stats"
)

// spent writes a session of Claude Code with two requests on two days, one for a model that
// has no price.
func (b *box) spent() {
	line := func(n int, at, model string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u%d","sessionId":"s","cwd":%q,"requestId":"r%d","timestamp":%q,"message":{"id":"msg_%d","role":"assistant","model":%q,"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":100,"output_tokens":200,"cache_read_input_tokens":3000,"cache_creation_input_tokens":40}}}`,
			n, b.dir, n, at, n, model)
	}
	b.session(".claude/projects/-work/00000000-0000-4000-8000-00000000000a.jsonl",
		line(1, "2026-03-01T12:00:00Z", "claude-opus-4-5"), line(1, "2026-03-01T12:00:01Z", "claude-opus-4-5"), line(2, "2026-03-02T12:00:00Z", `mod<el "of" ours`))
}

// TestStatsOfSessions counts what sessions took, with and without the background process.
func TestStatsOfSessions(t *testing.T) {
	b := newBox(t)
	b.setenv("TZ", "UTC")
	b.spent()
	look := func() (r stats.Report) {
		t.Helper()
		must(t, json.Unmarshal([]byte(b.ok("stats", "--since", "all", "--json")), &r))
		return r
	}
	for _, mounted := range []bool{false, true} {
		if mounted {
			b.mount()
		}
		s := look().Spending
		if s == nil || s.Calls != 2 || s.Total != 2*3340 || len(s.Days) != 2 || s.Days[0].Name != "2026-03-01" || s.Unpriced != 3340 || len(s.Agents) != 1 || s.Agents[0].Name != "claude-code" {
			t.Fatalf("mounted %v: %+v", mounted, s)
		}
		if want := (100*5 + 200*25 + 3000*0.5 + 40*6.25) / 1e6; s.Cost < want-1e-9 || s.Cost > want+1e-9 {
			t.Errorf("it cost %v, want %v", s.Cost, want)
		}
	}
	text := b.ok("stats", "models", "--since", "all")
	if !strings.Contains(text, "claude-opus-4-5") || !strings.Contains(text, "3.00k") || !strings.Contains(text, "?") {
		t.Errorf("by model there is:\n%s", text)
	}
	fstest.Contains(t, b.ok("stats", "days", "--since", "all"), `No price is known of mod<el "of" ours`)
	csv := b.ok("stats", "days", "--since", "2026-03-02", "--csv")
	if want := "day,requests,input,output,cache_read,cache_write_5m,cache_write_1h,reasoning,total,cost,unpriced\n2026-03-02,1,100,200,3000,40,0,0,3340,0.000000,3340\n"; csv != want {
		t.Errorf("as CSV it is\n%s, want\n%s", csv, want)
	}
	b.write(".config/ctxfs/config.toml", "[prices.\"mod*\"]\ninput = 10\noutput = 10\n")
	if s := look().Spending; s.Unpriced != 0 {
		t.Errorf("with a price of the user's, %d tokens have none", s.Unpriced)
	}
	if left, err := os.ReadFile(filepath.Join(b.cache, "ctxfs", "stats", "spending.jsonl")); err != nil || len(left) == 0 {
		t.Errorf("the book: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(b.cache, "ctxfs", "stats", "spending.jsonl"), []byte("{\"format\":1}\n{\"part\":\"x\",\"calls\":\"AAAA\",\n\xff"), 0o600))
	if s := look().Spending; s.Calls != 2 {
		t.Errorf("with a damaged book there are %d requests", s.Calls)
	}
}

// TestStatsPage writes a page, and says what to do where it cannot.
func TestStatsPage(t *testing.T) {
	b := newBox(t)
	b.spent()
	page := filepath.Join(b.dir, "stats.html")
	b.ok("stats", "--since", "all", "--html", page)
	text, err := os.ReadFile(page)
	must(t, err)
	html := string(text)
	if !strings.Contains(html, "<svg") || !strings.Contains(html, "mod&lt;el") || strings.Contains(html, "mod<el") || strings.Contains(html, "<script") {
		t.Errorf("the page is\n%s", html)
	}
	if info, err := os.Stat(page); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page: %v, %v", info.Mode(), err)
	}
	if out := b.ok("stats", "models", "--since", "all", "--html", "-"); !strings.HasPrefix(out, "<!doctype html>") || strings.Contains(out, "In every request") {
		t.Errorf("on standard output there is\n%s", out)
	}
	b.refused(1, []string{"is a directory", "ctxfs stats --html " + filepath.Join(b.dir, "stats.html")}, "stats", "--html", b.dir)
	b.refused(1, []string{"no such file"}, "stats", "--html", filepath.Join(b.dir, "none", "a.html"))
	b.refused(2, []string{"html", "json"}, "stats", "--html", page, "--json")
	b.with("DISPLAY", "", "WAYLAND_DISPLAY", "").refused(1, []string{"no browser"}, "stats", "--open")
}
