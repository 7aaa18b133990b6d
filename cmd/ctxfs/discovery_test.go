package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
	"ctxfs/providers/prompt"
)

// shellAgent is a scripted agent with nothing but a shell. It has read the
// prompt, knows the words of what it has to do, and pays for every command that
// it writes and for every byte that it reads. It knows nothing of the answer:
// whether a tool is the right one it is told only of one that it has before it,
// as whoever reads a description can tell.
type shellAgent struct {
	testing.TB
	source *usertree.Tree
	in     string // where it looks: mcps or skills
	right  func(path string) bool

	tokens, steps int
	seen          map[string]bool
	found         bool
}

// pays for a command and what it prints: one step.
func (a *shellAgent) pays(command, printed string) {
	a.tokens += prompt.Tokens(command) + prompt.Tokens(printed)
	a.steps++
}

// lists is ctxfs find; listed is what it prints.
func (a *shellAgent) lists(words string, n int) (matches []fs.Match, listed string) {
	a.Helper()
	matches, err := usertree.OpFind.Ask(context.Background(), a.source.Operations(), usertree.FindQuery{Query: words, In: a.in, Limit: n})
	must(a, err)
	listed = find.List([]find.Answer{{Want: words, Matches: matches}}, true)
	command := fmt.Sprintf("ctxfs find --in %s %q", a.in, words)
	if a.in == "" {
		command = fmt.Sprintf("ctxfs find %q", words)
	}
	if n != usualMatches {
		command += fmt.Sprint(" -n ", n)
	}
	a.pays(command, listed)
	return matches, listed
}

// usualMatches is how many matches ctxfs find lists unless it is told otherwise.
const usualMatches = 10

// reads reads what was found: one step, however many files.
func (a *shellAgent) reads(paths ...string) {
	a.Helper()
	command, printed := "cd ~/.agentctx; cat", ""
	for _, p := range paths {
		command += " " + p
		printed += a.cat(p)
		a.judges(p)
	}
	a.pays(command, printed)
}

// judges looks at something whole, and uses it if it is right.
func (a *shellAgent) judges(p string) {
	a.seen[p] = true
	if a.found || !a.right(p) {
		return
	}
	a.found = true
	if server, tool, ok := strings.Cut(strings.TrimPrefix(p, "mcps/"), "/tools/"); ok {
		a.calls("ctxfs call " + server + " " + strings.TrimSuffix(tool, ".json"))
	}
}

// calls pays for a call, but for its arguments.
func (a *shellAgent) calls(command string) { a.tokens += prompt.Tokens(command) }

// callsListed calls the right tool straight from a list, and reports whether the list
// says all that it takes: its signature, without an object that is needed and whose
// members are left out.
func (a *shellAgent) callsListed(m fs.Match, listed string) bool {
	needed, _, _ := strings.Cut(m.Signature, "?")
	if m.Signature == "" || !strings.Contains("\n"+listed, "\n"+m.Signature) || strings.Contains(needed, "{}") || strings.Contains(needed, "…") {
		return false
	}
	a.found = true
	a.calls(m.Use)
	return true
}

func (a *shellAgent) cat(p string) string {
	a.Helper()
	var out bytes.Buffer
	_, err := usertree.OpRead.Ask(context.Background(), a.source.Operations(), usertree.PathQuery{Path: p}, nil, &out)
	must(a, err)
	return out.String()
}

// readsFound reads some of the best matches whole, through the folder find/.
func (a *shellAgent) readsFound(words string, first, last int) {
	a.Helper()
	ctx, tree := context.Background(), a.source
	words = name(words)
	folder, glob := path.Join("find", a.in, words), fmt.Sprintf("0[%d-%d]*", first, last)
	file := ""
	switch a.in {
	case "skills":
		file = "/SKILL.md"
	case "transcripts":
		glob += ".md"
	}
	command := fmt.Sprintf("cat ~/.agentctx/%s/%q/%s%s", path.Join("find", a.in), words, glob, file)
	matches, err := usertree.OpFind.Ask(ctx, tree.Operations(), usertree.FindQuery{Query: words, In: a.in, Limit: usualMatches})
	must(a, err)
	if len(matches) < first {
		a.pays(command, "cat: no such file or directory")
		return
	}
	node, err := tree.Resolve(ctx, folder)
	must(a, err)
	listed, err := tree.List(ctx, node.(fs.Dir))
	must(a, err)
	printed := ""
	for _, e := range listed {
		if ok, _ := path.Match(glob, e.Name); ok {
			printed += a.cat(folder + "/" + e.Name + file)
			rank := int(e.Name[1] - '0')
			a.judges(a.file(matches[rank-1].Path))
		}
	}
	a.pays(command, printed)
}

// name is a query as a folder is named.
func name(words string) string {
	words = strings.Join(strings.Fields(strings.NewReplacer("/", " ", "\x00", " ").Replace(words)), " ")
	for len(words) > 200 {
		words = words[:strings.LastIndexByte(words[:len(words)-1], ' ')]
	}
	return words
}

// otherWords are those that it tries next: the six longest of the first, which
// leaves out most that every sentence has.
func otherWords(words string) string {
	all := strings.Fields(words)
	long := slices.Clone(all)
	slices.SortStableFunc(long, func(a, b string) int { return len(b) - len(a) })
	long = long[:min(6, len(long))]
	return strings.Join(slices.DeleteFunc(all, func(w string) bool { return !slices.Contains(long, w) }), " ")
}

// choosing reads the list and uses the one whose line says that it does what is
// wanted: at once if the line says what it takes, and else after it has read its file.
// Where no line does it asks for a longer list, then tries other words, and gives up
// after that.
func choosing(a *shellAgent, words string) {
	if !a.chooses(words, usualMatches) {
		a.searchesOn(words)
	}
}

