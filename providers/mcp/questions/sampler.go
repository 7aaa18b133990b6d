package questions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/rawjson"
)

// The bounds of a sampler, in bytes.
const (
	maxPrompt  = 4 << 20
	maxSampled = 1 << 20
)

// maxSampling is how long the command that answers in place of a language model may
// take.
const maxSampling = 5 * time.Minute

// Sampling configures the answers: the command with which a user answers in place of
// a language model, and how long a question waits. It is safe for concurrent use.
type Sampling struct {
	dir     string
	environ func() []string
	spawner *procs.Spawner
	set     atomic.Pointer[setting]
}

type setting struct {
	command []string // or nil
	wait    time.Duration
}

// NewSampling returns a sampling whose commands run in a folder, with an environment.
func NewSampling(dir string, environ func() []string) *Sampling {
	return &Sampling{dir: dir, environ: environ, spawner: procs.NewSpawner()}
}

// Set sets the command, and how long a question waits. It reports whether a command
// answers now where none did before, or the other way round.
func (s *Sampling) Set(command []string, wait time.Duration) (changed bool) {
	was := s.set.Swap(&setting{command, wait})
	return was != nil && (len(was.command) > 0) != (len(command) > 0)
}

// Wait returns how long a question waits.
func (s *Sampling) Wait() time.Duration { return s.set.Load().wait }

// Answers reports whether a command answers in place of a language model.
func (s *Sampling) Answers() bool { return len(s.set.Load().command) > 0 }

// Close ends the commands that run.
func (s *Sampling) Close() { s.spawner.Close() }

// Answer returns what answers in place of a language model, or nil.
func (s *Sampling) Answer() func(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	command := s.set.Load().command
	if len(command) == 0 {
		return nil
	}
	return func(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
		return s.sample(ctx, command, request)
	}
}

// sample runs the command with which a user answers in place of a language model, and returns
// the result of sampling/createMessage. The command gets the parameters of that as JSON on
// its standard input, and its standard output is the text of the answer. No shell is involved.
func (s *Sampling) sample(ctx context.Context, command []string, request json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSampling)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	out, errs := &bounded{limit: maxSampled, full: cancel}, &bounded{limit: 4 << 10, full: func() {}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), out, errs
	cmd.Env, cmd.Dir = s.environ(), s.dir
	err := s.spawner.Start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	name := clean.Line(command[0])
	switch text := strings.TrimSpace(clean.Text(out.String())); {
	case out.over:
		return nil, fmt.Errorf("the sampler %s has written more than %s", name, wording.Size(maxSampled))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("the sampler %s has not answered within %s", name, wording.Seconds(maxSampling))
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the sampler %s has failed: %w: %s", name, wording.Cause(err), clean.Cut(clean.Line(errs.String()), 300))
	case text == "":
		return nil, fmt.Errorf("the sampler %s has written nothing", name)
	default:
		return json.Marshal(map[string]any{
			"role": "assistant", "content": map[string]string{"type": "text", "text": text},
			"model": filepath.Base(command[0]), "stopReason": "endTurn",
		})
	}
}

// bounded keeps the beginning of what is written to it, and calls full when there is
// more.
type bounded struct {
	strings.Builder
	limit int
	full  func()
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.Len()
	if len(p) > room {
		b.over = true
		b.full()
		b.Builder.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Builder.Write(p)
}

// promptText returns a prompt as a person reads it.
func promptText(request json.RawMessage) string {
	var prompt struct {
		SystemPrompt string          `json:"systemPrompt"`
		Messages     json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(request, &prompt) // what is missing is not shown
	var out strings.Builder
	if prompt.SystemPrompt != "" {
		out.WriteString("system: " + prompt.SystemPrompt + "\n")
	}
	for _, raw := range rawjson.Parts(prompt.Messages) {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(raw, &m) // as above
		blocks := []json.RawMessage{m.Content}
		if bytes.HasPrefix(bytes.TrimSpace(m.Content), []byte("[")) {
			_ = json.Unmarshal(m.Content, &blocks) // as above
		}
		for _, block := range blocks {
			var is struct{ Type, Text string }
			_ = json.Unmarshal(block, &is) // as above
			if is.Type != "text" {
				is.Text = "[" + is.Type + "]"
			}
			out.WriteString(m.Role + ": " + is.Text + "\n")
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}
