package setup

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
)

// Completion for the programs in mcps/SERVER/bin, which is appended to the script
// that cobra generates. @PROGRAM@ stands for the path of this program.
var (
	//go:embed completion/bash
	bashBin string
	//go:embed completion/zsh
	zshBin string
	//go:embed completion/fish
	fishBin string
)

func newCompletion(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "print a script that makes a shell complete ctxfs",
		Args:      cli.Args(1, "for which shell: bash, zsh or fish?"),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(cmd.ValidArgs, args[0]) {
				return cli.Usage(cmd, fmt.Errorf("ctxfs completes in bash, zsh and fish, not in %q", args[0]))
			}
			var err error
			root, more := cmd.Root(), ""
			switch args[0] {
			case "bash":
				err, more = root.GenBashCompletionV2(a.Out, true), bashBin
			case "zsh":
				err, more = root.GenZshCompletion(a.Out), zshBin
			case "fish":
				err, more = root.GenFishCompletion(a.Out, true), fishBin
			}
			if err == nil {
				_, err = io.WriteString(a.Out, strings.ReplaceAll(more, "@PROGRAM@", wording.ShellWord(a.Program)))
			}
			return err
		},
	}
}
