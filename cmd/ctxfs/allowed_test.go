package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/setup/agents"
)

// TestAllowedCommands: what setup lets agents run without asking is there, and is none of
// the commands that run programs, act through servers, or decide for a person; a word that
// is allowed has no such command below it.
func TestAllowedCommands(t *testing.T) {
	acts := []string{
		"run", "term", "attach", "call", "read", "trust", "accept", "auth", "answer", "setup", "uninstall", "mount", "unmount", "restart",
		"remember", "forget", "note", "dismiss", "fetch", "stop", "wait", "stats",
	}
	// These flags write nothing, and read nothing that the command would not: look at a new
	// one before it is added here.
	harmless := []string{
		"all", "budget", "cwd", "diff", "facts", "guard", "help", "in", "json", "limit", "long", "page", "recursive", "session", "summary",
	}
	for _, words := range agents.Reading() {
		cmd, rest, err := newRoot(&cli.App{}).Find(strings.Fields(words))
		if err != nil || !cmd.HasParent() {
			t.Errorf("ctxfs %s: %v", words, err)
			continue
		}
		for _, flag := range rest {
			if cmd.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
				t.Errorf("ctxfs %s: there is no %s", words, flag)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(harmless, f.Name) {
				t.Errorf("ctxfs %s --%s: is that harmless, whoever asks for it?", words, f.Name)
			}
		})
		if slices.Contains(acts, cmd.Name()) {
			t.Errorf("ctxfs %s acts", words)
		}
		for _, below := range cmd.Commands() {
			if len(rest) == 0 && slices.Contains(acts, below.Name()) {
				t.Errorf("ctxfs %s allows ctxfs %s %s, which acts", words, words, below.Name())
			}
		}
	}
}
