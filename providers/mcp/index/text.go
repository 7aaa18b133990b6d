package index

import (
	"fmt"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
)

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

// waitingText returns how many questions wait, as a part of a sentence, or "".
func waitingText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 question waits"
	}
	return wording.Count(n, "questions") + " wait"
}
