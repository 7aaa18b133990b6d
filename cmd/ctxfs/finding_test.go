package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// question is a line of questions.jsonl.
type question struct {
	Want string `json:"want"`
	Kind string `json:"kind"`
	// Right names the things of that kind that answer it: server/name, or the name
	// that the thing has in testdata/finding/world.
	Right []string `json:"right"`
	// Project is where the asker stands, if that matters.
	Project string `json:"project,omitempty"`
	// Says is what the match must show besides being in the right place: a piece of
	// the command or of its output.
	Says string `json:"says,omitempty"`
}

// kinds are the kinds of questions, each with the folder of its answers.
var kinds = []struct{ name, folder string }{
	{"tool", "mcps"}, {"prompt", "mcps"}, {"resource", "mcps"}, {"status", "mcps"}, {"skill", "skills"},
	{"session", "transcripts"}, {"result", "results"}, {"terminal", "terminals"},
}

// findingData reads a file of testdata/finding with a JSON value a line.
func findingData[T any](tb testing.TB, name string) []T {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/finding/" + name)
	must(tb, err)
	return jsonLines[T](tb, text)
}

func jsonLines[T any](tb testing.TB, text []byte) (all []T) {
	tb.Helper()
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var one T
		must(tb, d.Decode(&one))
		all = append(all, one)
	}
	return all
}

// sealedQuestions are those that are not to be read before the ranking is done:
// two lines that say so and, after an empty one, base64 of gzip.
func sealedQuestions(tb testing.TB) []question {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/finding/questions.sealed")
	must(tb, err)
	_, packed, _ := strings.Cut(string(text), "\n\n")
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	must(tb, err)
	plain, err := io.ReadAll(z)
	must(tb, err)
	return jsonLines[question](tb, plain)
}

// TestQuestionsHaveAnswers: each question about the world names things that are in
// it. It makes no tree.
func TestQuestionsHaveAnswers(t *testing.T) {
	fstest.OptIn(t, "measure")
	t.Parallel()
	there := map[string]bool{"skill agentctx": true}
	for _, f := range []struct{ kind, file string }{
		{"skill", "skills.txt"}, {"session", "sessions-1.txt"}, {"session", "sessions-2.txt"}, {"result", "results.txt"}, {"terminal", "terminals.txt"},
	} {
		for _, s := range worldSections(t, f.file) {
			if there[f.kind+" "+s.name] {
				t.Errorf("two of %s %s", f.kind, s.name)
			}
			there[f.kind+" "+s.name] = true
		}
	}
	for name := range brokenServers {
		there["status "+name] = true
	}
	for server, o := range worldOffers(t) {
		for _, tool := range o.tools {
			there["tool "+server+"/"+tool.Name] = true
		}
		for _, p := range o.prompts {
			there[fmt.Sprint("prompt ", server, "/", p["name"])] = true
		}
		for _, r := range o.resources {
			there[fmt.Sprint("resource ", server, "/", r["name"])] = true
		}
	}
	opened, sealed := findingData[question](t, "questions.jsonl"), sealedQuestions(t)
	if n := len(opened) + len(sealed); n < 200 || len(sealed) < n*3/10 {
		t.Errorf("%d questions, %d of them sealed", n, len(sealed))
	}
	for i, q := range slices.Concat(opened, sealed) {
		for _, right := range q.Right {
			server, _, _ := strings.Cut(right, "/")
			if recorded := q.Kind == "tool" && recordedServers[server]; !recorded && !there[q.Kind+" "+right] {
				t.Errorf("question %d: no %s is called %s", i, q.Kind, right)
			}
		}
	}
}

// isRight reports whether a match is of a thing that answers a question: its file or
// folder, or something in that.
func (w *findingWorld) isRight(q question, m fs.Match) bool {
	return slices.ContainsFunc(q.Right, func(right string) bool {
		server, name, _ := strings.Cut(right, "/")
		place := q.Kind + "s/" + right
		switch q.Kind {
		case "status":
			return m.Path == "mcps/"+right || m.Path == "mcps/"+right+"/STATUS.md"
		case "session":
			return strings.HasPrefix(m.Path, "transcripts/") && strings.Contains(m.Path, "_"+w.sessions[right][:8])
		case "result":
			place = w.results[right]
		case "tool", "prompt", "resource":
			place = "mcps/" + server + "/" + q.Kind + "s/" + name
		}
		rest, ok := strings.CutPrefix(m.Path, place)
		return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
	})
}

