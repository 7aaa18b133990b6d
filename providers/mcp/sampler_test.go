package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
)

// TestASamplerIsNamed while a server runs: a call under way goes on, one that asks
// meanwhile learns why it is declined, and once nothing uses the server it may ask.
func TestASamplerIsNamed(t *testing.T) {
	args := asking("sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`)
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.settings("")
		w.reopen()
		asks := func() (text string, asked *calls.AskedError) {
			r, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "asks", Arguments: json.RawMessage(args), Leave: true})
			switch {
			case errors.As(err, &asked):
				return "", asked
			case err != nil:
				return err.Error(), nil
			}
			return string(r.Text) + string(r.Aside), nil
		}
		text, _ := asks()
		fstest.Contains(t, text, "no command answers; to name one: [mcp] sampler = ")

		q, done := w.calling(context.Background(), "{}")
		w.settings("[mcp]\nsampler = [\"echo\", \"yes\"]\n")
		w.p.Reload()
		text, _ = asks()
		fstest.Contains(t, text, "no command answered when it was started; it is started again once nothing uses it, so call again")
		w.answered(q.ID, accept("--colour", "red"))
		if m := <-done; m.err != nil || !strings.Contains(string(m.r.Text), "red") {
			t.Fatalf("the call under way: %+v", m)
		}
		var asked *calls.AskedError
		w.await("it may ask", func() bool {
			_, asked = asks()
			return asked != nil
		})
		if asked.Question.Kind != form.AskSampling {
			t.Errorf("it asks %+v", asked.Question)
		}
		w.answered(asked.Question.ID, accept())
		fstest.Contains(t, w.continued(asked.Task), "yes")

		w.settings("")
		w.p.Reload()
		w.await("it may not ask", func() bool {
			text, asked = asks()
			if asked != nil {
				w.answered(asked.Question.ID, accept())
				w.continued(asked.Task)
			}
			return asked == nil
		})
		fstest.Contains(t, text, "no command answers; to name one: [mcp] sampler = ")
	})
}

// TestASamplerIsNamedMeanwhile: a server that does not run when a sampler is named is
// asked again for its tools, by this process or by the next one.
func TestASamplerIsNamedMeanwhile(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
		w.settings("")
		w.open().start()
		w.untilState("callee", "ready")
		starts := 1
		again := func(text string, open func()) {
			t.Helper()
			w.settings(text)
			open()
			starts++
			w.await("it has started again", func() bool { return count("start") == starts })
			w.untilState("callee", "ready")
		}
		const sampler = "[mcp]\nsampler = [\"echo\"]\n"
		again(sampler, func() { w.reopen().start() })
		w.reopen().start()
		if state := w.p.All()[0].Summary().Condition.State; state != instance.StateCached {
			t.Errorf("a server that knows it is %s", state)
		}
		again("", w.p.Reload)
		if n := count("start"); n != starts {
			t.Errorf("it was started %d times, not %d", n, starts)
		}
	})
}
