package render

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/transcripts/event"
)

// endingOf is the end of a digest of some tokens.
func endingOf(t *testing.T, s *Summary, budget int) string {
	t.Helper()
	digest := string(s.Digest(event.Session{Agent: "claude-code", ID: "08940314-9e93-46b1-a598-06bada65ed55"}, budget, tokens.Count))
	if n := tokens.Count(digest); n > budget {
		t.Errorf("%d tokens of %d:\n%s", n, budget, digest)
	}
	_, ending, found := strings.Cut(digest, "\n## Last words\n")
	if !found || strings.Contains(ending, "\n## ") {
		t.Errorf("the last words are not at the end:\n%s", digest)
	}
	return ending
}

// TestEndings are shown whatever the budget is.
func TestEndings(t *testing.T) {
	long := strings.Repeat("A sentence of some words that says how things are. ", 200)
	question := "Shall I keep the old table, or move all of its rows?"
	for name, c := range map[string]struct {
		end  func(s *story)
		want []string
	}{
		"a question": {func(s *story) { s.assistant(question) }, []string{"said last: " + question}},
		"a question after much else": {func(s *story) { s.assistant(long + "\n\n" + question) },
			[]string{question + " ["}},
		"a question before its options": {func(s *story) {
			s.assistant(long + question + "\n\n1. keep it\n2. move them\n\nI would move them.")
		}, []string{question + " 1. keep it 2. move them I would move them."}},
		"a question before a long reason": {func(s *story) { s.assistant(long + long + question + " " + long + "So far for the reasons.") },
			[]string{question + " … ", "So far for the reasons."}},
		"calls after it": {func(s *story) {
			s.assistant(question)
			for i := range 30 {
				s.call("Read", fmt.Sprintf(`{"file_path":"/f/%d"}`, i), long, false)
			}
		}, []string{question}},
		"a request": {func(s *story) { s.assistant(question); s.user("Move them, and " + long + "Do not drop the table!") },
			[]string{question, "the user said then: Move them, and", "Do not drop the table! ["}},
		"a tool that asks": {func(s *story) {
			s.assistant("There are two ways.")
			s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "q", Name: "AskUserQuestion", Input: `{"questions":[{"question":"` + question + `","options":[{"label":"Keep"},{"label":"Move"}]}]}`}})
		}, []string{"There are two ways.", "AskUserQuestion: " + question + " (Keep) (Move)", "no result yet: AskUserQuestion"}},
		"an answer": {func(s *story) {
			s.call("ask_followup_question", `{"question":"`+question+`","options":["Keep","Move"]}`, "<answer>Move</answer>", false)
		}, []string{question + " (Keep) (Move)", "answer to ask_followup_question: <answer>Move</answer>"}},
		"a plan that waits": {func(s *story) {
			s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "p", Name: "ExitPlanMode", Input: `{"plan":"# Plan\n` + long + `Last, drop the table."}`}})
		}, []string{"ExitPlanMode: # Plan", "Last, drop the table. [", "no result yet: ExitPlanMode"}},
		"a completion": {func(s *story) { s.call("attempt_completion", `{"result":"All rows are moved."}`, "", false) }, []string{"attempt_completion: All rows are moved."}},
		"an interrupted tool": {func(s *story) {
			s.assistant("I move them now.")
			s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "i", Name: "Bash", Input: `{"command":"psql -f move.sql"}`}})
			s.add(event.Event{Kind: event.User, Origin: event.Injected, Text: "[Request interrupted by user for tool use]"})
		}, []string{"I move them now.", "interrupted: [Request interrupted by user for tool use]", "no result yet: Bash `psql -f move.sql`"}},
		"an error": {func(s *story) {
			s.assistant("I move them now.")
			s.call("Bash", `{"command":"psql -f move.sql"}`, "ERROR: disk is full", true)
		}, []string{"I move them now.", "Bash failed: ERROR: disk is full"}},
		"an error of the program": {func(s *story) {
			s.user("Go on.")
			s.add(event.Event{Kind: event.Assistant, Model: "<synthetic>", Text: "API Error: 529 overloaded"})
		}, []string{"the user said then: Go on.", "API Error: 529 overloaded"}},
		"what was mended": {func(s *story) {
			s.call("Bash", `{"command":"go test"}`, "FAIL", true)
			s.call("Bash", `{"command":"go test"}`, "ok", false)
			s.assistant("It works.")
		}, []string{"said last: It works. ["}},
	} {
		t.Run(name, func(t *testing.T) {
			s := shopStory()
			for i := range 40 {
				s.user(fmt.Sprintf("message %d %s", i, long[:400]))
				s.call("Edit", fmt.Sprintf(`{"file_path":"/home/u/%d.go"}`, i), "no such file", i%3 == 0)
				s.assistant(long[:600])
			}
			c.end(s)
			sum := s.summary("/home/u/shop")
			for _, budget := range []int{700, 1000, 2000, 8000} {
				ending := endingOf(t, sum, budget)
				for _, want := range c.want {
					if !strings.Contains(ending, want) {
						t.Errorf("with %d tokens there is no %q:\n%s", budget, want, ending)
					}
				}
			}
			if ending := endingOf(t, sum, 2000); name == "what was mended" && strings.Contains(ending, "FAIL") {
				t.Error(ending)
			}
		})
	}
}