// findIn asks what ctxfs find asks outside of projects.
func findIn(tb testing.TB, tree *usertree.Tree, want, in string, limit int) []fs.Match {
	tb.Helper()
	return findFrom(tb, tree, usertree.FindQuery{Query: want, In: in, Limit: limit})
}

func findFrom(tb testing.TB, tree *usertree.Tree, q usertree.FindQuery) []fs.Match {
	tb.Helper()
	matches, err := usertree.OpFind.Ask(tb.Context(), tree.Operations(), q)
	must(tb, err)
	return matches
}

// tally counts the questions that were answered.
type tally struct{ asked, first, five, saying, firstIn, fiveIn, kind int }

func (s *tally) add(other tally) {
	s.asked += other.asked
	s.first += other.first
	s.five += other.five
	s.saying += other.saying
	s.firstIn += other.firstIn
	s.fiveIn += other.fiveIn
	s.kind += other.kind
}

func (s tally) share(n int) float64 { return float64(n) / float64(max(1, s.asked)) }

func (s tally) row(name string) string {
	return fmt.Sprintf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, s.asked,
		s.share(s.first), s.share(s.five), s.share(s.kind), s.share(s.firstIn), s.share(s.fiveIn))
}

// ask asks one question, everywhere and in the folder of its kind.
func (w *findingWorld) ask(b *testing.B, q question, folder string) (s tally) {
	b.Helper()
	s.asked = 1
	right := func(m fs.Match) bool { return w.isRight(q, m) }
	asked := usertree.FindQuery{Query: q.Want, Limit: 5}
	if q.Project != "" {
		asked.Caller = fs.StandpointAt(w.project(q.Project))
	}
	everywhere := findFrom(b, w.Tree, asked)
	asked.In = folder
	within := findFrom(b, w.Tree, asked)
	for i, m := range everywhere {
		if strings.HasPrefix(m.Path, folder+"/") {
			s.kind = 1
		}
		if right(m) {
			if s.five = 1; i == 0 {
				s.first = 1
			}
			if strings.Contains(strings.ToLower(m.Title+" "+m.Why), strings.ToLower(q.Says)) {
				s.saying = 1
			}
		}
	}
	if slices.ContainsFunc(within, right) {
		s.fiveIn = 1
	}
	if len(within) > 0 && right(within[0]) {
		s.firstIn = 1
	}
	if s.five == 0 && testing.Verbose() && os.Getenv(unsealed) == "" {
		var got []string
		for _, m := range everywhere {
			got = append(got, m.Path)
		}
		b.Logf("missed (in its folder: %d): %q wants %s %s, found %s", s.fiveIn, q.Want, q.Kind, q.Right, strings.Join(got, " "))
	}
	return s
}

// unsealed is the variable with which the sealed questions are asked instead of
// the open ones; then no misses are printed.
const unsealed = "CTXFS_TEST_SEALED"

// BenchmarkFinding prints the tables of BENCHMARKS.md on finding one thing among
// all kinds of things.
func BenchmarkFinding(b *testing.B) {
	world := sync.OnceValue(func() *findingWorld { return newFindingWorld(b) })
	b.Run("mixed", func(b *testing.B) {
		w := world()
		questions := findingData[question](b, "questions.jsonl")
		if os.Getenv(unsealed) != "" {
			questions = sealedQuestions(b)
		}
		var all tally
		var table strings.Builder
		for b.Loop() {
			all = tally{}
			table.Reset()
			table.WriteString("| kind | questions | first | among 5 | kind among 5 | first --in | among 5 --in |\n| --- | --- | --- | --- | --- | --- | --- |\n")
			for _, k := range kinds {
				var of tally
				for _, q := range questions {
					if q.Kind == k.name {
						of.add(w.ask(b, q, k.folder))
					}
				}
				all.add(of)
				table.WriteString(of.row(k.name))
				if k.name == "terminal" {
					fmt.Fprintf(&table, "| terminal, with the line | %d | | %.2f | | | |\n", of.asked, of.share(of.saying))
				}
			}
			table.WriteString(all.row("all") + "| goal | | ≥ .60 | ≥ .85 | | ≤ first + .05 | ≤ among 5 + .05 |\n")
		}
		b.Log("\n" + table.String())
		b.ReportMetric(all.share(all.first), "first")
		b.ReportMetric(all.share(all.five), "among-5")
		b.ReportMetric(all.share(all.firstIn), "first-in")
		b.ReportMetric(all.share(all.fiveIn), "among-5-in")
	})
	b.Run("languages", func(b *testing.B) { benchmarkLanguages(b, world().Tree, "languages.jsonl") })
	b.Run("languages-everyday", func(b *testing.B) {
		servers, _, _, _ := liveServers(b)
		benchmarkLanguages(b, discoveryWorld(b, servers, nil), "everyday.jsonl")
	})
	b.Run("LiveMCPBench-wants", benchmarkWants)
}

