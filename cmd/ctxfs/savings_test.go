package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// The definitions of twelve real servers in the prompt, and AGENTS.md instead,
// as another table of BENCHMARKS.md has them.
const (
	staticTokens = 28778
	pageTokens   = 244
)

// looking is what an agent pays besides for one tool.
type looking struct {
	name   string
	tokens float64
	steps  float64 // commands
}

// ways are those that other tables of BENCHMARKS.md measure.
func ways() []looking {
	return []looking{
		{"a list, then the file", 499, 2},    // all twelve servers
		{"three files at once", 1022, 1.340}, // LiveMCPBench, without its page
	}
}

// session is what the requests of a recorded session cost in tokens.
type session struct {
	name            string
	requests, total int
}

// with is what the session would have cost with that many tokens in every
// prompt, and a number of tools looked for. The worst is assumed of these: all
// come first, so that what they read stays in every later request, and each
// command is a request of its own, with all that the session's mean request
// carried.
func (s session) with(prompt float64, tools int, by looking) float64 {
	mean := float64(s.total) / float64(s.requests)
	more := float64(tools) * by.steps
	kept := float64(tools) * by.tokens
	return float64(s.total) + more*mean + (float64(s.requests)+more)*(prompt+kept)
}

// saves is the share of all tokens that is saved.
func (s session) saves(tools int, by looking) float64 {
	return 1 - s.with(pageTokens, tools, by)/s.with(staticTokens, 0, by)
}

// recorded reads a log of Claude Code: a request may have several records; the last
// counts. Its output is what the log has of it, which is little.
func recorded(t testing.TB, file string) session {
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	requests := make(map[string]int)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r struct {
			Type, RequestID string
			Message         json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Type != "assistant" {
			continue
		}
		var m struct {
			ID    string
			Usage struct {
				Input   int `json:"input_tokens"`
				Created int `json:"cache_creation_input_tokens"`
				Read    int `json:"cache_read_input_tokens"`
				Output  int `json:"output_tokens"`
			}
		}
		must(t, json.Unmarshal(r.Message, &m))
		if n := m.Usage.Input + m.Usage.Created + m.Usage.Read + m.Usage.Output; n > 0 {
			requests[m.ID+" "+r.RequestID] = n
		}
	}
	must(t, lines.Err())
	s := session{name: strings.TrimSuffix(filepath.Base(file), ".jsonl"), requests: len(requests)}
	for _, n := range requests {
		s.total += n
	}
	return s
}

func TestSaving(t *testing.T) {
	s := session{requests: 10, total: 1_000_000}
	by := looking{"", 500, 2}
	if got, want := s.with(1000, 0, by), 1_010_000.0; got != want {
		t.Errorf("static: %v, want %v", got, want)
	}
	// Two more requests of 100,000 each, and 12 with the page and what was read.
	if got, want := s.with(200, 1, by), 1_200_000.0+12*(200+500); got != want {
		t.Errorf("one tool: %v, want %v", got, want)
	}
}

// TestSavings prints the table of BENCHMARKS.md on recorded sessions.
func TestSavings(t *testing.T) {
	files, err := filepath.Glob(testData("sessions/claude-code/*.jsonl"))
	must(t, err)
	if len(files) == 0 {
		t.Skip("the recorded sessions in ../shared/data/sessions/claude-code are missing; CTXFS_TEST_DATA names another folder")
	}
	var all []session
	for _, f := range files {
		if s := recorded(t, f); s.requests > 0 {
			all = append(all, s)
		}
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| looking for a tool\t| tools\t| all tokens together\t| median session\t| least\t| most\t| sessions that lose\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, by := range ways() {
		for _, tools := range []int{0, 1, 3, 10} {
			line, together := savingsOf(all, tools, by)
			fmt.Fprintf(w, "| %s\t| %d\t| %s\n", by.name, tools, line)
			if tools == 0 && together <= 0 {
				t.Errorf("without any tool %v is saved", together)
			}
		}
	}
	must(t, w.Flush())
	requests, total := 0, 0
	for _, s := range all {
		requests, total = requests+s.requests, total+s.total
	}
	t.Logf("%d sessions, %d requests, %d tokens\n%s", len(all), requests, total, table.String())
}

// savingsOf is a line of the table, and what is saved of all tokens together.
func savingsOf(all []session, tools int, by looking) (line string, together float64) {
	var shares []float64
	static, own, lose := 0.0, 0.0, 0
	for _, s := range all {
		share := s.saves(tools, by)
		shares = append(shares, share)
		static += s.with(staticTokens, 0, by)
		own += s.with(pageTokens, tools, by)
		if share < 0 {
			lose++
		}
	}
	slices.Sort(shares)
	middle := (shares[(len(shares)-1)/2] + shares[len(shares)/2]) / 2
	together = 1 - own/static
	return fmt.Sprintf("%.1f %%\t| %.1f %%\t| %.1f %%\t| %.1f %%\t| %d of %d\t|",
		100*together, 100*middle, 100*shares[0], 100*shares[len(shares)-1], lose, len(shares)), together
}
