package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs/fstest"
)

// TestHelp holds every command to the same manners.
func TestHelp(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	root := newRoot(&cli.App{Streams: console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}})
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
	for _, args := range [][]string{{}, {"-h"}} {
		if got := b.ok(args...); !containsAll(got, []string{"ctxfs mount", "Commands:", "doctor", "unmount", "More: ctxfs --help"}) {
			t.Errorf("ctxfs %q: %s", args, got)
		}
	}
	for _, args := range [][]string{{"--help"}, {"help"}} {
		if got := b.ok(args...); !containsAll(got, []string{"ctxfs mount", "Exit codes:", "3  status: ctxfs is not running", "doctor", "unmount"}) {
			t.Errorf("ctxfs %q: %s", args, got)
		}
	}
	fstest.Contains(t, b.ok("run", "--help"), "--max-bytes N   print the first and last bytes of the output, N at\n")
	fstest.Equal(t, b.ok("--version"), "ctxfs "+places.Version+"\n", "--version")

	hint := "\n  see how it is used: ctxfs "
	b.refused(exitUsage, []string{`unknown command "mouunt"`, "\n  did you mean: ctxfs mount"}, "mouunt")
	b.refused(exitUsage, []string{`unknown command "mnt"`, "\n  did you mean: ctxfs mount\n"}, "mnt")
	b.refused(exitUsage, []string{`unknown command "nosuch"`, "\n  see what there is: ctxfs --help"}, "nosuch", "--help")
	b.refused(exitUsage, []string{`unknown help topic "nosuch"`, "\n  see what there is: ctxfs --help"}, "help", "nosuch")
	b.refused(exitUsage, []string{`unknown help topic "mnt"`, "\n  did you mean: ctxfs help mount\n"}, "help", "mnt")
	b.refused(exitUsage, []string{`unknown help topic "x"`}, "help", "mount", "x")
	fstest.Equal(t, b.ok("help", "setup"), b.ok("setup", "--help"), "ctxfs help setup")
	b.refused(exitUsage, []string{`unknown command "xyzzy"`, "\n  see what there is: ctxfs --help"}, "xyzzy")
	b.refused(exitUsage, []string{"unknown flag: --nope", hint + "--help"}, "--nope")
	b.refused(exitUsage, []string{"unknown flag: --nope", hint + "mount --help"}, "mount", "--nope")
	b.refused(exitUsage, []string{`ctxfs: status takes no arguments, so "x" is one too many`, hint + "status --help"}, "status", "x")
	b.refused(exitUsage, []string{`--limit takes a number, not "x"`, hint + "find --help"}, "find", "-n", "x", "y")
	b.refused(exitUsage, []string{"--in needs a value", hint + "find --help"}, "find", "--in")
	b.refused(exitUsage, []string{"--list and --revoke exclude each other", hint + "trust --help"}, "trust", "--list", "--revoke")
	b.refused(exitUsage, []string{`completes in bash, zsh and fish, not in "nu"`}, "completion", "nu")
	b.refused(exitUsage, []string{"unknown shorthand flag: 'z'", hint + "ls --help"}, "ls", "-z")
	b.refused(exitUsage, []string{"--all and a folder exclude each other"}, "unmount", "--all", "/tmp")
}

// everyCommand calls visit with every command of the program, hidden ones and
// those of commands too.
func everyCommand(visit func(*cobra.Command)) {
	root := newRoot(&cli.App{})
	root.InitDefaultHelpCmd()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		visit(cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
}

// runHere runs the program in this process.
func runHere(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(context.Background(), cli.New(console.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, os.LookupEnv), args)
	return code, out.String(), err.String()
}

// TestShortHelp: the -h of every command fits a screen of 24 lines and 80 columns
// and leads to --help, which explains more.
func TestShortHelp(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		code, short, _ := runHere(append(slices.Clone(path), "-h")...)
		if code != exitOK || !strings.Contains(short, "Usage:\n  "+cmd.CommandPath()) || !strings.Contains(short, "\nMore: "+cmd.CommandPath()+" --help") {
			t.Errorf("%s -h: exit %d, %s", cmd.CommandPath(), code, short)
		}
		lines := strings.Split(strings.TrimSuffix(short, "\n"), "\n")
		if len(lines) > 24 {
			t.Errorf("%s -h has %d lines:\n%s", cmd.CommandPath(), len(lines), short)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s -h has a long line: %s", cmd.CommandPath(), line)
			}
		}
		code, long, _ := runHere(append(slices.Clone(path), "--help")...)
		if code != exitOK || !cmd.Hidden && (long == short || !strings.Contains(long, cmd.Long)) {
			t.Errorf("%s --help: exit %d, %s", cmd.CommandPath(), code, long)
		}
	})
}

// TestMissingArguments: a command that lacks an argument asks for it, and shows an
// example that has it and the help; one that has too many names the first of them.
func TestMissingArguments(t *testing.T) {
	t.Parallel()
	asked := 0
	everyCommand(func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if cmd.Args == nil || cmd.Args(cmd, nil) == nil {
			return
		}
		asked++
		code, _, complaint := runHere(path...)
		first, hint, _ := strings.Cut(complaint, "\n")
		if code != exitUsage || !strings.HasPrefix(first, "ctxfs: ") || !strings.Contains(first, "?") ||
			!strings.HasPrefix(hint, "  for example: "+cmd.CommandPath()+" ") || !strings.HasSuffix(hint, "\n  see how it is used: "+cmd.CommandPath()+" --help\n") {
			t.Errorf("%s: exit %d, %s", cmd.CommandPath(), code, complaint)
		}
	})
	if asked < 9 {
		t.Errorf("%d commands need arguments", asked)
	}
	for _, args := range [][]string{{"attach", "a", "X"}, {"read", "a", "b", "X"}, {"doctor", "X"}, {"uninstall", "X"}, {"sync", "a", "X"}, {"history", "a", "X"}} {
		if code, _, complaint := runHere(args...); code != exitUsage || !strings.Contains(complaint, `so "X" is one too many`) {
			t.Errorf("ctxfs %q: exit %d, %s", args, code, complaint)
		}
	}
}
