package transcripts

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/stats/prices"
	"ctxfs/providers/stats/spending"
	"ctxfs/providers/transcripts/agents/historytest"
)

// dayTokens are tokens as ccusage counts them, and what they cost in millionths of a dollar.
type dayTokens struct{ Input, Output, Written, Read, Cost int64 }

// ccusage returns what ccusage counts below a home folder, by the day, the agent and the
// model.
func ccusage(t *testing.T, home, zone string) map[string]dayTokens {
	t.Helper()
	modules := fstest.NodeModules(t, "ccusage")
	run := exec.Command("node", filepath.Join(modules, "ccusage/src/cli.js"), "daily", "--by-agent", "--json", "--offline", "--timezone", zone)
	run.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=" + zone}
	run.Dir = home
	out, err := run.Output()
	fstest.Must(t, err)
	var report struct {
		Daily []struct {
			Period string
			Agents []struct {
				Agent           string
				ModelBreakdowns []struct {
					ModelName                                                       string
					InputTokens, OutputTokens, CacheCreationTokens, CacheReadTokens int64
					Cost                                                            float64
				}
			}
		}
	}
	fstest.Must(t, json.Unmarshal(out, &report))
	all := make(map[string]dayTokens)
	for _, d := range report.Daily {
		for _, a := range d.Agents {
			for _, m := range a.ModelBreakdowns {
				name := strings.TrimPrefix(m.ModelName, "["+a.Agent+"] ")
				all[d.Period+" "+agentNames[a.Agent]+" "+name] = dayTokens{m.InputTokens, m.OutputTokens, m.CacheCreationTokens, m.CacheReadTokens, micros(m.Cost)}
			}
		}
	}
	return all
}

// same reports whether the tokens are equal, and the money but for rounding.
func (d dayTokens) same(o dayTokens) bool {
	off := d.Cost - o.Cost
	d.Cost, o.Cost = 0, 0
	return d == o && -2 <= off && off <= 2
}

func micros(dollars float64) int64 { return int64(math.Round(dollars * 1e6)) }

// agentNames are our names of what ccusage calls agents.
var agentNames = map[string]string{
	"claude": "claude-code", "codex": "codex", "gemini": "gemini", "opencode": "opencode", "pi": "pi", "amp": "amp",
	"droid": "droid", "copilot": "copilot", "goose": "goose",
}

// counted returns what we count, in the same form, of agents that ccusage knows.
func counted(t *testing.T, f *fixture, zone string) map[string]dayTokens {
	t.Helper()
	where, err := time.LoadLocation(zone)
	fstest.Must(t, err)
	book := factbook.Open[facts.Calls](filepath.Join(t.TempDir(), "book"), nil)
	book.Refresh(context.Background(), f.Facts().Calls)
	list := prices.Load("")
	all := make(map[string]dayTokens)
	for _, agent := range slices.Sorted(maps.Values(agentNames)) {
		report := spending.Count(book.Parts(), spending.Query{
			Zone: where, Agent: agent,
			Price: func(c facts.ModelCall) (float64, bool) {
				p, ok := list.Of(c.Model, c.Time)
				return p.Cost(c.Tokens), ok
			},
			ProjectOf: func(dir string) string { return dir },
		})
		for _, d := range report.Days {
			for _, m := range d.Of {
				u := m.Tokens
				all[d.Name+" "+agent+" "+m.Name] = dayTokens{u.Input, u.Output, u.CacheWrite + u.CacheWriteLong, u.CacheRead, micros(m.Cost)}
			}
		}
	}
	return all
}

// sameAsCCUsage fails where the tokens of a day, an agent and a model are others.
func sameAsCCUsage(t *testing.T, home string) {
	t.Helper()
	f := start(t, home)
	for _, zone := range []string{"UTC", "Asia/Tokyo", "America/Los_Angeles"} {
		want, got := ccusage(t, home, zone), counted(t, f, zone)
		if len(want) == 0 {
			t.Errorf("in %s ccusage counts nothing", zone)
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if !got[key].same(want[key]) {
				t.Errorf("%s: %s: %+v, by ccusage %+v", zone, key, got[key], want[key])
			}
			delete(got, key)
		}
		for key, u := range got {
			t.Errorf("%s: %s: %+v, by ccusage nothing", zone, key, u)
		}
	}
}

// TestRealSessionsAsCCUsage counts real sessions of several agents.
func TestRealSessionsAsCCUsage(t *testing.T) {
	data := fstest.Data(t, "sessions")
	home := t.TempDir()
	put := func(to string, from ...string) {
		for _, pattern := range from {
			files, err := filepath.Glob(filepath.Join(data, pattern))
			fstest.Must(t, err)
			if len(files) == 0 {
				t.Errorf("no recorded session is %s", pattern)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				fstest.Must(t, err)
				name := filepath.Join(home, to)
				if strings.HasSuffix(to, "/") {
					name = filepath.Join(name, filepath.Base(file))
				}
				historytest.WriteFile(t, filepath.Dir(name), filepath.Base(name), string(text))
			}
		}
	}
	const id = "019f0000-0000-7000-8000-00000000000"
	put(".claude/projects/-work-app/", "claude-code/*.jsonl", "same-task-per-agent/claude/*.jsonl", "small-fixtures/claude/*.jsonl")
	put(".codex/sessions/2026/05/07/rollout-2026-05-07T10-00-00-"+id+"1.jsonl", "same-task-per-agent/codex/convo.jsonl")
	put(".codex/sessions/2026/08/03/rollout-2026-08-03T10-48-56-"+id+"2.jsonl", "small-fixtures/codex/small.jsonl")
	put(".gemini/tmp/app/chats/session-2026-05-07T10-00-aaaaaaaa.jsonl", "same-task-per-agent/gemini/convo.jsonl")
	put(".gemini/tmp/app/chats/session-2026-04-29T10-00-bbbbbbbb.jsonl", "small-fixtures/gemini/jsonl_v040.jsonl")
	put(".gemini/tmp/app/chats/session-2026-04-29T10-00-cccccccc.json", "small-fixtures/gemini/small.json")
	put(".pi/agent/sessions/--work-app--/2025-11-20T23-33-02-000Z_"+id+"3.jsonl", "pi/large-session.jsonl")
	put(".pi/agent/sessions/--work-app--/2026-05-07T10-00-00-000Z_"+id+"4.jsonl", "same-task-per-agent/pi/convo.jsonl")
	put(".pi/agent/sessions/--work-app--/2026-05-07T10-00-00-000Z_"+id+"5.jsonl", "small-fixtures/pi/small.jsonl")
	put(".copilot/session-state/"+id+"6/events.jsonl", "same-task-per-agent/copilot/convo.jsonl")
	put(".copilot/session-state/"+id+"7/events.jsonl", "small-fixtures/copilot/small.jsonl")
	sameAsCCUsage(t, home)
}
