package main

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// TestPrompt: the command prints AGENTS.md, with and without a mount, and more of
// it where it may.
func TestPrompt(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.fromEverywhere()
	b.write(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Use it for a unicorn.\n---\nRide.\n")
	b.mount()
	b.ready("zoo", "bank", "farm")
	b.shows("AGENTS.md", "Servers (tools): bank (1), farm (1), zoo (1)", "## transcripts/: none yet")
	page := b.ok("prompt")
	if page != b.read("AGENTS.md") || prompt.Tokens(page) > prompt.Budget || strings.Contains(page, "greet") {
		t.Errorf("the page of %d tokens is\n%s\nand AGENTS.md\n%s", prompt.Tokens(page), page, b.read("AGENTS.md"))
	}
	full := b.ok("prompt", "--budget", "1000")
	fstest.Contains(t, full, "\n  - greet — Says hello to a xylophone.\n", "- one — ", "unicorn")
	words := []string{"a budget of 50 tokens is too small: the shortest page has ", "\n  allow more: ctxfs prompt --budget 600"}
	b.refused(exitUsage, words, "prompt", "--budget", "50")
	b.refused(exitUsage, []string{"--budget takes a number of tokens"}, "prompt", "--budget=-1")
	b.refused(exitUsage, []string{"takes no arguments, so \"zoo\" is one too many", "ctxfs prompt --help"}, "prompt", "zoo")

	// Servers that stop for a while, and the process that ends, change nothing.
	b.ok("unmount")
	if got := b.ok("prompt"); got != page {
		t.Errorf("without a mount the page is\n%s\nand was\n%s", got, page)
	}
	if got := b.ok("prompt", "--budget", "1000"); got != full {
		t.Errorf("without a mount the full page is\n%s\nand was\n%s", got, full)
	}
}