// benchmarkLanguages asks for tools in English and in Chinese.
func benchmarkLanguages(b *testing.B, tree *usertree.Tree, file string) {
	asked := findingData[struct {
		EN, ZH string
		Right  []string
	}](b, file)
	type hits struct{ first, five, given int }
	var found map[string]*hits
	known := 0 // whose English form is among five
	for b.Loop() {
		found = map[string]*hits{"en": {}, "zh": {}}
		known = 0
		for _, a := range asked {
			inEnglish := false
			for _, form := range []struct{ language, want string }{{"en", a.EN}, {"zh", a.ZH}} {
				at := slices.IndexFunc(findIn(b, tree, form.want, "mcps", 5), func(m fs.Match) bool {
					name := strings.TrimSuffix(path.Base(m.Path), ".json")
					server, _, _ := strings.Cut(strings.TrimPrefix(m.Path, "mcps/"), "/")
					return slices.Contains(a.Right, server+"/"+name)
				})
				h := found[form.language]
				if at == 0 {
					h.first++
				}
				if at >= 0 {
					h.five++
				}
				if form.language == "en" && at >= 0 {
					inEnglish = true
					known++
				}
				if inEnglish && at >= 0 {
					h.given++
				}
				if inEnglish && at < 0 && testing.Verbose() {
					b.Logf("missed: %q wants %s", form.want, a.Right)
				}
			}
		}
	}
	table := "| language | first | among 5 | among 5 of the wants found in English (goal ≥ .80) |\n| --- | --- | --- | --- |\n"
	for _, language := range slices.Sorted(maps.Keys(found)) {
		h, n := found[language], float64(len(asked))
		given := float64(h.given) / float64(max(1, known))
		table += fmt.Sprintf("| %s | %.2f | %.2f | %.2f |\n", language, float64(h.first)/n, float64(h.five)/n, given)
		b.ReportMetric(given, language+"-among-5")
	}
	b.Log("\n" + table)
}

// benchmarkWants asks for the tools of the tasks of LiveMCPBench with one or two
// short wants, which were written with only the tasks in sight.
func benchmarkWants(b *testing.B) {
	servers, _, _, _ := liveServers(b)
	known := make(map[string]bool)
	for _, tools := range servers {
		for _, tool := range tools {
			known[tool.Name] = true
		}
	}
	right := make(map[string][]string)
	for _, task := range liveTasks(b) {
		right[task.ID] = task.right(known)
	}
	tree := discoveryWorld(b, servers, nil)
	type wanted struct {
		Task  string
		Wants []string
	}
	asked := slices.DeleteFunc(findingData[wanted](b, "livemcp_wants.jsonl"), func(a wanted) bool { return len(right[a.Task]) == 0 })
	var each, together map[int]int // how many have a right tool among so many
	for b.Loop() {
		each, together = make(map[int]int), make(map[int]int)
		for _, a := range asked {
			q := quest{right: right[a.Task]}
			best, line := 1<<30, 1<<30 // ranks in one list, and in all lists taken by turns
			for i, want := range a.Wants {
				at := slices.IndexFunc(findIn(b, tree, want, "mcps", 10), func(m fs.Match) bool { return q.isRight(m.Path) })
				if at >= 0 {
					best, line = min(best, at), min(line, at*len(a.Wants)+i)
				}
			}
			for _, k := range []int{1, 5, 10} {
				if best < k {
					each[k]++
				}
				if line < k {
					together[k]++
				}
			}
		}
	}
	n := float64(len(asked))
	b.Logf("\n| %d tasks | 1 | 5 | 10 |\n| --- | --- | --- | --- |\n| in the list of a want | %.2f | %.2f | %.2f |\n| in both lists by turns | %.2f | %.2f | %.2f |\n| goal | ≥ .60 | ≥ .85 | ≥ .92 |\n",
		len(asked), float64(each[1])/n, float64(each[5])/n, float64(each[10])/n, float64(together[1])/n, float64(together[5])/n, float64(together[10])/n)
	for _, k := range []int{1, 5, 10} {
		b.ReportMetric(float64(each[k])/n, fmt.Sprint("among-", k))
	}
}
