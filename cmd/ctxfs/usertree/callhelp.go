package usertree

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/providers/mcp/fleet"
)

// callHelp returns what --help prints about a tool: its description, its arguments
// as flags, and the options of the command.
func callHelp(l *callLine, tool fleet.ToolInfo) []byte {
	var out strings.Builder
	if tool.Description != "" {
		out.WriteString(wrap(strings.TrimSpace(tool.Description)) + "\n\n")
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
	out.WriteString("\nA value of @FILE is the text of a file, - that of standard input, @@x is the text @x.\n")
	var shared []string
	header := "\nOptions of ctxfs:\n"
	for _, o := range call.Options() {
		if o.Alone {
			continue
		}
		if tool.Schema.Has(o.Name) {
			shared = append(shared, "--"+o.Name)
			continue // it is the tool's
		}
		fmt.Fprintf(&out, "%s  %-22s %s\n", header, strings.TrimSpace("--"+o.Name+" "+o.Value), o.About)
		header = ""
	}
	if len(shared) > 0 {
		out.WriteString("\n" + wrap(sharedText(shared, tool)) + "\n")
	}
	return []byte(out.String())
}

// sharedText explains the options of ctxfs that have the same names as arguments of
// the tool.
func sharedText(shared []string, tool fleet.ToolInfo) string {
	const help = "--help"
	var text []string
	if others := slices.DeleteFunc(slices.Clone(shared), func(name string) bool { return name == help }); len(others) > 0 {
		text = append(text, fmt.Sprintf("After the tool, %s is its own argument; the option of ctxfs goes before it: ctxfs call %s %s %s.",
			strings.Join(others, ", "), others[0], tool.Server, tool.File))
	}
	if slices.Contains(shared, help) {
		text = append(text, "--help alone shows this text; with a value (--help=x), or beside other arguments, it is the tool's own.")
	}
	return strings.Join(text, "\n")
}

// helpWidth is the width of help in characters.
const helpWidth = 80

// wrap breaks long lines between words.
func wrap(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		width := 0
		for i, word := range strings.SplitAfter(line, " ") {
			length := utf8.RuneCountInString(strings.TrimRight(word, " \n"))
			if i > 0 && width+length > helpWidth {
				out.WriteByte('\n')
				width = 0
			}
			out.WriteString(word)
			width += utf8.RuneCountInString(word)
		}
	}
	return strings.ReplaceAll(out.String(), " \n", "\n")
}
