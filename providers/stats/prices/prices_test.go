package prices

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

func TestNamesOfModels(t *testing.T) {
	l := Load("")
	for _, test := range []struct {
		model string
		input float64
	}{
		{"claude-opus-4-5", 5}, {"claude-opus-4-5-20251101", 5}, {"anthropic/claude-opus-4.5", 5},
		{"us.anthropic.claude-opus-4-5-20251101-v1:0", 5}, {"claude-opus-4-5@20251101", 5}, {"claude-opus-4-8[1m]", 5},
		{"openrouter/anthropic/claude-sonnet-4:beta", 3}, {"claude-opus-4-8-fast", 10}, {"claude-opus-4-20250514", 15},
		{"gpt-5.2-codex", 1.75}, {"openai/gpt-5-2025-08-07", 1.25}, {"gemini-3-flash-preview", 0.5}, {"gemini-2.5-pro-preview-05-06", 1.25},
	} {
		if p, ok := l.Of(test.model, time.Time{}); !ok || p.Input != test.input {
			t.Errorf("%s: %v %v", test.model, p, ok)
		}
	}
	for _, model := range []string{"", "claude", "claude-opus-4-9", "claude-opus", "gpt", "gpt-5.2-codex-ultra", "claude-opus-4-5-fast", "-20251101", "*", "<synthetic>"} {
		if p, ok := l.Of(model, time.Time{}); ok {
			t.Errorf("the price of %q is guessed: %v", model, p)
		}
	}
}

func TestPricesByTimeAndLength(t *testing.T) {
	l := Load("")
	day := func(s string) time.Time { at, _ := time.Parse(time.DateOnly, s); return at }
	for _, test := range []struct {
		model, day string
		tokens     facts.Tokens
		want       float64
	}{
		{"gpt-5.6-luna", "2026-07-29", facts.Tokens{Input: 1e6 / 10, Output: 1e5}, 0.1 + 0.6},
		{"gpt-5.6-luna", "2026-07-30", facts.Tokens{Input: 1e6 / 10, Output: 1e5}, 0.02 + 0.12},
		{"claude-sonnet-4-5", "2026-01-01", facts.Tokens{Input: 1e5, CacheRead: 1e5, Output: 1e4}, 0.3 + 0.03 + 0.15},
		{"claude-sonnet-4-5", "2026-01-01", facts.Tokens{Input: 1e5, CacheRead: 1e5 + 1, Output: 1e4}, 2*(0.3+0.0300003) + 1.5*0.15},
		{"claude-opus-4-5", "2026-01-01", facts.Tokens{CacheWrite: 1e6, CacheWriteLong: 1e6}, 6.25 + 10},
		{"gemini-2.5-flash", "2026-01-01", facts.Tokens{Output: 1e6, Reasoning: 1e6}, 5},
	} {
		p, _ := l.Of(test.model, day(test.day))
		if got := p.Cost(test.tokens); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s on %s: %v costs %v, want %v", test.model, test.day, test.tokens, got, test.want)
		}
	}
}

func TestPricesOfTheUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(`
[prices."claude-opus-*"]
input = 1
output = 2
[prices."claude-opus-4-5"]
input = 7
output = 8
cache_read = 0
[prices.mine]
input = 1
[prices."mad["]
input = 1
output = 1
[prices.less]
input = -1
output = 1
[prices.typo]
input = 1
output = 1
outputt = 3
`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := Load(path)
	for model, want := range map[string]Price{
		"claude-opus-4-1":          {Input: 1, Output: 2, CacheRead: 1, CacheWrite: 1, CacheWriteLong: 1},
		"claude-opus-4-5-20251101": {Input: 7, Output: 8, CacheRead: 0, CacheWrite: 7, CacheWriteLong: 7},
	} {
		if p, ok := l.Of(model, time.Time{}); !ok || p != want {
			t.Errorf("%s: %+v", model, p)
		}
	}
	if _, ok := l.Of("mine", time.Time{}); ok {
		t.Error("half a price is one")
	}
	text := ""
	for _, p := range l.Problems {
		text += p.What + "\n"
	}
	for _, want := range []string{"mine", "mad[", "less", "outputt"} {
		fstest.Contains(t, text, want)
	}
}

// TestListed checks that each line of the list is a price.
func TestListed(t *testing.T) {
	for line := range strings.Lines(listed) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if n := len(f); n != 7 && n != 10 || plainName(f[0]) != f[0] {
			t.Errorf("%q has %d columns", line, n)
			continue
		}
		if p := priceOf(f[2:]); p.Input <= 0 || p.Output < p.Input || p.CacheRead > p.Input || p.CacheWrite < p.Input || p.CacheWriteLong < p.CacheWrite {
			t.Errorf("%q is %+v", line, p)
		}
		if _, err := time.Parse(time.DateOnly, f[1]); err != nil && f[1] != "" {
			t.Errorf("%q: %v", line, err)
		}
	}
}
