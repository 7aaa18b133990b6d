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

// counter makes AGENTS.md of facts.
type counter func(context.Context, []prompt.Folder) (string, error)

// countedBy has a program make AGENTS.md. Counting tokens takes a vocabulary of
// some 13 MB, which cannot be given back: a process that stays has it done by one
// that ends.
func countedBy(program string) counter {
	return func(ctx context.Context, folders []prompt.Folder) (string, error) {
		facts, err := json.Marshal(folders)
		if err != nil {
			return "", err
		}
		var out, complaint bytes.Buffer
		cmd := exec.CommandContext(ctx, program, "prompt", "--"+factsFlag)
		cmd.Dir = "/"
		cmd.WaitDelay = time.Second
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(facts), &out, &complaint
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s prompt: %w: %s", program, err, bytes.TrimSpace(complaint.Bytes()))
		}
		return out.String(), nil
	}
}

// promptOfFacts is the other side of it.
func (a *app) promptOfFacts() error {
	var folders []prompt.Folder
	if err := json.NewDecoder(a.In).Decode(&folders); err != nil {
		return fmt.Errorf("the facts on standard input: %w", err)
	}
	_, err := fmt.Fprint(a.Out, prompt.Page(folders))
	return err
}
