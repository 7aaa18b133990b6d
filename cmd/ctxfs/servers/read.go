package servers

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/calls"
)

func newRead(a *cli.App) *cobra.Command {
	var asJSON, keep, forget bool
	cmd := &cobra.Command{
		Use:               "read SERVER URI",
		Short:             "read a resource of an MCP server",
		Args:              cli.Args(2, "which server, and which resource?", "which resource of that server?"),
		ValidArgsFunction: completeServersAnd(a, "resources"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if forget && (keep || asJSON) {
				return cli.Exit(console.ExitUsage, errors.New("--forget reads nothing; give it alone"))
			}
			r, err := mcp.OpResource.Ask(cmd.Context(), a.Starting(), mcp.ReadingQuery{Server: args[0], What: args[1], Keep: keep, Forget: forget})
			switch {
			case err != nil || forget:
				return err
			case asJSON:
				return a.PrintJSON(r.Raw)
			}
			return printResource(a, r)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's whole answer")
	cmd.Flags().BoolVar(&keep, "keep", false, "also keep it as a file in the mount, and keep that current")
	cmd.Flags().BoolVar(&forget, "forget", false, "delete that file, and print nothing")
	return cmd
}

// printResource prints the contents of a resource one after the other.
func printResource(a *cli.App, r *calls.Reading) error {
	for _, c := range r.Contents {
		if c.Blob != nil && toTerminal(a) {
			return &control.Fault{
				Message: fmt.Sprintf("the resource is not text, but %s of %d bytes", cmp.Or(c.MIMEType, "something"), len(c.Blob)),
				Hint:    "write it to a file: ctxfs read ... >FILE",
			}
		}
		body := c.Blob
		if body == nil {
			body = []byte(c.Text)
			if text := c.Text; text != "" && !strings.HasSuffix(text, "\n") && (toTerminal(a) || len(r.Contents) > 1) {
				body = append(body, '\n')
			}
		}
		if _, err := a.Out.Write(body); err != nil {
			return err
		}
	}
	return nil
}

// toTerminal reports whether the output may go to a terminal.
func toTerminal(a *cli.App) bool { return console.IsTerminal(a.Out) }

// completeServersAnd completes the name of a server, then the names of the files in
// one of its folders.
func completeServersAnd(a *cli.App, folder string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			names = completeServers(cmd.Context(), a)
		case 1:
			entries, _ := cli.Ask(cmd.Context(), a, usertree.OpList, usertree.PathQuery{Path: "mcps/" + args[0] + "/" + folder}) // no server, no names
			for _, e := range entries {
				if name := strings.TrimSuffix(e.Name, ".json"); !strings.Contains(name, ".") { // not what is kept
					names = append(names, name)
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func newPromptGet(a *cli.App) *cobra.Command {
	var asJSON bool
	var given []string
	cmd := &cobra.Command{
		Use:               "prompt-get SERVER PROMPT",
		Short:             "get a prompt of an MCP server",
		Args:              cli.Args(2, "which server, and which prompt?", "which prompt of that server?"),
		ValidArgsFunction: completeServersAnd(a, "prompts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			values := make(map[string]string)
			for _, g := range given {
				name, value, ok := strings.Cut(g, "=")
				if !ok || name == "" {
					return cli.Usage(cmd, fmt.Errorf("--arg is NAME=VALUE, not %q", g))
				}
				values[name] = value
			}
			r, err := mcp.OpPrompt.Ask(cmd.Context(), a.Starting(), mcp.ReadingQuery{Server: args[0], What: args[1], Args: values})
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(r.Raw)
			}
			printMessages(a, r)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&given, "arg", nil, "an argument of the prompt, NAME=VALUE; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's whole answer")
	return cmd
}

// printMessages prints the messages of a prompt, each below its role.
func printMessages(a *cli.App, r *calls.Reading) {
	for i, c := range r.Contents {
		if i > 0 {
			a.Sayf("")
		}
		text := strings.TrimSuffix(c.Text, "\n")
		if c.Blob != nil {
			text = fmt.Sprintf("(%s of %d bytes; --json has it)", cmp.Or(c.MIMEType, "something"), len(c.Blob))
		}
		a.Sayf("%s:\n\n%s", c.Role, text)
	}
}
