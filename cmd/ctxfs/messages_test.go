package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers"
	"ctxfs/providers/prompt"
)

// message is something that was said in a recorded session.
type message struct{ body string }

// saidWorld is a home folder with the recorded sessions, and what was said in
// them: the texts of people and agents, and the whole transcripts.
func saidWorld(b *testing.B) (source *usertree.Tree, said []message, transcripts []string) {
	b.Helper()
	logs, err := filepath.Glob(testData("sessions/claude-code/*.jsonl"))
	must(b, err)
	if len(logs) == 0 {
		b.Skip("the recorded sessions in ../shared/data/sessions/claude-code are missing; CTXFS_TEST_DATA names another folder")
	}
	home := b.TempDir()
	folder := filepath.Join(home, ".claude", "projects", "-work")
	must(b, os.MkdirAll(folder, 0o700))
	for i, log := range logs {
		text, err := os.ReadFile(log)
		must(b, err)
		to := filepath.Join(folder, filepath.Base(log))
		must(b, os.WriteFile(to, text, 0o600))
		at := time.Unix(int64(1_770_000_000+i*3600), 0) // which is newer counts
		must(b, os.Chtimes(to, at, at))
	}
	source = startedTree(b, home)
	reader := &shellAgent{TB: b, source: source}
	heading := regexp.MustCompile(`(?m)^### \[[^]]+\] \S+ (user typed|assistant)\b.*\n`)
	all := source.Providers().All()
	provider := all[slices.IndexFunc(all, func(p providers.Named) bool { return p.Folder == "transcripts" })]
	if !fstest.Becomes(func() bool {
		n := 0
		for range provider.Provider.(fs.Documented).Documents("") {
			n++
		}
		return n == len(logs)
	}) {
		b.Fatal("not all of the sessions are there")
	}
	source.RenewPages()
	for d := range provider.Provider.(fs.Documented).Documents("") {
		text := reader.cat("transcripts/" + d.Path)
		transcripts = append(transcripts, text)
		for _, block := range strings.SplitAfter(text, "\n\n### [")[1:] {
			block = "### [" + strings.TrimSuffix(block, "\n\n### [")
			if at := heading.FindStringIndex(block); at != nil {
				if body := strings.TrimSpace(block[at[1]:]); len(body) >= 80 {
					said = append(said, message{body})
				}
			}
		}
	}
	return source, said, transcripts
}

// rememberedWord is a word that a person may remember: neither a number nor an id.
var rememberedWord = regexp.MustCompile(`\b[A-Za-z][A-Za-z]{3,19}\b`)

// rarest are those words of a text that are in the fewest messages, in order.
func rarest(text string, n int, counts map[string]int) string {
	words := slices.Compact(slices.Sorted(slices.Values(rememberedWord.FindAllString(strings.ToLower(text), -1))))
	slices.SortStableFunc(words, func(a, b string) int { return counts[a] - counts[b] })
	return strings.Join(words[:min(n, len(words))], " ")
}

// common are words of a text that at least ten messages have, the rarest first:
// what is left where nobody remembers how it was said.
func common(text string, n int, counts map[string]int) string {
	rare := make(map[string]int)
	for word, count := range counts {
		if rare[word] = count; count < 10 {
			rare[word] = 1 << 30
		}
	}
	return rarest(text, n, rare)
}

// firstSentence is how a text begins.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(line)
	return strings.Join(words[:min(12, len(words))], " ")
}

// BenchmarkSaid prints the table of BENCHMARKS.md on what an agent pays to find
// the message of a past session that holds an answer.
func BenchmarkSaid(b *testing.B) {
	source, said, transcripts := saidWorld(b)
	all := 0
	for _, text := range transcripts {
		all += prompt.Tokens(text)
	}
	counts := make(map[string]int)
	for _, m := range said {
		words := slices.Sorted(slices.Values(rememberedWord.FindAllString(strings.ToLower(m.body), -1)))
		for _, word := range slices.Compact(words) {
			counts[word]++
		}
	}
	page := &shellAgent{TB: b, source: source}
	fixed := prompt.Tokens(page.cat("AGENTS.md"))
	reader := &shellAgent{TB: b, source: source}
	for _, ask := range []struct {
		name  string
		words func(string) string
	}{
		{"rare-words", func(text string) string { return rarest(text, 4, counts) }},
		{"common-words", func(text string) string { return common(text, 5, counts) }},
		{"first-sentence", firstSentence},
	} {
		for _, way := range []struct {
			name string
			walk func(*shellAgent, string)
		}{{"in-order", inOrder}, {"at-once", atOnce}} {
			b.Run(ask.name+"/"+way.name, func(b *testing.B) {
				tokens, steps, found, asked := 0, 0, 0, 0
				var each []int
				for b.Loop() {
					tokens, steps, found, asked, each = 0, 0, 0, 0, nil
					for i := 0; i < len(said); i += max(1, len(said)/200) {
						m := said[i]
						words := ask.words(m.body)
						if words == "" {
							continue
						}
						asked++
						a := &shellAgent{TB: b, source: source, in: "transcripts", seen: make(map[string]bool)}
						a.right = func(p string) bool {
							return strings.Contains(p, "/blocks/") && strings.Contains(reader.cat(p), m.body)
						}
						way.walk(a, words)
						each = append(each, fixed+a.tokens)
						tokens += fixed + a.tokens
						steps += a.steps
						if a.found {
							found++
						}
					}
				}
				slices.Sort(each)
				n := float64(asked)
				b.ReportMetric(float64(all), "tokens-of-all")
				b.ReportMetric(float64(all)/float64(len(transcripts)), "tokens-of-one")
				b.ReportMetric(float64(fixed), "prompt-tokens")
				b.ReportMetric(float64(tokens)/n, "tokens")
				b.ReportMetric(float64(each[len(each)*95/100]), "tokens-p95")
				b.ReportMetric(100*float64(found)/n, "%-found")
				b.ReportMetric(float64(steps)/n, "steps")
				b.ReportMetric(n, "messages")
			})
		}
	}
}