// TestNoDigestIsTooLong, of whatever letters the session is made.
func TestNoDigestIsTooLong(t *testing.T) {
	const budget = 2000
	for name, word := range map[string]string{
		"words": "word ", "one word": "x", "Chinese": "表示一个", "old letters": "𒐫𒈙", "emoji": "🧑‍🚀👩🏽‍🔬", "digits": "7", "marks": "?!#$%^&*()", "lines": "a\n", "broken": "\xff\xfe?", "base64": "aB3/xY9+", "Thai": "กำลัง", "spaces": " ?  ",
	} {
		text := strings.Repeat(word, 20_000/len(word))
		var s story
		for i := range 60 {
			s.user(text)
			s.assistant(text)
			s.call(text[:min(200, len(text))], `{"file_path":"/`+strings.ReplaceAll(text[:300], "\n", "")+fmt.Sprint(i)+`"}`, text, i%2 == 0)
			s.call("TodoWrite", fmt.Sprintf(`{"todos":[{"content":%q,"status":"pending"},{"content":%q,"status":"in_progress"}]}`, text[:400], text[:900]), "", false)
			s.add(event.Event{Kind: event.Compaction, Compact: &event.Compact{Trigger: text}})
		}
		s.assistant(text)
		s.user(text)
		for i := range 5 {
			s.add(event.Event{Kind: event.System, Text: text})
			s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: fmt.Sprint("open", i), Name: text, Input: text}})
		}
		sum := s.summary(text[:300])
		session := event.Session{Agent: "pi", ID: text, Title: text, CWD: text, Model: text, Start: at(1), Last: at(2)}
		digest := string(sum.Digest(session, budget, tokens.Count))
		if n := tokens.Count(digest); n > budget {
			t.Errorf("%s: %d tokens:\n%s", name, n, digest)
		}
		if !strings.Contains(digest, "\n## Last words\n- the model said last: ") {
			t.Errorf("%s: no last words:\n%s", name, digest)
		}
	}
}

func TestShortenToEnd(t *testing.T) {
	line := "First this. Then that was done at length and with care. Is it what you want? Say so."
	for limit := range len(line) + 10 {
		if got := shortenToEnd(line, limit); len(got) > limit && limit > 3 {
			t.Errorf("%d: %q has %d bytes", limit, got, len(got))
		}
	}
	for _, limit := range []int{70, 60} {
		if got := shortenToEnd(line, limit); !strings.Contains(got, "Is it what you want? Say so.") {
			t.Errorf("%d: %q", limit, got)
		}
	}
}
