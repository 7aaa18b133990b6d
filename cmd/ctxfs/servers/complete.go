package servers

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/tasks"
)

// completeCall completes the name of a server, then of one of its tools, then the
// flags of the tool and their values.
func completeCall(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp
		var named []string
		option := "" // the word before, if it is an option of the command that needs a value
		for len(args) > 0 && len(named) < 2 {
			switch is := args[0]; {
			case option != "":
				option = ""
			case call.TakesValue(is):
				option = is
			case !strings.HasPrefix(is, "-"):
				named = append(named, is)
			}
			args = args[1:]
		}
		switch {
		case option != "":
			return completeOption(cmd.Context(), a, option)
		case strings.HasPrefix(word, "-") && len(named) < 2:
			return completeOwn(nil), directive
		case len(named) == 0:
			return completeServers(cmd.Context(), a), directive
		case len(named) == 1:
			return completeTools(cmd.Context(), a, named[0]), directive
		}
		flags, _ := cli.Ask(cmd.Context(), a, mcp.OpFlags, mcp.ToolQuery{Server: named[0], Tool: named[1]}) // no tool, no flags
		if strings.HasPrefix(word, "@") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		flag, _, valued := strings.Cut(word, "=") // the shell keeps what is before the value
		if !valued && len(args) > 0 {
			flag = args[len(args)-1]
		}
		for _, f := range flags {
			if flag == "--"+f.Name && (valued || f.Type != "boolean") {
				return f.Enum, directive
			}
		}
		if call.TakesValue(flag) {
			return completeOption(cmd.Context(), a, flag)
		}
		var words []string
		for _, f := range flags {
			words = append(words, "--"+f.Name+"\t"+f.Description)
		}
		return completeOwn(words), directive
	}
}

// completeOption completes the value of an option of the command.
func completeOption(ctx context.Context, a *cli.App, option string) ([]string, cobra.ShellCompDirective) {
	switch option {
	case "--project":
		return cli.CompleteDirs(nil, nil, "")
	case "--continue":
		return completeTasks(ctx, a, func(tasks.Task) bool { return true }), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeOwn adds the options of the command.
func completeOwn(words []string) []string {
	for _, o := range call.Options() {
		words = append(words, "--"+o.Name+"\t"+o.About)
	}
	return words
}

func completeTools(ctx context.Context, a *cli.App, server string) (names []string) {
	boxes, _ := cli.Ask(ctx, a, mcp.OpTools, mcp.ToolQuery{Server: server}) // no server, no tools
	for _, box := range boxes {
		for _, t := range box.Tools {
			names = append(names, t.File+"\t"+t.Summary)
		}
	}
	return names
}

// completeServer completes the name of a server as the only argument.
func completeServer(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeServers(cmd.Context(), a), cobra.ShellCompDirectiveNoFileComp
	}
}

func completeServers(ctx context.Context, a *cli.App) (names []string) {
	statuses, _ := cli.Ask(ctx, a, usertree.OpProviders, fs.None{}) // none, if it cannot be asked
	for _, p := range statuses {
		if p.Name == "mcps" {
			for _, item := range p.Items {
				names = append(names, item.Name)
			}
		}
	}
	return names
}
