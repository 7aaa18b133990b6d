package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/questions"
)

func newAnswer(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:                "answer [ID [FIELDS | --accept | --decline | --cancel]]",
		Short:              "answer what a server asks before a call goes on, or list such questions",
		DisableFlagParsing: true,
		ValidArgsFunction:  completeAnswer(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			line, err := parseAnswer(args)
			switch {
			case err != nil:
				return cli.Usage(cmd, err)
			case line.help && line.id == "":
				cmd.HelpFunc()(cmd, append(args, "-h"))
				return nil
			case line.id == "":
				return listQuestions(cmd.Context(), a, line.json)
			}
			return line.answer(cmd.Context(), a)
		},
	}
	// They are for the help alone: the fields of a form decide which flags are the
	// command's.
	cmd.Flags().Bool("accept", false, "agree to what takes no values: to open an address, to a prompt")
	cmd.Flags().Bool("decline", false, "say no; the call goes on without")
	cmd.Flags().Bool("cancel", false, "say neither yes nor no")
	cmd.Flags().Bool("json", false, "print as JSON")
	return cmd
}

// answerLine is the command line of answer.
type answerLine struct {
	id         string
	words      []string // the fields
	action     string   // form.Accept if there are fields; "" if it was not said
	json, help bool
}

// parseAnswer splits a command line into the options of the command and the fields.
func parseAnswer(args []string) (*answerLine, error) {
	l := new(answerLine)
	for i, word := range args {
		switch name, isOption := strings.CutPrefix(word, "--"); {
		case word == "--":
			l.words = append(l.words, args[i+1:]...)
			return l, nil
		case isOption && slices.Contains([]string{form.Accept, form.Decline, form.Cancel}, name):
			if l.action != "" && l.action != name {
				return nil, fmt.Errorf("--%s and --%s are two answers; give one", l.action, name)
			}
			l.action = name
		case word == "--json":
			l.json = true
		case word == "--help" || word == "-h":
			l.help = true
		case l.id == "" && isOption:
			return nil, fmt.Errorf("unknown option %s; the ID of the question goes before its fields", word)
		case l.id == "":
			l.id = word
		default:
			l.words = append(l.words, word)
		}
	}
	if l.id == "" && l.action != "" {
		return nil, fmt.Errorf("which question? list them: ctxfs answer")
	}
	return l, nil
}

// questionsOf asks the background process for the open questions, or for one.
func questionsOf(ctx context.Context, a *cli.App, id string) ([]questions.Question, error) {
	all, err := mcp.OpQuestions.Ask(ctx, a.OnlyRunning(), mcp.IDQuery{ID: id})
	if !errors.Is(err, control.ErrNotRunning) && !errors.Is(err, control.ErrGone) {
		return all, err
	}
	if id == "" {
		return nil, nil
	}
	return nil, &control.Fault{
		Message: "ctxfs is not running, so no server waits for an answer to " + id,
		Hint:    "what became of its call: ctxfs call --continue " + id,
	}
}

func listQuestions(ctx context.Context, a *cli.App, asJSON bool) error {
	all, err := questionsOf(ctx, a, "")
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(append([]questions.Question{}, all...))
	case len(all) == 0:
		a.Notef("no server asks anything")
		return nil
	}
	for i, q := range all {
		if i > 0 {
			a.Sayf("")
		}
		a.Sayf("%s  %s/%s, until %s", q.ID, q.Server, q.Tool, wording.Time(q.Until))
		a.Sayf("%s", cli.Indent(strings.TrimSpace(q.Message)))
		if q.URL != "" {
			a.Sayf("  %s  (%s)", q.URL, q.Host)
		}
		if q.Warning != "" {
			a.Sayf("  careful: %s", q.Warning)
		}
		if q.Opened {
			a.Sayf("  it waits for the server to say that it is done; to give up: %s", q.Decline)
			continue
		}
		a.Sayf("  answer:  %s\n  decline: %s", q.Answer, q.Decline)
	}
	return nil
}

// answer answers the question of the line, or shows its fields.
func (l *answerLine) answer(ctx context.Context, a *cli.App) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	open, err := questionsOf(ctx, a, l.id)
	if err != nil {
		return err
	}
	if len(open) == 0 {
		return &control.Fault{Message: "no question waits for an answer: " + l.id, Hint: "list those that do: ctxfs answer"}
	}
	q := open[0]
	if l.help {
		return explain(a, q)
	}
	var done form.Question
	send := func(r form.Answer) (err error) {
		l.action = r.Action
		done, err = call.OpAnswer.Ask(ctx, a.OnlyRunning(), r)
		return err
	}
	if l.action == "" && len(l.words) == 0 {
		err = l.askPerson(ctx, a, q, send)
	} else {
		err = l.send(a, q, send)
	}
	switch {
	case ctx.Err() != nil:
		return cli.Exit(console.ExitInterrupted, nil)
	case err != nil:
		return err
	case l.json:
		return a.PrintJSON(done)
	}
	a.Sayf("%s", outcome(l.action, done))
	return nil
}

