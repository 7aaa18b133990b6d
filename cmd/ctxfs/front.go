package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
)

// ignoreFile keeps rg from finding a thing twice: INDEX and STATUS pages and
// differences repeat what the files beside them say, and the programs in bin
// the names of tools. The first line lets rg search the mount even inside a
// home folder under git that ignores everything; the second keeps dot files
// hidden all the same. What stands in find/ are other names of what is found
// anyway.
const ignoreFile = `!*
.*
INDEX.*
/STATUS.md
/find/
*.jsonl
*.cast
**/terminals/*/
**/mcps/*/bin/
**/mcps/*/calls/README.md
**/mcps/*/tools/*.diff
`

// born is the modification time of text that is as old as the program.
var born = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// frontPage keeps the files in the tree's root: AGENTS.md and STATUS.md are
// made of what the providers say of themselves, whenever one reports a change.
type frontPage struct {
	root  *fs.Folder
	world *world
	pages map[string]page // as last published; only make uses it

	wake chan struct{}
	end  context.CancelFunc
	done sync.WaitGroup
}

type page struct {
	body []byte
	time time.Time
}

func newFrontPage(root *fs.Folder, w *world) *frontPage {
	return &frontPage{root: root, world: w, pages: make(map[string]page), wake: make(chan struct{}, 1)}
}

// open fills the root and goes on renewing it until it is closed.
func (f *frontPage) open() {
	nodes := map[string]fs.Node{
		".ignore": fs.NewText(born, []byte(ignoreFile)),
		"find":    f.world.providers.FindFolder(born, f.world.tree.Resolve),
	}
	for _, p := range f.world.providers.All() {
		nodes[p.Folder] = p.Root()
	}
	f.root.Replace(born, nodes)
	f.make()
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	f.done.Go(func() {
		for {
			select {
			case <-f.wake:
				f.make()
			case <-ctx.Done():
				return
			}
		}
	})
}

func (f *frontPage) close() {
	f.end()
	f.done.Wait()
}

// renew has the pages made anew soon. It never blocks.
func (f *frontPage) renew() {
	select {
	case f.wake <- struct{}{}:
	default: // they will be, anyway
	}
}

