package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/quick"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
)

// OpCommand runs a command in the background process, for a program that is only beginning.
var OpCommand = fs.Op[quick.Command, quick.Reply]{Name: quick.OpCommand, Effect: fs.Reads}

// Commands answers [OpCommand] with what main prints, which is the whole program. Home is that
// of this process: a program that sees another folder at its own, as in a mount namespace,
// does all itself.
func Commands(home string, main func(ctx context.Context, a *App, args []string) int) fs.Operation {
	return OpCommand.Handle(func(ctx context.Context, c quick.Command) (r quick.Reply, err error) {
		args := quick.Elements(c.Args)
		if !quick.IsCommand(args) {
			return quick.Reply{}, fmt.Errorf("ctxfs %s is not a command for the background process", strings.Join(args, " "))
		}
		defer func() {
			if p := recover(); p != nil { // the program itself may do better
				err = fmt.Errorf("ctxfs %s: %v", strings.Join(args, " "), p)
			}
		}()
		env, dir := quick.Elements(c.Env), string(c.Dir)
		var out, errs bytes.Buffer
		a := New(console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, caller.Lookup(env))
		if !control.Same(a.Home, home) {
			return quick.Reply{}, fmt.Errorf("the home folder %s is not that of this process, %s", a.Home, home)
		}
		a.Environ = func() []string { return env }
		a.Getwd = func() (string, error) { return dir, nil }
		a.Chdir = func(string) error { return os.ErrPermission }
		a.Here = func() fs.Standpoint {
			at := fs.Standpoint{Dir: dir, PID: int(c.PID)}
			for _, folder := range quick.Elements(c.Folders) {
				var id fs.FileID
				if _, err := fmt.Sscanf(folder, "%d:%d", &id.Dev, &id.Ino); err == nil {
					at.Folders = append(at.Folders, id)
				}
			}
			return at
		}
		r.Code = main(ctx, a, args)
		r.Out, r.Err = out.Bytes(), errs.Bytes()
		return r, nil
	})
}
