package render

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
)

// TestAsks: what waits for the user is told, and nothing that was answered.
func TestAsks(t *testing.T) {
	const question = "Shall I keep the old table?"
	ask := func(s *story) {
		s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "q", Name: "AskUserQuestion", Input: `{"questions":[{"question":"` + question + `"}]}`}})
	}
	for name, c := range map[string]struct {
		end  func(s *story)
		want string
	}{
		"a question":               {func(s *story) { s.assistant("Two ways. " + question) }, question},
		"a question and a remark":  {func(s *story) { s.assistant(question + " I have not touched it yet.") }, question},
		"a question of long ago":   {func(s *story) { s.assistant(question + " " + strings.Repeat("So it is. ", 100)) }, ""},
		"the head of a table":      {func(s *story) { s.assistant("Done.\n\n| function | in the library? |\n|---|---|\n| a | no |") }, ""},
		"no question":              {func(s *story) { s.assistant("All is done.") }, ""},
		"an answer":                {func(s *story) { s.assistant(question); s.user("Yes.") }, ""},
		"work that went on":        {func(s *story) { s.assistant(question); s.call("Read", `{"file_path":"/f"}`, "x", false) }, ""},
		"a tool that asks":         {ask, question},
		"a tool that was answered": {func(s *story) { s.call("ask_user", `{"question":"`+question+`"}`, "Yes", false) }, ""},
		"a completion":             {func(s *story) { s.call("attempt_completion", `{"result":"All rows are moved."}`, "", false) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := shopStory()
			s.user("Move the rows.")
			c.end(s)
			fstest.Equal(t, s.summary("/home/u/shop").Brief().Asks, c.want, "asks")
		})
	}
}
