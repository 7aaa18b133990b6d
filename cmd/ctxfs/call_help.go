package main

import (
	"fmt"
	"strings"

	"ctxfs/providers/mcp"
)

// callHelp is what --help prints of a tool: what it does, its arguments as
// flags, and the options of the command.
func callHelp(l *callLine, tool mcp.ToolInfo) []byte {
	var out strings.Builder
	if tool.Description != "" {
		out.WriteString(strings.TrimSpace(tool.Description) + "\n\n")
	}
	name := "ctxfs call " + tool.Server + " " + tool.File
	if l.via == "bin" {
		name = tool.File
	}
	fmt.Fprintf(&out, "Usage:\n  %s [ARGUMENTS]\n  %s '{JSON}' | @FILE | -\n", name, name)
	if help := tool.Schema.Help(); help != "" {
		out.WriteString("\n" + line(help))
	} else {
		out.WriteString("\nIt takes no arguments.\n")
	}
	out.WriteString("\nA value of @FILE is the text of a file, @@x is the text @x.\n\nOptions of ctxfs:\n")
	for _, o := range ownOptions {
		if tool.Schema.Has(o.name) {
			continue // it is the tool's
		}
		fmt.Fprintf(&out, "  %-22s %s\n", strings.TrimSpace("--"+o.name+" "+o.value), o.about)
	}
	return []byte(out.String())
}
