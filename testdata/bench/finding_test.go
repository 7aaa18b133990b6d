package bench

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
	"testing"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/facts"
)

// question is a line of questions.jsonl.
type question struct {
	Want, Kind string
	// Right names the things of that kind that answer it: server/name, or the name that the
	// thing has in finding/world.
	Right []string
	// Project is where the asker stands, if that matters.
	Project string
	// Says is what the match must show besides being in the right place: a piece of the
	// command or of its output.
	Says string
}

// kinds are the kinds of questions, each with the folder of its answers.
var kinds = []struct{ name, folder string }{
	{"tool", "mcps"}, {"prompt", "mcps"}, {"resource", "mcps"}, {"status", "mcps"}, {"skill", "skills"},
	{"session", "transcripts"}, {"result", "results"}, {"terminal", "terminals"},
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

// sealed is the variable with which the sealed questions are asked instead of the open ones;
// then no misses are printed.
const sealed = "CTXFS_TEST_SEALED"

// questions are the open ones, or the sealed ones, which are not to be read before the
// ranking is done: two lines that say so and, after an empty one, base64 of gzip.
func questions(tb testing.TB) []question {
	tb.Helper()
	if os.Getenv(sealed) == "" {
		text, err := os.ReadFile("finding/questions.jsonl")
		must(tb, err)
		return jsonLines[question](tb, text)
	}
	text, err := os.ReadFile("finding/questions.sealed")
	must(tb, err)
	_, packed, _ := strings.Cut(string(text), "\n\n")
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	must(tb, err)
	plain, err := io.ReadAll(z)
	must(tb, err)
	return jsonLines[question](tb, plain)
}

// isRight reports whether a match is of a thing that answers a question: its file or folder,
// or something in that.
func (w *world) isRight(q question, m facts.Match) bool {
	return slices.ContainsFunc(q.Right, func(right string) bool {
		server, name, _ := strings.Cut(right, "/")
		place := q.Kind + "s/" + right
		switch q.Kind {
		case "status":
			return m.Path == "mcps/"+right || m.Path == "mcps/"+right+"/STATUS.md"
		case "session":
			id := w.sessions[right]
			if id == "" {
				w.Fatalf("no session is called %s", right)
			}
			return strings.HasPrefix(m.Path, "transcripts/") && strings.Contains(m.Path, "_"+id[:8])
		case "result":
			place = w.results[right]
		case "tool", "prompt", "resource":
			place = "mcps/" + server + "/" + q.Kind + "s/" + name
		}
		rest, ok := strings.CutPrefix(m.Path, place)
		return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
	})
}

func (w *world) find(q usertree.FindQuery) []facts.Match {
	w.Helper()
	q.Limit = 5
	matches, err := usertree.OpFind.Ask(w.Context(), w.shown.Operations(), q)
	must(w, err)
	return matches
}

// tally counts the questions that were answered: first, among five, with the words that were
// asked for, and so on below the folder of the kind.
type tally struct{ asked, first, five, saying, kind, firstIn, fiveIn float64 }

func (s tally) row(name string) string {
	n := max(1, s.asked)
	return fmt.Sprintf("| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, s.asked, s.first/n, s.five/n, s.kind/n, s.firstIn/n, s.fiveIn/n)
}

// ask asks one question, everywhere and in the folder of its kind.
func (w *world) ask(q question, folder string, into ...*tally) {
	w.Helper()
	right := func(m facts.Match) bool { return w.isRight(q, m) }
	asked := usertree.FindQuery{Query: q.Want}
	if q.Project != "" {
		asked.Caller = fs.StandpointAt(w.project(q.Project))
	}
	everywhere := w.find(asked)
	asked.In = folder
	within := w.find(asked)
	at := slices.IndexFunc(everywhere, right)
	add := func(n *float64, holds bool) {
		if holds {
			*n++
		}
	}
	for _, s := range into {
		s.asked++
		add(&s.first, at == 0)
		add(&s.five, at >= 0)
		add(&s.saying, slices.ContainsFunc(everywhere, func(m facts.Match) bool {
			return right(m) && strings.Contains(strings.ToLower(m.Title+" "+m.Why), strings.ToLower(q.Says))
		}))
		add(&s.kind, slices.ContainsFunc(everywhere, func(m facts.Match) bool { return strings.HasPrefix(m.Path, folder+"/") }))
		add(&s.firstIn, len(within) > 0 && right(within[0]))
		add(&s.fiveIn, slices.ContainsFunc(within, right))
	}
	if at < 0 && os.Getenv(sealed) == "" {
		w.Logf("missed: %q wants %s %s", q.Want, q.Kind, q.Right)
	}
}

// BenchmarkFinding prints the tables of BENCHMARKS.md on finding one thing among all kinds of
// things, and tools in two languages.
func BenchmarkFinding(b *testing.B) {
	w := newWorld(b)
	all := questions(b)
	for b.Loop() {
		var total tally
		table := "| kind | questions | first | among 5 | kind among 5 | first --in | among 5 --in |\n| --- | --- | --- | --- | --- | --- | --- |\n"
		for _, k := range kinds {
			var of tally
			for _, q := range all {
				if q.Kind == k.name {
					w.ask(q, k.folder, &of, &total)
				}
			}
			table += of.row(k.name)
			if k.name == "terminal" {
				table += fmt.Sprintf("| terminal, with the line | %.0f | | %.2f | | | |\n", of.asked, of.saying/max(1, of.asked))
			}
		}
		b.Log("\n" + table + total.row("all") + "| goal | | ≥ .60 | ≥ .85 | | ≤ first + .05 | ≤ among 5 + .05 |\n" + w.languages())
		b.ReportMetric(total.first/total.asked, "first")
		b.ReportMetric(total.five/total.asked, "among-5")
	}
}

// languages asks for tools in English and in Chinese.
func (w *world) languages() string {
	text, err := os.ReadFile("finding/languages.jsonl")
	must(w, err)
	asked := jsonLines[map[string]any](w, text)
	type hits struct{ first, five, given float64 }
	found := map[string]*hits{"en": {}, "zh": {}}
	for _, a := range asked {
		var right []string
		for _, r := range a["right"].([]any) {
			right = append(right, r.(string))
		}
		at := func(language string) int {
			return slices.IndexFunc(w.find(usertree.FindQuery{Query: a[language].(string), In: "mcps"}), func(m facts.Match) bool {
				server, _, _ := strings.Cut(strings.TrimPrefix(m.Path, "mcps/"), "/")
				return slices.Contains(right, server+"/"+strings.TrimSuffix(path.Base(m.Path), ".json"))
			})
		}
		english := at("en")
		for language, h := range found {
			n := at(language)
			if n == 0 {
				h.first++
			}
			if n >= 0 {
				h.five++
			}
			if n >= 0 && english >= 0 {
				h.given++
			}
		}
	}
	table := "\n| language | first | among 5 | among 5 of the wants found in English (goal ≥ .80) |\n| --- | --- | --- | --- |\n"
	for _, language := range slices.Sorted(maps.Keys(found)) {
		h, n := found[language], float64(len(asked))
		table += fmt.Sprintf("| %s | %.2f | %.2f | %.2f |\n", language, h.first/n, h.five/n, h.given/max(1, found["en"].five))
	}
	return table
}
