package main

import (
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp holds every command to the same manners.
func TestHelp(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	root := (&app{&cli.App{Streams: console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}}}).rootCommand()
	root.InitDefaultHelpCmd()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
				continue
			}
			if c.Long == "" || c.Short == "" || c.Short[0] < 'a' || c.Short[0] > 'z' || strings.HasSuffix(c.Short, ".") {
				t.Errorf("%s: %q, %q", c.CommandPath(), c.Short, c.Long)
			}
			for line := range strings.Lines(c.Long) {
				if len(line) > 81 {
					t.Errorf("%s: a long line: %s", c.CommandPath(), line)
				}
			}
			if got := b.ok(append(strings.Fields(c.CommandPath())[1:], "--help")...); !strings.Contains(got, c.Long) || !strings.Contains(got, "Usage:\n  "+c.CommandPath()) {
				t.Errorf("help of %s: %s", c.CommandPath(), got)
			}
			visit(c)
		}
	}
	visit(root)
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		if got := b.ok(args...); !containsAll(got, []string{"ctxfs mount", "Exit codes:", "3  status: ctxfs is not running", "doctor", "unmount"}) {
			t.Errorf("ctxfs %q: %s", args, got)
		}
	}
	if got := b.ok("run", "--help"); !strings.Contains(got, "--max-bytes N   print at most N bytes of the output, its beginning and its end, once it has ended\n") {
		t.Errorf("ctxfs run --help: %s", got)
	}
	if got := b.ok("--version"); got != "ctxfs "+places.Version+"\n" {
		t.Errorf("--version: %q", got)
	}

	hint := "\n  see how it is used: ctxfs "
	b.refused(exitUsage, []string{`unknown command "mouunt"`, "\n  did you mean: ctxfs mount"}, "mouunt")
	b.refused(exitUsage, []string{`unknown command "mnt"`, "\n  did you mean: ctxfs mount\n"}, "mnt")
	b.refused(exitUsage, []string{`unknown command "nosuch"`, "\n  see what there is: ctxfs --help"}, "nosuch", "--help")
	b.refused(exitUsage, []string{`unknown help topic "nosuch"`, "\n  see what there is: ctxfs --help"}, "help", "nosuch")
	b.refused(exitUsage, []string{`unknown help topic "mnt"`, "\n  did you mean: ctxfs help mount\n"}, "help", "mnt")
	b.refused(exitUsage, []string{`unknown help topic "shel"`, "\n  did you mean: ctxfs help setup shell\n"}, "help", "setup", "shel")
	b.refused(exitUsage, []string{`unknown help topic "x"`}, "help", "mount", "x")
	if got := b.ok("help", "setup", "shell"); got != b.ok("setup", "shell", "--help") {
		t.Errorf("ctxfs help setup shell: %s", got)
	}
	b.refused(exitUsage, []string{`unknown command "xyzzy"`, "\n  see what there is: ctxfs --help"}, "xyzzy")
	b.refused(exitUsage, []string{"unknown flag: --nope", hint + "--help"}, "--nope")
	b.refused(exitUsage, []string{"unknown flag: --nope", hint + "mount --help"}, "mount", "--nope")
	b.refused(exitUsage, []string{"unknown command", hint + "status --help"}, "status", "x")
	b.refused(exitUsage, []string{"unknown shorthand flag: 'z'", hint + "ls --help"}, "ls", "-z")
	b.refused(exitUsage, []string{"--all and a folder exclude each other"}, "unmount", "--all", "/tmp")
}
