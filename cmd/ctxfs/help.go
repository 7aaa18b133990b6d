package main

import (
	"embed"
	"fmt"
	iofs "io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
)

// helpTexts has what commands say of themselves: help.txt of each family, with a section
// "=== ctxfs NAME" for each command and its examples below "--- examples".
//
//go:embed help.txt */help.txt
var helpTexts embed.FS

// explain gives root and all its commands their texts. In one, {{}} stands for what the
// command knows itself, as its Long.
func explain(root *cobra.Command) {
	for _, pattern := range []string{"help.txt", "*/help.txt"} {
		files, _ := iofs.Glob(helpTexts, pattern)
		for _, file := range files {
			text, _ := helpTexts.ReadFile(file)
			for section := range strings.SplitSeq(strings.TrimPrefix(string(text), "=== "), "\n=== ") {
				name, body, _ := strings.Cut(section, "\n")
				cmd, _, _ := root.Find(strings.Fields(name)[1:])
				body, cmd.Example, _ = strings.Cut(strings.TrimRight(body, "\n"), "\n--- examples\n")
				cmd.Long = strings.Replace(body, "{{}}", cmd.Long, 1)
			}
		}
	}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		Long:  "Help explains a command, as its flag --help does. The flag -h is the short form.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, start string) (names []string, _ cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), start) {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := cmd.Root()
			for _, name := range args {
				next, rest, err := of.Find([]string{name})
				if err != nil || len(rest) > 0 || next == of {
					return cli.Unknown("help topic", of, name)
				}
				of = next
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// setHelp gives root and all its commands two forms of help: -h prints what fits on
// a screen, --help and ctxfs help print everything.
func setHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprint(".FlagUsagesWrapped ", screenWidth)))
	long := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--help") }) {
			shortHelp(cmd)
			return
		}
		long(cmd, args)
	})
}

// screenWidth is the width of a screen, in columns.
const screenWidth = 80

// shortHelp prints what a command is for and how it is used.
func shortHelp(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	var out strings.Builder
	short := []rune(cmd.Short)
	usage, more := cmd.UseLine(), ""
	if cmd.HasAvailableSubCommands() {
		usage, more = cmd.CommandPath()+" COMMAND [ARGUMENTS]", "; of one command: "+cmd.CommandPath()+" COMMAND -h"
	}
	fmt.Fprintf(&out, "%s%s.\n\nUsage:\n  %s\n", strings.ToUpper(string(short[:1])), string(short[1:]), usage)
	if cmd.Example != "" {
		fmt.Fprintf(&out, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("\nCommands:\n")
	}
	for _, group := range cmd.Groups() {
		line := fmt.Sprintf("%-12s", group.Title)
		for _, c := range cmd.Commands() {
			if c.GroupID != group.ID || !c.IsAvailableCommand() {
				continue
			}
			if len(line)+len(c.Name())+2 > screenWidth {
				out.WriteString(line + "\n")
				line = strings.Repeat(" ", 12)
			}
			line += " " + c.Name() + ","
		}
		out.WriteString(strings.TrimSuffix(line, ",") + "\n")
	}
	for _, c := range cmd.Commands() {
		if c.GroupID == "" && c.IsAvailableCommand() && len(cmd.Groups()) == 0 {
			fmt.Fprintf(&out, "  %-10s %s\n", c.Name(), c.Short)
		}
	}
	if flags := cmd.LocalFlags(); flags.HasAvailableFlags() && cmd.HasParent() {
		fmt.Fprintf(&out, "\nFlags:\n%s", flags.FlagUsagesWrapped(screenWidth))
	}
	fmt.Fprintf(&out, "\nMore: %s --help%s\n", cmd.CommandPath(), more)
	fmt.Fprint(cmd.OutOrStdout(), out.String())
}

// misspelt fails if the first word does not name a command, whatever follows it,
// even --help.
func misspelt(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args[:1]); err != nil || cmd == root {
		return cli.Unknown("command", root, args[0])
	}
	return nil
}
