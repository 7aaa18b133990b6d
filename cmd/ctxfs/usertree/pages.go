package usertree

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/prompt"
)

// ignoreFile keeps rg from finding anything twice: pages, indexes and diffs repeat
// what the files beside them say, as do summaries and lists of signatures, and the
// programs in bin and the log of calls the names of tools, and the log of an agent's run is
// that of its terminal. The first line lets rg search the mount even inside a home folder
// under git that ignores everything; the second keeps dot files hidden all the same. The
// files in find/ are other names of files that are found anyway; who searches there finds
// a session once, as in transcripts/.
//
//go:embed ignore.txt
var ignoreFile string

// agentsName is the name of the page for an agent's prompt.
const agentsName = "AGENTS.md"

// pages keeps the files in the tree's root current: AGENTS.md and STATUS.md are
// made from the status of the providers after each change that one reports, and
// before they are read. Only a command that reads the tree once makes AGENTS.md
// when it is read.
type pages struct {
	root *fs.Folder
	tree *Tree

	making         sync.Mutex
	status, agents page   // as last published
	facts          string // all that AGENTS.md could say, when it was made

	worker *rounds.Worker
}

// page is a text and when it changed.
type page struct {
	text []byte
	time time.Time
}

func newPages(root *fs.Folder, t *Tree) *pages {
	p := &pages{root: root, tree: t}
	p.worker = rounds.NewWorker(rounds.Options{Share: restFactor, Round: func(context.Context) { p.make() }})
	return p
}

// open fills the root, and renews its files until close is called.
func (p *pages) open() {
	nodes := map[string]fs.Node{
		".ignore": fs.NewText(p.tree.built, []byte(ignoreFile)),
		"find":    p.tree.providers.Finder().NewFolder(p.tree.built, p.tree.Resolve),
	}
	for _, provider := range p.tree.providers.All() {
		nodes[provider.Folder] = provider.Root()
	}
	p.root.Replace(p.tree.built, nodes)
	p.make()
	p.worker.Start()
}

// restFactor is how many times as long as making the pages took they are not made again, so
// that providers that report changes without end still take only a small part of one
// processor.
const restFactor = 4

// renew has the pages made again soon. It never blocks.
func (p *pages) renew() { p.worker.Poke() }

// make publishes STATUS.md and AGENTS.md if their texts have changed.
func (p *pages) make() {
	p.making.Lock()
	defer p.making.Unlock()
	all := p.tree.statuses()
	var latest time.Time
	for _, provider := range all {
		latest = wording.Later(latest, provider.Since)
		for _, i := range provider.Items {
			latest = wording.Later(latest, i.Since)
		}
	}
	if latest.IsZero() {
		latest = p.tree.built
	}
	p.publish("STATUS.md", &p.status, latest, statusPage(all))
	folders := foldersOf(all)
	facts := prompt.Unlimited(folders)
	if p.tree.opts.Offline {
		p.show(agentsName, latest, fs.NewRendered(latest, fs.BytesVersion([]byte(facts)), func(context.Context) ([]byte, error) {
			return []byte(prompt.Page(folders)), nil
		}))
	} else if facts != p.facts {
		p.facts = facts
		p.publish(agentsName, &p.agents, latest, []byte(prompt.Page(folders)))
	}
}

// publish shows a page if its text has changed; latest is the time of the newest fact.
func (p *pages) publish(name string, shown *page, latest time.Time, text []byte) {
	if bytes.Equal(text, shown.text) {
		return
	}
	if shown.text != nil && !latest.After(shown.time) {
		latest = time.Now() // something was removed, which has no time of its own
	}
	*shown = page{text, latest}
	p.show(name, latest, fs.NewText(latest, text))
}

// show publishes a file of the root.
func (p *pages) show(name string, t time.Time, file fs.Node) {
	p.root.Set(t, name, file)
	p.tree.Changed(name)
}

// statusPage returns the text of STATUS.md: the state, counts and times of each
// provider, and what to do about its problems.
func statusPage(all []ProviderStatus) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Status\n\nctxfs %s. The same, from a shell: ctxfs status\n", places.Version)
	for _, p := range all {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s", p.Name, p.State, p.Summary)
		if !p.Since.IsZero() {
			fmt.Fprintf(&b, ", since %s", wording.Time(p.Since))
		}
		b.WriteString("\n")
		if slices.ContainsFunc(p.Items, func(i fs.Item) bool { return i.State != "" }) {
			b.WriteString("\n")
			for _, i := range p.Items {
				fmt.Fprintf(&b, "- %s: %s", i.Name, cmp.Or(i.State, "ready"))
				if i.Count >= 0 {
					fmt.Fprintf(&b, ", %s", wording.Count(i.Count, i.Unit))
				}
				if !i.Since.IsZero() {
					fmt.Fprintf(&b, ", since %s", wording.Time(i.Since))
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
			fmt.Fprintf(b, "  fix: %s\n", p.Mend)
		}
	}
}
