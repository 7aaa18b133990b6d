// Package index is the folder mcps: the folders of all servers, INDEX.md, and the log of
// calls.
package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
)

const indexName = "INDEX.md"

// Options are the settings of an index.
type Options struct {
	Env   fs.Env
	Calls *calls.Log
	// Places are the files in which servers are looked for, as they are shown.
	Places []string
	// Summaries returns what is shown of all servers, and the problems of their
	// configuration.
	Summaries func() ([]server.Summary, []fs.Problem)
}

// Index is the folder mcps. It is safe for concurrent use.
type Index struct {
	o    Options
	root fs.Folder

	mu      sync.Mutex // orders publications
	folders map[string]fs.Node
	text    []byte
	index   fs.Node // of text
	state   string
	since   time.Time // of state
}

// New returns an index that shows nothing before Publish.
func New(o Options) *Index { return &Index{o: o} }

// Root implements fs.Provider.
func (x *Index) Root() fs.Dir { return &x.root }

// Publish updates the folders of all servers and the index, and notifies of the folders
// that were added, removed or replaced.
func (x *Index) Publish() {
	servers, _ := x.o.Summaries()
	folders := make(map[string]fs.Node)
	for _, b := range servers {
		folders[b.File] = b.Node
	}
	x.mu.Lock()
	before := x.folders
	first := before == nil
	var changed []string
	for name, n := range folders {
		if before[name] != n {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if folders[name] == nil {
			changed = append(changed, name)
		}
	}
	x.folders = folders
	if first || len(changed) > 0 {
		nodes := maps.Clone(folders)
		maps.Copy(nodes, x.o.Calls.Tables())
		t := x.o.Env.Now()
		if first {
			t = x.factTime(servers)
		}
		if x.index != nil {
			nodes[indexName] = x.index
		}
		x.root.Replace(t, nodes)
	}
	x.mu.Unlock()
	if !first {
		slices.Sort(changed)
		for _, name := range changed {
			x.o.Env.Changed(name)
		}
	}
	x.Update()
}

// Update updates the index if its text has changed.
func (x *Index) Update() {
	if x.updateText() {
		x.o.Env.Changed(indexName)
	}
}

// PublishCalls notifies of a call that was logged, and shows what of the log is new.
func (x *Index) PublishCalls() {
	x.mu.Lock()
	for name, table := range x.o.Calls.Tables() {
		if shown, _ := x.root.Lookup(context.Background(), name); shown != table {
			x.root.Set(x.o.Env.Now(), name, table)
			x.o.Env.Changed(name)
		}
	}
	x.mu.Unlock()
	x.o.Env.Changed(calls.TableName)
}

func (x *Index) updateText() (changed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.folders == nil {
		return false // the folders have not been published yet
	}
	servers, problems := x.o.Summaries()
	first := x.text == nil
	t := x.o.Env.Now()
	if first {
		t = x.factTime(servers)
	}
	if state := overall(servers, problems); state != x.state {
		x.state, x.since = state, t
	}
	text := indexText(servers, problems, x.o.Places)
	if bytes.Equal(text, x.text) {
		return false
	}
	x.text, x.index = text, fs.NewText(t, text)
	x.root.Set(t, indexName, x.index)
	return !first
}

// factTime returns the time of the newest fact that is known at the start, so that
// what is shown then has the same time after a restart.
func (x *Index) factTime(servers []server.Summary) time.Time {
	var newest time.Time
	for _, b := range servers {
		newest = wording.Later(newest, wording.Later(b.Condition.Since, b.Catalogue))
	}
	return cmp.Or(newest, x.o.Env.Now())
}

// Status implements fs.Provider.
func (x *Index) Status() fs.Status {
	servers, problems := x.o.Summaries()
	status := fs.Status{State: overall(servers, problems), Problems: slices.Clone(problems)}
	x.mu.Lock()
	status.Since = x.since
	x.mu.Unlock()
	total, waiting := 0, 0
	for _, b := range servers {
		total, waiting = total+len(b.Tools), waiting+len(b.Questions)
		status.Items = append(status.Items, fs.Item{
			Name: b.File, State: b.Condition.State, Count: len(b.Tools), Unit: "tools", About: b.About, Since: b.Condition.Since,
		})
		if b.Condition.Failing() && !b.Condition.Reported {
			status.Problems = append(status.Problems, fs.Problem{
				What: fmt.Sprintf("server %s (%s): %s", b.File, b.Condition.State, b.Condition.What),
				Mend: cmp.Or(b.Condition.Fix, "ctxfs restart "+b.File),
			})
		}
		if b.Drifted != nil {
			status.Problems = append(status.Problems, *b.Drifted)
		}
	}
	status.Summary = wording.Count(len(servers), "servers") + ", " + wording.Count(total, "tools")
	if waiting > 0 {
		status.Summary += ", " + waitingText(waiting) + " for an answer: ctxfs answer"
	}
	return status
}

// indexText returns the text of INDEX.md.
func indexText(servers []server.Summary, problems []fs.Problem, places []string) []byte {
	var out strings.Builder
	total := 0
	for _, b := range servers {
		total += len(b.Tools)
	}
	if len(servers) == 0 {
		out.WriteString("# MCP tools: no server is configured\n\n")
		out.WriteString("ctxfs looks for servers in these files:\n\n")
		for _, p := range places {
			fmt.Fprintf(&out, "- %s\n", clean.Line(p))
		}
		fmt.Fprintf(&out, "\nTo add one, configure it in one of these programs, or write into %s:\n\n", clean.Line(places[0]))
		out.WriteString("    [mcp.servers.NAME]\n    command = \"PROGRAM\"\n    args = [\"ARGUMENT\"]\n")
	} else {
		fmt.Fprintf(&out, "# MCP tools: %s of %s; schema of each in <server>/tools/<tool>.json\n\n",
			wording.Count(total, "tools"), wording.Count(len(servers), "servers"))
	}
	for _, b := range servers {
		for _, t := range b.Tools {
			out.WriteString(b.File + "/" + t.File)
			if t.Summary != "" {
				out.WriteString(" — " + t.Summary)
			}
			out.WriteByte('\n')
		}
	}
	writeQuestions(&out, servers)
	writeUnready(&out, servers)
	if len(problems) > 0 {
		out.WriteString("\n## Problems\n\n")
		for _, p := range problems {
			fmt.Fprintf(&out, "- %s; to fix it: %s\n", clean.Line(p.What), clean.Line(p.Mend))
		}
	}
	return []byte(out.String())
}

// writeQuestions lists the open questions of servers.
func writeQuestions(out *strings.Builder, servers []server.Summary) {
	first := true
	for _, b := range servers {
		for _, q := range b.Questions {
			if first {
				out.WriteString("\n## Questions that wait for an answer\n\n")
				first = false
			}
			fmt.Fprintf(out, "- %s\n", q)
		}
	}
}

// writeUnready lists the servers that are not ready.
func writeUnready(out *strings.Builder, servers []server.Summary) {
	first := true
	for _, b := range servers {
		if b.Condition.State == instance.StateReady {
			continue
		}
		if first {
			out.WriteString("\n## Servers that are not ready\n\n")
			first = false
		}
		fmt.Fprintf(out, "- %s: %s", b.File, b.Condition.State)
		if b.Condition.What != "" {
			fmt.Fprintf(out, ": %s", clean.Cut(clean.Line(b.Condition.What), 240))
		}
		if !b.Catalogue.IsZero() && b.Condition.State != instance.StateDisabled {
			fmt.Fprintf(out, "; its tools are as of %s", wording.Time(b.Catalogue))
		}
		fmt.Fprintf(out, "; see %s/STATUS.md\n", b.File)
	}
}

// overall returns the state of the provider in one word. A server that is still
// starting takes precedence over failures.
func overall(servers []server.Summary, problems []fs.Problem) string {
	starting, failing := false, len(problems) > 0
	for _, b := range servers {
		starting = starting || instance.IsStarting(b.Condition.State)
		failing = failing || b.Condition.Failing() || b.Drifted != nil
	}
	switch {
	case starting:
		return instance.StateStarting
	case failing:
		return "degraded"
	case len(servers) == 0:
		return "empty"
	}
	return "ready"
}

// waitingText returns how many questions wait, as a part of a sentence.
func waitingText(n int) string {
	if n == 1 {
		return "1 question waits"
	}
	return wording.Count(n, "questions") + " wait"
}