// make publishes the pages whose text is another than before.
func (f *frontPage) make() {
	all := f.world.statuses()
	latest := born
	for _, p := range all {
		latest = later(latest, p.Since)
		for _, i := range p.Items {
			latest = later(latest, i.Since)
		}
	}
	for name, body := range map[string][]byte{
		"AGENTS.md": agentsPage(all),
		"STATUS.md": statusPage(all),
	} {
		old, known := f.pages[name]
		if known && bytes.Equal(old.body, body) {
			continue
		}
		t := latest
		if known && !t.After(old.time) {
			t = time.Now() // something has gone, which has no time of its own
		}
		f.pages[name] = page{body, t}
		f.root.Set(t, name, fs.NewText(t, body))
		f.world.tree.Changed(name)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// agentsPage is the text meant for the prompt: what is here and how to look.
func agentsPage(all []providerStatus) []byte {
	var b bytes.Buffer
	b.WriteString(`# Context for agents

The folder ~/.agentctx (or wherever this file lies) holds what a coding agent may
need, as files, kept current. Nothing in it can be changed, and reading costs
nothing: look with ls, rg, cat and jq before you ask or guess.

    ls ~/.agentctx/find/"what is to be done"    the best matches of everything here
    ctxfs find what is to be done               the same with paths and reasons
`)
	for _, p := range all {
		switch p.Name {
		case configuration:
			continue
		case "mcps":
			b.WriteString(`
## mcps/: MCP servers and their tools

    rg -il 'create.*issue' ~/.agentctx/mcps             which tools could do it
    jq . ~/.agentctx/mcps/<server>/tools/<tool>.json    description, arguments
    ~/.agentctx/mcps/<server>/bin/<tool> --flag value   call it; --help tells how

mcps/INDEX.md has a line per tool. mcps/<server>/STATUS.md begins with the state
and says what to do about it; INSTRUCTIONS.md, where there is one, is the server's
own. A server that is not ready keeps its last known tools. Arguments are checked
first; a long result is cut and its last line names the file that has all of it.

`)
		case "terminals":
			if p.State == "empty" {
				b.WriteString("\n## terminals/: none recorded yet\n")
				continue
			}
			// No states: the text is part of prompts, and should not change with
			// each command that somebody types.
			fmt.Fprintf(&b, `
## terminals/: what happened in the user's terminals

    tail -n 40 ~/.agentctx/terminals/<id>.txt    what a terminal showed last
    cat ~/.agentctx/terminals/<id>/failed.txt    output of the last command that failed

Look there before you ask for an error's text or start a server again.
terminals/INDEX.md has a line per terminal: where it is, what runs in it, the last
command and its exit code. terminals/<id>/commands.jsonl has a line per command.

Open now: %s.
`, cmp.Or(openTerminals(p.Items), "none"))
			continue
		case "skills":
			b.WriteString(`
## skills/: how to do things well

Before a task that a skill covers, read skills/<name>/SKILL.md. skills/INDEX.md
has a line per skill.

`)
		case "results":
			// No counts: the text is part of prompts, and should not change with
			// each call of a tool.
			b.WriteString(`
## results/: what was too long to hand over, whole

results/INDEX.tsv has a line per file, newest first. Look into one with rg, jq,
head or tail instead of reading all of it.
`)
			continue
		default:
			fmt.Fprintf(&b, "\n## %s/\n\n", p.Name)
		}
		fmt.Fprintf(&b, "%s\n", itemLine(p.Status))
	}
	b.WriteString("\nSTATUS.md says what is not well, and the command that mends it.\n")
	return b.Bytes()
}

// openTerminals names terminals.
func openTerminals(items []fs.Item) string {
	var names []string
	for _, i := range items {
		names = append(names, i.Name)
	}
	return strings.Join(names, ", ")
}

// itemLine names what a provider holds, the healthy without ado.
func itemLine(s fs.Status) string {
	if len(s.Items) == 0 {
		return "None yet."
	}
	var words []string
	for _, i := range s.Items {
		word := i.Name
		var more []string
		if i.State != "" && i.State != "ready" {
			more = append(more, i.State)
		}
		if i.Count >= 0 {
			more = append(more, pretty(i.Count, i.Unit))
		}
		if len(more) > 0 {
			word += " (" + strings.Join(more, ", ") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// statusPage tells every provider's state, counts and times, and what to do
// where one is not well.
func statusPage(all []providerStatus) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Status\n\nctxfs %s. The same, from a shell: ctxfs status\n", version)
	for _, p := range all {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s", p.Name, p.State, p.Summary)
		if !p.Since.IsZero() {
			fmt.Fprintf(&b, ", since %s", stamp(p.Since))
		}
		b.WriteString("\n")
		if slices.ContainsFunc(p.Items, func(i fs.Item) bool { return i.State != "" }) {
			b.WriteString("\n")
			for _, i := range p.Items {
				fmt.Fprintf(&b, "- %s: %s", i.Name, cmp.Or(i.State, "ready"))
				if i.Count >= 0 {
					fmt.Fprintf(&b, ", %s", pretty(i.Count, i.Unit))
				}
				if !i.Since.IsZero() {
					fmt.Fprintf(&b, ", since %s", stamp(i.Since))
				}
				b.WriteString("\n")
			}
		}
		if len(p.Problems) > 0 {
			b.WriteString("\n")
			writeProblems(&b, p.Problems)
		}
	}
	return b.Bytes()
}

func writeProblems(b *bytes.Buffer, problems []fs.Problem) {
	for _, p := range problems {
		fmt.Fprintf(b, "- problem: %s\n", p.What)
		if p.Mend != "" {
			fmt.Fprintf(b, "  mend: %s\n", p.Mend)
		}
	}
}
