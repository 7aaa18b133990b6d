package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
)

const (
	// hookTime is how long the answer to a hook may take: an agent waits for it.
	hookTime = 2 * time.Second
	// askTime is how much of it the background process may take.
	askTime = time.Second
	// maxHook is the limit in bytes for a hook's input. The longest thing that
	// agents send is a summary.
	maxHook = 8 << 20
)

// hookInput has the fields that the hooks of Claude Code, Codex, Cursor and Gemini
// CLI share, and those that distinguish them.
type hookInput struct {
	Event          string `json:"hook_event_name"`
	SessionID      string `json:"session_id"`
	ConversationID string `json:"conversation_id"` // of Cursor's
	TranscriptPath string `json:"transcript_path"` // may be null
	TurnID         string `json:"turn_id"`         // of Codex's alone
}

// answerHook answers an agent's hook. Whatever happens, it returns within hookTime
// and the command exits with 0: an exit code of 2, which is also that of a panic,
// would stop the agent.
func answerHook(ctx context.Context, a *cli.App) {
	a.Note = nil // an agent is told only what concerns its session
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- result{err: fmt.Errorf("%v", fault)}
			}
		}()
		text, err := hookText(ctx, a)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			a.Notef("the hook is not answered: %v", r.err)
			return
		}
		_, _ = io.WriteString(a.Out, r.text) // an agent that does not read it does not want it
	case <-ctx.Done():
		a.Notef("the hook is not answered: its input did not end")
	}
}

func hookText(ctx context.Context, a *cli.App) (string, error) {
	if console.IsTerminal(a.In) {
		return "", errors.New("--hook is for agents, which give JSON on the input")
	}
	text, err := io.ReadAll(io.LimitReader(a.In, maxHook+1))
	if err != nil {
		return "", err
	}
	in, err := parseHook(text)
	if err != nil {
		return "", err
	}
	id, err := in.session()
	if err != nil {
		return "", err
	}
	return in.answer(historyLine(ctx, a, id))
}

// parseHook reads the input of a hook.
func parseHook(text []byte) (in hookInput, err error) {
	if len(text) > maxHook {
		return in, fmt.Errorf("its input has more than %d bytes", maxHook)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &in); err != nil {
		return in, fmt.Errorf("its input is not the JSON of a hook: %w", err)
	}
	return in, nil
}

// session is the id of the session that the hook names.
func (in hookInput) session() (string, error) {
	id := in.ConversationID
	if id == "" {
		id = in.SessionID
	}
	if name := filepath.Base(in.TranscriptPath); id == "" && in.TranscriptPath != "" {
		id = strings.TrimSuffix(name, filepath.Ext(name))
	}
	switch {
	case id == "":
		return "", errors.New("its input names no session")
	case len(id) > 200 || strings.Trim(id, ".") == "" || strings.ContainsFunc(id, isNoID):
		return "", errors.New("the session has an id that cannot be a name")
	}
	return id, nil
}

func isNoID(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.')
}

// answer returns the output that hands the line to the agent:
//
//  1. At a start it goes to the model.
//  2. Before a compaction, Claude Code takes text as an instruction for the summary.
//  3. Before a compaction in other agents, and after one in all of them, it can only
//     be shown to the user; the model gets it at the start that follows.
func (in hookInput) answer(line string) (string, error) {
	output := map[string]any{"systemMessage": line}
	switch in.Event {
	case "SessionStart": // Claude Code, Codex, Gemini CLI
		return jsonLine(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": in.Event, "additionalContext": line,
		}})
	case "sessionStart": // Cursor
		return jsonLine(map[string]any{"additional_context": line})
	case "preCompact": // Cursor
		return jsonLine(map[string]any{"user_message": line})
	case "PreCompact":
		if in.TurnID != "" { // Codex
			return jsonLine(output)
		}
		return "End the summary with this line, word for word:\n" + line + "\n", nil
	case "PostCompact", // Claude Code, Codex
		"PreCompress": // Gemini CLI
		return jsonLine(output)
	case "":
		return "", errors.New("its input names no event")
	}
	return "", fmt.Errorf("there is no answer to the event %q", in.Event)
}

func jsonLine(value any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return b.String(), err
}

// historyLine names the history of a session, which may not be written yet, and how to
// search it. It uses the path by id, since that never changes.
func historyLine(ctx context.Context, a *cli.App, id string) string {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	const what = "Full history of this session, also from before compactions: "
	folder := transcriptsFolder + "/by-id/" + id
	shown, _ := currentViews(ctx, a) // nowhere, where that cannot be found out
	for _, v := range shown {
		if v.Kind == "fuse" {
			file := filepath.Join(v.Dir, folder, "transcript.md")
			return fmt.Sprintf("%s%s (rg -n WORDS %s; digest.md beside it sums up).", what, file, wording.ShellWord(file))
		}
	}
	program := "ctxfs"
	if _, err := exec.LookPath(program); err != nil {
		if self, err := os.Executable(); err == nil {
			program = wording.ShellWord(self)
		}
	}
	return fmt.Sprintf("%s%s cat %s/transcript.md | rg -n WORDS (%[2]s cat %[3]s/digest.md sums up).", what, program, folder)
}
