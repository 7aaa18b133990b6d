package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"ctxfs/providers/prompt"
)

// factsFlag has ctxfs prompt make the page of the facts on its standard input.
const factsFlag = "facts"

// pageTime is how long another process may take to make the page.
const pageTime = 5 * time.Second

// promptPage makes AGENTS.md. Counting tokens takes a vocabulary of some 13 MB,
// which cannot be given back: a process that stays has it done by one that ends.
func (w *world) promptPage(ctx context.Context, folders []prompt.Folder) ([]byte, error) {
	if w.counter != "" {
		text, err := w.counted(ctx, folders)
		if err == nil {
			return text, nil
		}
		w.log.Warn("AGENTS.md is made in the background process", "error", err)
	}
	return []byte(prompt.Page(folders)), nil
}

func (w *world) counted(ctx context.Context, folders []prompt.Folder) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	facts, err := json.Marshal(folders)
	if err != nil {
		return nil, err
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, w.counter, "prompt", "--"+factsFlag)
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(facts), &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s prompt: %w: %s", w.counter, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.Bytes(), nil
}

// promptOfFacts is the other side of it.
func (a *app) promptOfFacts() error {
	var folders []prompt.Folder
	if err := json.NewDecoder(a.in).Decode(&folders); err != nil {
		return fmt.Errorf("the facts on standard input: %w", err)
	}
	_, err := fmt.Fprint(a.out, prompt.Page(folders))
	return err
}
