package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestReadmeCommands: the README's table of commands has every command of the
// program, and no other.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	must(t, err)
	_, table, _ := strings.Cut(string(text), "\n| command | what it does |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	for row := range strings.Lines(table) {
		cell := strings.Split(row, "|")[1]
		for _, m := range regexp.MustCompile("`ctxfs ([a-z-]+)").FindAllStringSubmatch(cell, -1) {
			named = append(named, m[1])
		}
	}
	var commands []string
	everyCommand(func(cmd *cobra.Command) {
		if cmd.HasParent() && !cmd.Parent().HasParent() && !cmd.Hidden && cmd.Name() != "help" {
			commands = append(commands, cmd.Name())
		}
	})
	for _, name := range commands {
		if !slices.Contains(named, name) {
			t.Errorf("the README's table of commands lacks ctxfs %s", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(commands, name) {
			t.Errorf("the README's table of commands has ctxfs %s, which there is not", name)
		}
	}
}