func (a *shellAgent) searchesOn(words string) {
	if !a.chooses(words, 30) {
		a.chooses(otherWords(words), 15)
	}
}

func (a *shellAgent) chooses(words string, n int) bool {
	matches, listed := a.lists(words, n)
	for _, m := range matches {
		if a.right(m.Path) {
			if !a.callsListed(m, listed) {
				a.reads(a.file(m.Path))
			}
			return true
		}
	}
	return false
}

// inOrder reads what is listed one after the other, three of each list, as if
// lines told nothing.
func inOrder(a *shellAgent, words string) {
	for _, query := range []string{words, otherWords(words)} {
		opened := 0
		matches, _ := a.lists(query, 5)
		for _, m := range matches {
			if p := a.file(m.Path); !a.seen[p] && opened < 3 && !a.found {
				a.reads(p)
				opened++
			}
		}
		if a.found {
			return
		}
	}
}

// atOnce reads the first three whole in one command, and goes on with lists
// where none of them is right.
func atOnce(a *shellAgent, words string) {
	if a.readsFound(words, 1, 3); !a.found {
		a.searchesOn(words)
	}
}

func (a *shellAgent) file(match string) string {
	if a.in == "skills" && !strings.HasSuffix(match, ".md") {
		return match + "/SKILL.md"
	}
	return match
}

// quest is what is to be done and the names of the tools or skills for it, of tools also
// as server/tool.
type quest struct {
	words string
	right []string
}

// isRight reports whether a path in the tree is that of a right one, whose server may be
// said.
func (q quest) isRight(p string) bool {
	p = strings.TrimSuffix(strings.TrimSuffix(p, "/SKILL.md"), ".json")
	name := path.Base(p)
	return slices.Contains(q.right, name) || slices.Contains(q.right, path.Base(path.Dir(path.Dir(p)))+"/"+name)
}

// discovery are the quests of one set, and what the static way costs.
type discovery struct {
	name   string
	in     string
	source *usertree.Tree
	static string // all definitions, or all lines on skills
	quests []quest
}

// BenchmarkDiscovery prints the tables of BENCHMARKS.md on what an agent pays to
// find and read the right tool or skill.
func BenchmarkDiscovery(b *testing.B) {
	sets := discoveries(b)
	for _, d := range sets {
		page := new(bytes.Buffer)
		_, err := usertree.OpRead.Ask(context.Background(), d.source.Operations(), usertree.PathQuery{Path: "AGENTS.md"}, nil, page)
		must(b, err)
		fixed, static := prompt.Tokens(page.String()), prompt.Tokens(d.static)
		for _, way := range []struct {
			name string
			walk func(*shellAgent, string)
		}{{"choosing", choosing}, {"in-order", inOrder}, {"at-once", atOnce}} {
			b.Run(d.name+"/"+way.name, func(b *testing.B) {
				var all []int
				steps, found, atOnce := 0, 0, 0
				for b.Loop() {
					all, steps, found, atOnce = nil, 0, 0, 0
					for _, q := range d.quests {
						a := &shellAgent{TB: b, source: d.source, in: d.in, right: q.isRight, seen: make(map[string]bool)}
						way.walk(a, q.words)
						all = append(all, fixed+a.tokens)
						steps += a.steps
						if a.found {
							found++
						}
						if a.found && a.steps == 1 {
							atOnce++
						}
					}
				}
				sum := 0
				for _, n := range all {
					sum += n
				}
				slices.Sort(all)
				n := len(d.quests)
				b.ReportMetric(float64(static), "static-tokens")
				b.ReportMetric(float64(fixed), "prompt-tokens")
				b.ReportMetric(float64(sum)/float64(n), "tokens")
				b.ReportMetric(float64(all[n*95/100]), "tokens-p95")
				b.ReportMetric(100*float64(sum)/float64(n)/float64(static), "%-of-static")
				b.ReportMetric(100*float64(found)/float64(n), "%-found")
				b.ReportMetric(float64(steps)/float64(n), "steps")
				b.ReportMetric(100*float64(atOnce)/float64(n), "%-in-one-step")
				b.ReportMetric(float64(n), "quests")
			})
		}
	}
}

// TestShellAgent: what the scripted agent pays, on a small world.
func TestShellAgent(t *testing.T) {
	fstest.OptIn(t, "measure")
	tool := func(name, description string) definition {
		return definition{name, description, json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}}}`)}
	}
	world := discoveryWorld(t, map[string][]definition{
		"tracker": {tool("create_issue", "Opens a new issue."), tool("close_issue", "Closes an issue."), tool("list_labels", "Lists all labels.")},
	}, nil)
	for _, c := range []struct {
		walk         func(*shellAgent, string)
		words, right string
		steps        int
		found        bool
	}{
		{choosing, "open a new issue", "create_issue", 1, true},
		{inOrder, "open a new issue", "create_issue", 2, true},
		{atOnce, "open a new issue", "create_issue", 1, true},
		{choosing, "open a new issue", "paint", 3, false},
		{atOnce, "open a new issue", "paint", 3, false},
	} {
		q := quest{c.words, []string{c.right}}
		a := &shellAgent{TB: t, source: world, in: "mcps", right: q.isRight, seen: make(map[string]bool)}
		c.walk(a, c.words)
		if a.steps != c.steps || a.found != c.found || a.tokens < 30 || a.tokens > 600 {
			t.Errorf("%q for %s: %d steps, found %v, %d tokens", c.words, c.right, a.steps, a.found, a.tokens)
		}
	}
}
