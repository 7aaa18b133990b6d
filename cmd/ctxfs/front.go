package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/prompt"
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

// agentsName is the page that is meant for the prompt of an agent.
const agentsName = "AGENTS.md"

// frontPage keeps the files in the tree's root: AGENTS.md and STATUS.md are
// made of what the providers say of themselves, whenever one reports a change
// and before anybody reads them. Only in a command that reads the tree once, and
// ends, AGENTS.md is made for the one who asks for it.
type frontPage struct {
	root  *fs.Folder
	world *world

	making sync.Mutex
	status page          // as last published
	agents *prompt.Maker // nil in a command that only reads

	wake chan struct{}
	end  context.CancelFunc
	done sync.WaitGroup
}

// page is a text and when it changed.
type page struct {
	text []byte
	time time.Time
}

func newFrontPage(root *fs.Folder, w *world) *frontPage {
	return &frontPage{root: root, world: w, wake: make(chan struct{}, 1)}
}

// open fills the root and goes on renewing it until it is closed.
func (f *frontPage) open() {
	nodes := map[string]fs.Node{
		".ignore": fs.NewText(f.world.built, []byte(ignoreFile)),
		"find":    f.world.providers.Finder().NewFolder(f.world.built, f.world.tree.Resolve),
	}
	for _, p := range f.world.providers.All() {
		nodes[p.Folder] = p.Root()
	}
	f.root.Replace(f.world.built, nodes)
	if count := f.world.count; count != nil {
		f.agents = prompt.NewMaker(prompt.MakerOptions{
			Count: count, Cache: f.world.pages, Now: time.Now, Log: f.world.log,
			Show: func(t time.Time, text []byte) { f.show(agentsName, t, fs.NewText(t, text)) },
		})
	}
	f.make()
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	f.done.Go(func() {
		for {
			select {
			case <-f.wake:
				begun := time.Now()
				f.make()
				if took := time.Since(begun); took > restFrom {
					rest := time.NewTimer(restFactor * took)
					select {
					case <-rest.C:
					case <-ctx.Done():
					}
					rest.Stop()
				}
			case <-ctx.Done():
				return
			}
		}
	})
}

func (f *frontPage) close() {
	f.end()
	f.done.Wait()
	if f.agents != nil {
		f.agents.Close()
	}
}

// restFactor is how much longer than the making of the pages the rest after it
// is, where that took longer than restFrom: where there is a lot to ask and news
// without end, it takes a small part of one processor all the same.
const (
	restFactor = 4
	restFrom   = 20 * time.Millisecond
)

// renew has the pages made anew soon. It never blocks.
func (f *frontPage) renew() {
	select {
	case f.wake <- struct{}{}:
	default: // they will be, anyway
	}
}

// make publishes STATUS.md if its text is another than before, and has AGENTS.md
// made anew if its facts are.
func (f *frontPage) make() {
	f.making.Lock()
	defer f.making.Unlock()
	all := f.world.statuses()
	var latest time.Time
	for _, p := range all {
		latest = later(latest, p.Since)
		for _, i := range p.Items {
			latest = later(latest, i.Since)
		}
	}
	if latest.IsZero() {
		latest = f.world.built
	}
	if text := statusPage(all); !bytes.Equal(text, f.status.text) {
		t := latest
		if f.status.text != nil && !t.After(f.status.time) {
			t = time.Now() // something has gone, which has no time of its own
		}
		f.status = page{text, t}
		f.show("STATUS.md", t, fs.NewText(t, text))
	}
	folders := promptFolders(all, nil)
	if f.agents != nil {
		f.agents.Make(folders, latest)
		return
	}
	f.show(agentsName, latest, fs.NewRendered(latest, fs.BytesVersion([]byte(prompt.Names(folders))), func(context.Context) ([]byte, error) {
		return []byte(prompt.Page(folders)), nil
	}))
}

// show publishes a file of the root.
func (f *frontPage) show(name string, t time.Time, file fs.Node) {
	f.root.Set(t, name, file)
	f.world.tree.Changed(name)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// statusPage tells every provider's state, counts and times, and what to do
// where one is not well.
func statusPage(all []providerStatus) []byte {
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
			fmt.Fprintf(b, "  mend: %s\n", p.Mend)
		}
	}
}
