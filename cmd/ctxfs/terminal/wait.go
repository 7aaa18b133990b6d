package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/await"
	"ctxfs/mounts/control"
	"ctxfs/providers/wait"
)

func newWait(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:                "wait [--any] [--timeout TIME] CONDITION [, CONDITION]...",
		Short:              "wait until something is printed, ready, ended or asked",
		DisableFlagParsing: true,
		ValidArgsFunction:  completeWait(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, words, err := readWait(args)
			switch {
			case err != nil:
				return cli.Usage(cmd, err)
			case o.help != "":
				cmd.HelpFunc()(cmd, []string{o.help})
				return nil
			case len(words) == 0:
				return cli.Exit(console.ExitUsage, &control.Fault{Message: "wait for what?", Hint: "for example: ctxfs wait terminal 3 --exit\nsee how it is used: ctxfs wait --help"})
			}
			conditions, err := wait.Parse(words)
			if err != nil {
				return cli.Usage(cmd, err)
			}
			return waitFor(cmd.Context(), a, o, conditions)
		},
	}
	flags := cmd.Flags() // for the help alone: which words are flags of a condition is up to its kind
	flags.Bool("any", false, "one condition is enough")
	flags.Bool("all", false, "all must be met (the default)")
	flags.Duration("timeout", 0, "give up after this time, such as 90s or 10m")
	flags.Bool("json", false, "print as JSON")
	return cmd
}

// waitOptions are the flags of ctxfs wait.
type waitOptions struct {
	any, all, json bool
	timeout        time.Duration
	help           string
}

// readWait takes the command's own flags out of its words, wherever they are.
func readWait(args []string) (o waitOptions, words []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--for" && i+1 < len(args):
			words = append(words, args[i], args[i+1])
			i++
		case args[i] == "--any":
			o.any = true
		case args[i] == "--all":
			o.all = true
		case args[i] == "--json":
			o.json = true
		case args[i] == "-h", args[i] == "--help":
			o.help = args[i]
			return o, nil, nil
		case name == "--timeout":
			if !given {
				if i++; i == len(args) {
					return o, nil, errors.New("--timeout needs a value")
				}
				value = args[i]
			}
			if o.timeout, err = time.ParseDuration(value); err != nil || o.timeout <= 0 {
				return o, nil, fmt.Errorf("--timeout takes a time such as 90s or 10m, not %q", value)
			}
		default:
			words = append(words, args[i])
		}
	}
	if o.any && o.all {
		return o, nil, errors.New("--any and --all exclude each other")
	}
	return o, words, nil
}

// waited is a condition and how it stands, for scripts.
type waited struct {
	Condition string `json:"condition"`
	await.Standing
}

// waitResult is the result of ctxfs wait, for scripts.
type waitResult struct {
	State      string   `json:"state"` // "met", "never", "unknown" or "timeout"
	Conditions []waited `json:"conditions"`
}

// waitFor waits for conditions and prints those that are met.
func waitFor(ctx context.Context, a *cli.App, o waitOptions, conditions []await.Condition) error {
	w := a.Waiting("")
	defer w.Close()
	w.Note = func() { a.Notef("the background process has ended; the wait goes on") }
	late := errors.New("timeout")
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, late)
		defer cancel()
	}
	var all []wait.Asked
	for _, c := range conditions {
		all = append(all, func(ctx context.Context, tell func(await.Standing)) (await.Standing, error) {
			return w.For(ctx, c, tell)
		})
	}
	together, each, err := wait.Merge(ctx, o.any, all)
	result := waitResult{State: string(together.State)}
	switch {
	case err != nil && errors.Is(context.Cause(ctx), late):
		result.State = "timeout"
	case err != nil:
		return err
	}
	for i, s := range each {
		if s.State == await.NotYet && s.What == "" {
			s.What = "it is not known yet how that stands"
		}
		result.Conditions = append(result.Conditions, waited{conditions[i].String(), s})
	}
	if o.json && together.State != await.NoSense {
		if err := a.PrintJSON(result); err != nil {
			return err
		}
	}
	return result.outcome(a, o, together)
}

// outcome prints the result for people, and returns it as an exit code.
func (r *waitResult) outcome(a *cli.App, o waitOptions, together await.Standing) error {
	codes := map[string]int{"timeout": console.ExitTimeout, string(await.Never): console.ExitNever, string(await.Unnamed): console.ExitUnknown, string(await.NoSense): console.ExitUsage}
	fault := &control.Fault{Message: together.What, Hint: together.More}
	switch {
	case o.json && r.State != string(await.NoSense):
		return cli.Exit(codes[r.State], nil)
	case r.State == string(await.Met):
		for _, c := range r.Conditions {
			if c.State == await.Met {
				a.Sayf("%s", c.What)
				if c.More != "" {
					a.Sayf("  more: %s", c.More)
				}
			}
		}
		return nil
	case r.State == "timeout":
		var open []string
		for _, c := range r.Conditions {
			if c.State != await.Met {
				open = append(open, c.Condition+": "+c.What)
			}
			if fault.Hint == "" && c.More != "" && c.State != await.Met {
				fault.Hint = "see what there is: " + c.More
			}
		}
		fault.Message = fmt.Sprintf("not within %v: %s", o.timeout, strings.Join(open, "; "))
	case r.State == string(await.Never) && fault.Hint != "":
		fault.Hint = "see what there is: " + fault.Hint
	}
	return cli.Exit(codes[r.State], fault)
}

// completeWait completes kinds, names and what can be waited for.
func completeWait(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) (words []string, _ cobra.ShellCompDirective) {
		own := []string{"--any", "--all", "--timeout", "--json"}
		if n := len(args); n > 0 && slices.Contains([]string{"--for", "--timeout"}, args[n-1]) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_, condition, err := readWait(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for i := len(condition) - 1; i >= 0; i-- {
			if condition[i] == wait.Separator {
				condition = condition[i+1:]
				break
			}
		}
		w := a.Waiting("")
		defer w.Close()
		kinds := w.Kinds(cmd.Context())
		if len(condition) == 0 {
			for _, k := range kinds {
				words = append(words, k.Kind)
			}
			return append(words, own...), cobra.ShellCompDirectiveNoFileComp
		}
		i := slices.IndexFunc(kinds, func(k await.Awaitable) bool { return k.Kind == condition[0] })
		switch {
		case i < 0:
		case kinds[i].Name != "" && len(condition) == 1 && kinds[i].Kind == "file":
			return nil, cobra.ShellCompDirectiveDefault
		case kinds[i].Name != "" && len(condition) == 1:
			words = kinds[i].Names
		default:
			for _, until := range kinds[i].Until {
				word, _, _ := strings.Cut(until, " ")
				if word != "" && !slices.Contains(condition, word) {
					words = append(words, word)
				}
			}
			words = append(append(words, wait.Separator), own...)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