// send sends what the line says.
func (l *answerLine) send(a *cli.App, q questions.Question, send func(form.Answer) error) error {
	if l.action == "" {
		l.action = form.Accept
	}
	words, err := call.ReadWords(l.words, a.In, a.Abs)
	if err != nil {
		return cli.Exit(console.ExitUsage, err)
	}
	err = send(form.Answer{ID: q.ID, Action: l.action, Words: words})
	if fault := (*control.Fault)(nil); errors.As(err, &fault) && !fault.Missing {
		return cli.Exit(console.ExitUsage, err) // it does not fit
	}
	return err
}

// askPerson asks the person at the terminal.
func (l *answerLine) askPerson(ctx context.Context, a *cli.App, q questions.Question, send func(form.Answer) error) error {
	person := call.AtTerminal(a.In, a.Err)
	if person == nil {
		return cli.Exit(console.ExitUsage, &control.Fault{
			Message: "what is the answer to " + q.ID + "?",
			Hint:    "for example: " + q.Answer + "\nor: " + q.Decline + "\nsee its fields: ctxfs answer " + q.ID + " --help",
		})
	}
	ctx, cancel := context.WithDeadlineCause(ctx, q.Until, &control.Fault{Message: q.ID + " was not answered in time, so the server was told that there is no answer"})
	defer cancel()
	return person.Ask(ctx, q.Shown(), send)
}

// explain prints what the question asks for, and its fields as flags.
func explain(a *cli.App, q questions.Question) error {
	a.Sayf("%s asks in a call of %s, until %s:\n\n%s\n", q.Server, q.Tool, wording.Time(q.Until), cli.Indent(strings.TrimSpace(q.Message)))
	if q.URL != "" {
		a.Sayf("To open: %s  (%s)\n", q.URL, q.Host)
	}
	if q.Warning != "" {
		a.Sayf("Careful: %s.\n", q.Warning)
	}
	usage := "  ctxfs answer " + q.ID + " --accept"
	help := strings.TrimRight(q.Help(), "\n")
	if help != "" {
		usage = fmt.Sprintf("  ctxfs answer %s FIELDS\n  ctxfs answer %[1]s '{JSON}' | @FILE | -", q.ID)
	}
	a.Sayf("Usage:\n%s\n  %s", usage, q.Decline)
	if help != "" {
		a.Sayf("\n%s\n\nFor example: %s", help, q.Answer)
	}
	return nil
}

// outcome says what the answer leads to.
func outcome(action string, q form.Question) string {
	text := map[string]string{form.Accept: "answered", form.Decline: "declined", form.Cancel: "cancelled"}[action]
	switch {
	case q.Opened && q.Again && action == form.Accept:
		text += "; the call goes on when " + q.Server + " says that it is done; if it does not, say so when you are: " + q.Answer
	case q.Opened && action == form.Accept:
		text += "; the call goes on, at the latest when " + q.Server + " says that it is done"
	default:
		text += "; the call goes on"
	}
	if q.Task != "" {
		text += "\nits result: ctxfs call --continue " + q.Task
	}
	return text
}

// completeAnswer completes the ID of a question, then its fields and their values.
func completeAnswer(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) (words []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp
		if strings.HasPrefix(word, "@") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		l, err := parseAnswer(args)
		if err != nil {
			return nil, directive
		}
		if l.id == "" {
			return completeQuestions(cmd.Context(), a), directive
		}
		open, _ := questionsOf(cmd.Context(), a, l.id) // no question, no fields
		if len(open) == 0 {
			return nil, directive
		}
		flag, _, valued := strings.Cut(word, "=")
		if !valued {
			flag = args[len(args)-1]
		}
		for _, f := range open[0].FieldList() {
			if flag == "--"+f.Name && (valued || f.Type != "boolean") {
				for _, c := range f.Choices {
					words = append(words, c.Value+"\t"+c.Title)
				}
				return words, directive
			}
		}
		for _, f := range open[0].FieldList() {
			words = append(words, "--"+f.Name+"\t"+f.Description)
		}
		return append(words, "--accept\tagree", "--decline\tsay no", "--cancel\tsay neither yes nor no", "--help\tshow its fields"), directive
	}
}

func completeQuestions(ctx context.Context, a *cli.App) (ids []string) {
	all, _ := questionsOf(ctx, a, "") // none, if it cannot be asked
	for _, q := range all {
		ids = append(ids, q.ID+"\t"+q.Server+"/"+q.Tool+": "+strings.Join(strings.Fields(q.Message), " "))
	}
	return ids
}
