package claudecode

import (
	"slices"
	"strings"

	"ctxfs/providers/transcripts/event"
)

// promptQueue holds the prompts that were entered while the agent worked. A prompt
// is enqueued, and then either dequeued, when it becomes an ordinary user's record,
// or removed: the running turn has taken it up. A removal may come with an
// attachment that has the prompt, before or after it, or without one (2.1.17 to
// 2.1.36). A prompt is emitted where it is taken up, once. The JSON form is part of
// the saved state.
type promptQueue struct {
	// Waiting are enqueued.
	Waiting []string
	// Removed have been emitted as removed, since the model last spoke.
	Removed []string `json:"Told"`
	// Attached have been emitted as attachments, since the model last spoke.
	Attached []string `json:"Owed"`
	// Sent are dequeued, and will come as records.
	Sent []string
}

// maxQueued is how many prompts are remembered, more than ever wait at a time.
const maxQueued = 100

func appendLimited(list []string, text string) []string {
	if len(list) == maxQueued {
		list = slices.Clone(list[1:])
	}
	return append(list, text)
}

// remove removes a text from a list, and reports whether it was there.
func remove(list *[]string, text string) bool {
	i := slices.Index(*list, text)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	if len(*list) == 0 {
		*list = nil
	}
	return true
}

// takeWaiting removes and returns the waiting prompt with that text, or the first
// one if the record does not name it.
func (q *promptQueue) takeWaiting(text string) string {
	if text == "" && len(q.Waiting) > 0 {
		text = q.Waiting[0]
	}
	remove(&q.Waiting, text)
	return text
}

// wasQueued reports whether a user's record is a prompt that waited: one, or
// several that were sent together.
func (q *promptQueue) wasQueued(text string) bool {
	text = validUTF8(text)
	if remove(&q.Sent, text) {
		return true
	}
	if remove(&q.Waiting, text) {
		return true
	}
	if len(q.Sent) > 1 && strings.Join(q.Sent, "\n") == text {
		q.Sent = nil
		return true
	}
	return false
}

// dropWaiting forgets the waiting prompts. A prompt that is sent at once shows that
// the queue is empty: those that are still listed were lost when a program exited.
func (q *promptQueue) dropWaiting() { q.Waiting = nil }

// startAnswer ends the matching of removals with attachments: they come together,
// before the model's next message.
func (q *promptQueue) startAnswer() { q.Removed, q.Attached = nil, nil }

func (r *reader) queueOperation(c *record) {
	q := &r.Queue
	text := validUTF8(textOf(c.Content))
	switch c.value.Get("operation").String() {
	case "enqueue":
		q.Waiting = appendLimited(q.Waiting, text)
	case "dequeue":
		q.Sent = appendLimited(q.Sent, q.takeWaiting(text))
	case "popAll":
		// The prompts are back in the user's editor.
		q.Waiting = nil
	case "remove":
		if text == "" && len(q.Attached) > 0 {
			q.Attached = q.Attached[1:]
			return
		}
		if remove(&q.Attached, text) {
			return
		}
		text = q.takeWaiting(text)
		if text == "" {
			return
		}
		q.Removed = appendLimited(q.Removed, text)
		r.emit(c, event.Event{Kind: event.User, Origin: originOfQueued(text), Text: text})
	}
}

// attachment reads what the program put beside the conversation. Only a queued
// prompt and the error of a hook that blocked are part of it.
func (r *reader) attachment(c *record) {
	a := c.Attachment
	switch a.Get("type").String() {
	case "queued_command":
	case "hook_blocking_error":
		if text := a.Get("blockingError.blockingError").String(); text != "" {
			r.emit(c, event.Event{Kind: event.System, Text: a.Get("hookName").String() + ": " + text})
		}
		return
	default:
		return
	}
	prompt := a.Get("prompt")
	text := validUTF8(textOf(prompt))
	if remove(&r.Queue.Removed, text) {
		return
	}
	if remove(&r.Queue.Waiting, text) {
		r.Queue.Attached = appendLimited(r.Queue.Attached, text)
	}
	origin := event.Queued
	kind := a.Get("origin.kind").String()
	if mode := a.Get("commandMode").String(); mode == "task-notification" || a.Get("isMeta").Bool() || kind != "" && kind != "human" {
		origin = event.Injected
	}
	r.userBlocks(c, contentBlocks(prompt), origin)
}

// originOfQueued returns the origin of a queued text: the program queues notices,
// too.
func originOfQueued(text string) string {
	if hasAnyPrefix(text, injectedPrefixes[:]) {
		return event.Injected
	}
	return event.Queued
}
