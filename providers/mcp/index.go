package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
)

// summary is what the index and the provider's status say about a server.
type summary struct {
	file      string // the name of its folder
	condition instance.Condition
	about     string
	catalogue time.Time // zero where there is none
	tools     []catalogue.Item
	sections  [catalogue.NumFolders]catalogue.Section
	drifted   *fs.Problem // the problem of its pins, or nil
	questions []string    // those that are open, a line each
	clients   []string    // the ids of the agents that are configured to use it
	project   string      // the folder of the one project that it belongs to, or ""
}

// indexText returns the text of INDEX.md.
func indexText(servers []summary, problems []fs.Problem, places []string) []byte {
	var out strings.Builder
	total := 0
	for _, b := range servers {
		total += len(b.tools)
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
		for _, t := range b.tools {
			out.WriteString(b.file + "/" + t.File)
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

// signaturesText returns the text of SIGNATURES.md: what each tool and prompt of a
// server takes, and how that is called; nil if it has none. Server is the name of its
// folder.
func signaturesText(server string, shown *catalogue.Snapshot) []byte {
	if shown == nil {
		return nil
	}
	var out strings.Builder
	for _, f := range []catalogue.Folder{catalogue.ToolFolder, catalogue.PromptFolder} {
		items := shown.Sections[f].Items
		if len(items) == 0 {
			continue
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "# %s: what its tools take\n\nFirst what is needed; ? may be left out, [] is a list, {} an object; unmarked is text.\n", server)
		}
		word := wording.ShellWord(server)
		if f == catalogue.ToolFolder {
			fmt.Fprintf(&out, "\n## %s: ctxfs call %s TOOL --name value\n\n", wording.Count(len(items), "tools"), word)
		} else {
			fmt.Fprintf(&out, "\n## %s: ctxfs prompt-get %s PROMPT --arg name=value\n\n", wording.Count(len(items), "prompts"), word)
		}
		for i := range items {
			out.WriteString(items[i].Signature())
			if items[i].Summary != "" {
				out.WriteString(" — " + items[i].Summary)
			}
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}

// writeQuestions lists what servers ask and nobody has answered yet.
func writeQuestions(out *strings.Builder, servers []summary) {
	first := true
	for _, b := range servers {
		for _, q := range b.questions {
			if first {
				out.WriteString("\n## Questions that wait for an answer\n\n")
				first = false
			}
			fmt.Fprintf(out, "- %s\n", q)
		}
	}
}

// writeUnready lists the servers that are not ready.
func writeUnready(out *strings.Builder, servers []summary) {
	first := true
	for _, b := range servers {
		if b.condition.State == instance.StateReady {
			continue
		}
		if first {
			out.WriteString("\n## Servers that are not ready\n\n")
			first = false
		}
		fmt.Fprintf(out, "- %s: %s", b.file, b.condition.State)
		if b.condition.What != "" {
			fmt.Fprintf(out, ": %s", clean.Cut(clean.Line(b.condition.What), 240))
		}
		if !b.catalogue.IsZero() && b.condition.State != instance.StateDisabled {
			fmt.Fprintf(out, "; its tools are as of %s", wording.Time(b.catalogue))
		}
		fmt.Fprintf(out, "; see %s/STATUS.md\n", b.file)
	}
}

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	servers, problems := p.summaries()
	status := fs.Status{State: overall(servers, problems), Problems: slices.Clone(problems)}
	p.shown.mu.Lock()
	status.Since = p.shown.since
	p.shown.mu.Unlock()
	total, waiting := 0, 0
	for _, b := range servers {
		total, waiting = total+len(b.tools), waiting+len(b.questions)
		status.Items = append(status.Items, fs.Item{
			Name: b.file, State: b.condition.State, Count: len(b.tools), Unit: "tools", About: b.about, Since: b.condition.Since,
		})
		if b.condition.Failing() && !b.condition.Reported {
			status.Problems = append(status.Problems, fs.Problem{
				What: fmt.Sprintf("server %s (%s): %s", b.file, b.condition.State, b.condition.What),
				Mend: cmp.Or(b.condition.Fix, "ctxfs restart "+b.file),
			})
		}
		if b.drifted != nil {
			status.Problems = append(status.Problems, *b.drifted)
		}
	}
	status.Summary = wording.Count(len(servers), "servers") + ", " + wording.Count(total, "tools")
	if waiting > 0 {
		status.Summary += ", " + waitingText(waiting) + " for an answer: ctxfs answer"
	}
	return status
}

// overall returns the state of the provider in one word. A server that is still
// starting takes precedence over failures.
func overall(servers []summary, problems []fs.Problem) string {
	starting, failing := false, len(problems) > 0
	for _, b := range servers {
		starting = starting || instance.IsStarting(b.condition.State)
		failing = failing || b.condition.Failing() || b.drifted != nil
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
