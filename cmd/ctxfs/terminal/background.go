package terminal

import (
	"errors"
	"fmt"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// runInBackground starts a command in a holder of its own, and says how to go on.
func runInBackground(a *cli.App, name string, argv []string, asJSON bool) error {
	if a.PlacesErr != nil {
		return a.PlacesErr
	}
	spec := holder.Spec{Recording: a.Recording(), Name: name, Argv: argv}
	out, err := holder.StartBackground(a.Program, holderLog(a), spec)
	without, fault := (*holder.Unrecorded)(nil), (*holder.Fault)(nil)
	switch {
	case errors.As(err, &without):
		return &control.Fault{
			Message: "the command was not started, since it cannot be recorded: " + without.Cause(),
			Hint:    "what is wrong: ctxfs doctor; to run it unrecorded, start it with your shell: COMMAND &",
		}
	case errors.As(err, &fault):
		return cli.Exit(fault.Exit, fault)
	case err != nil:
		return err
	}
	t, err := record.LoadState(out.Dir)
	if err != nil {
		return fmt.Errorf("the recording of the command is gone: %w", err)
	}
	if asJSON {
		return a.PrintJSON(newEntry(t))
	}
	a.Sayf("%s", t.ID)
	a.Notef("%s runs in the background; what it prints: %s", t.ID, a.Tilde(t.Path(t.LastPart())))
	a.Notef("wait for it: ctxfs wait terminal %[1]s --exit (or --for REGEX); end it: ctxfs stop %[1]s", t.ID)
	return nil
}
