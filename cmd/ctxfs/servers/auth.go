package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/logins"
)

const (
	// loginTime is how long a login waits for its user.
	loginTime = 10 * time.Minute
	// connectTime is how long to look what became of a server after a login.
	connectTime = 15 * time.Second
	connectPoll = 50 * time.Millisecond
)

func newAuth(a *cli.App) *cobra.Command {
	var logout, noBrowser, asJSON bool
	cmd := &cobra.Command{
		Use:   "auth [SERVER]",
		Short: "log in to an MCP server, or log out",
		Args:  cli.Args(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				logins, _ := allLogins(cmd.Context(), a)
				for _, l := range logins {
					names = append(names, l.Server)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			switch {
			case len(args) == 0 && (logout || noBrowser):
				return cli.Usage(cmd, errors.New("which server? name it"))
			case len(args) == 0:
				return listLogins(ctx, a, asJSON)
			case asJSON:
				return cli.Usage(cmd, errors.New("--json is for the list of logins, and takes no server"))
			case logout:
				return logOut(ctx, a, args[0])
			}
			return logIn(ctx, a, args[0], noBrowser)
		},
	}
	cmd.Flags().BoolVar(&logout, "logout", false, "log out, and delete the stored login")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the address, and open no browser")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	cmd.MarkFlagsMutuallyExclusive("logout", "no-browser")
	return cmd
}

func allLogins(ctx context.Context, a *cli.App) ([]logins.Login, error) {
	return cli.Ask(ctx, a, mcp.OpLogins, fs.None{})
}

func listLogins(ctx context.Context, a *cli.App, asJSON bool) error {
	logins, err := allLogins(ctx, a)
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(logins)
	case len(logins) == 0:
		a.Sayf("no server is configured that can be logged in to")
		return nil
	}
	table := a.Table()
	fmt.Fprintln(table, "SERVER\tSTATE\tLOGIN\tSCOPES\tADDRESS")
	for _, l := range logins {
		how, scopes := "none", "-"
		switch {
		case l.Problem != "":
			how = l.Problem
		case l.LoggedIn:
			how = "since " + wording.Time(l.Since) + ", in the " + l.Stored
		}
		if len(l.Scopes) > 0 {
			scopes = strings.Join(l.Scopes, " ")
		}
		if len(l.Missing) > 0 {
			scopes += ", missing: " + strings.Join(l.Missing, " ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Server, l.State, how, scopes, l.Address)
	}
	return table.Flush()
}

// logIn logs in from this process, where the user and the browser are: the background
// process only has to read the outcome.
func logIn(ctx context.Context, a *cli.App, server string, noBrowser bool) error {
	tree := a.Offline()
	defer tree.Close()
	waiting, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	login, err := mcp.OpLogin.Ask(waiting, tree.Operations(), mcp.RestartQuery{Name: server}, func(n mcp.LoginNews) {
		switch {
		case n.Address == "":
			a.Notef("%s", n.Note)
			return
		case !noBrowser && a.Open(n.Address):
			a.Sayf("the browser shows where to log in; if it does not, open\n\n  %s\n", n.Address)
		default:
			a.Sayf("to log in, open\n\n  %s\n", n.Address)
		}
		a.Notef("waiting for the browser to return (Ctrl-C gives up)")
	}, nil)
	if err != nil {
		return authFault(ctx, server, err)
	}
	where := "a file that only you can read"
	if login.Stored == "keyring" {
		where = "the system keyring"
	}
	a.Sayf("logged in to %s at %s; the login is stored in %s", login.Server, login.Issuer, where)
	return reconnect(ctx, a, login.Server)
}

// reconnect has the background process, if there is one, connect to a server again,
// and prints the outcome.
func reconnect(ctx context.Context, a *cli.App, server string) error {
	begun := time.Now()
	if running, err := reread(ctx, a, server); err != nil || !running {
		return err
	}
	tick := time.NewTicker(connectPoll)
	defer tick.Stop()
	for {
		switch state, err := serverState(ctx, a, server, begun); {
		case err != nil:
			return err
		case state == "ready":
			a.Sayf("%s is ready", server)
			return nil
		case state == "error" || state == "needs-auth":
			return &control.Fault{Message: server + " is in the state " + state, Hint: "see why: ctxfs cat mcps/" + server + "/STATUS.md"}
		case time.Since(begun) > connectTime:
			a.Notef("%s has not answered yet; see how it goes: ctxfs status", server)
			return nil
		}
		select {
		case <-ctx.Done():
			return authFault(ctx, server, ctx.Err())
		case <-tick.C:
		}
	}
}

// reread has the background process start a server again. It reports whether there
// is such a process.
func reread(ctx context.Context, a *cli.App, server string) (running bool, err error) {
	_, err = mcp.OpRestart.Ask(ctx, a.OnlyRunning(), mcp.RestartQuery{Name: server})
	if errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrGone) {
		return false, nil
	}
	return err == nil, err
}

// serverState returns the state that a server has reached since a time, or "".
func serverState(ctx context.Context, a *cli.App, server string, then time.Time) (string, error) {
	statuses, err := cli.Ask(ctx, a, usertree.OpProviders, fs.None{})
	if err != nil {
		return "", err
	}
	for _, p := range statuses {
		for _, item := range p.Items {
			if p.Name == "mcps" && item.Name == server && !item.Since.Before(then) {
				return item.State, nil
			}
		}
	}
	return "", nil
}

func logOut(ctx context.Context, a *cli.App, server string) error {
	tree := a.Offline()
	defer tree.Close()
	ended, err := mcp.OpLogout.Ask(ctx, tree.Operations(), mcp.RestartQuery{Name: server})
	if err != nil {
		return authFault(ctx, server, err)
	}
	if !ended.Was.LoggedIn {
		a.Sayf("there was no login to %s", ended.Was.Server)
		return nil
	}
	a.Sayf("logged out of %s; the stored login is deleted", ended.Was.Server)
	if ended.Untold != "" {
		a.Notef("the authorization server could not be informed: %s", ended.Untold)
	}
	_, err = reread(ctx, a, ended.Was.Server)
	return err
}

// authFault words the error of a login.
func authFault(ctx context.Context, server string, err error) error {
	switch {
	case errors.As(err, new(*logins.Error)):
		return err
	case ctx.Err() != nil:
		return &control.Fault{Message: "interrupted; the login is as it was before"}
	case errors.Is(err, context.DeadlineExceeded):
		return &control.Fault{
			Message: fmt.Sprintf("no login within %g minutes", loginTime.Minutes()),
			Hint:    "try again: ctxfs auth " + server,
		}
	}
	return err
}
