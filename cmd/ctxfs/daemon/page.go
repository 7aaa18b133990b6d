package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"ctxfs/providers/prompt"
)

// FactsFlag has the command ctxfs prompt call [PrintPage].
const FactsFlag = "facts"

// PageBy returns a function that has a program make AGENTS.md from facts. Counting
// tokens needs a vocabulary of some 13 MB, whose memory cannot be released: a
// long-lived process leaves it to one that exits.
func PageBy(program string) func(context.Context, []prompt.Folder) (string, error) {
	return func(ctx context.Context, folders []prompt.Folder) (string, error) {
		facts, err := json.Marshal(folders)
		if err != nil {
			return "", err
		}
		var out, complaint bytes.Buffer
		cmd := exec.CommandContext(ctx, program, "prompt", "--"+FactsFlag)
		cmd.Dir = "/"
		cmd.WaitDelay = time.Second
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(facts), &out, &complaint
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s prompt: %w: %s", program, err, bytes.TrimSpace(complaint.Bytes()))
		}
		return out.String(), nil
	}
}

// PrintPage writes AGENTS.md made from the facts on facts. The background process
// runs the program again for that.
func PrintPage(w io.Writer, facts io.Reader) error {
	var folders []prompt.Folder
	if err := json.NewDecoder(facts).Decode(&folders); err != nil {
		return fmt.Errorf("the facts on standard input: %w", err)
	}
	_, err := fmt.Fprint(w, prompt.Page(folders))
	return err
}
