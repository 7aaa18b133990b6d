package claudecode

import (
	"slices"
	"strings"

	"ctxfs/providers/transcripts/event"
)

// promptQueue are the prompts that were given while the agent worked. A prompt
// is enqueued, and then either dequeued, when it becomes an ordinary user's
// record, or removed: the running turn has taken it up. Of that there may be an
// attachment beside it, before or after, or nothing else at all (2.1.17 to
// 2.1.36). It is told where it is taken up, once.
type promptQueue struct {
	// Waiting are enqueued.
	Waiting []string
	// Told have been told as removed, Owed as attachments, since the model's last
	// words.
	Told, Owed []string
	// Sent are dequeued, and will come as records.
	Sent []string
}

// queueLimit is how many prompts are remembered; nobody has as many waiting.
const queueLimit = 100

func remember(list []string, text string) []string {
	if len(list) == queueLimit {
		list = slices.Clone(list[1:])
	}
	return append(list, text)
}

// forget takes a text out of a list.
func forget(list *[]string, text string) bool {
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

// next takes out the waiting prompt with that text, or the first where the
// record does not say which.
func (q *promptQueue) next(text string) string {
	if text == "" && len(q.Waiting) > 0 {
		text = q.Waiting[0]
	}
	forget(&q.Waiting, text)
	return text
}

// sent tells whether a user's record is a prompt that waited: one, or several
// that are sent together.
func (q *promptQueue) sent(text string) bool {
	text = storable(text)
	if forget(&q.Sent, text) {
		return true
	}
	if forget(&q.Waiting, text) {
		return true
	}
	if len(q.Sent) > 1 && strings.Join(q.Sent, "\n") == text {
		q.Sent = nil
		return true
	}
	return false
}

// idle says that a prompt was sent at once: then none waited any more. Those
// that still do went down with a program that was ended.
func (q *promptQueue) idle() { q.Waiting = nil }

// answered says that the model has spoken: what belongs together stands before.
func (q *promptQueue) answered() { q.Told, q.Owed = nil, nil }

func (r *reader) queueOperation(c *record) {
	q := &r.Queue
	text := storable(flatText(c.Content))
	switch c.all.Get("operation").String() {
	case "enqueue":
		q.Waiting = remember(q.Waiting, text)
	case "dequeue":
		q.Sent = remember(q.Sent, q.next(text))
	case "popAll":
		// The prompts are back in the user's editor.
		q.Waiting = nil
	case "remove":
		if text == "" && len(q.Owed) > 0 {
			q.Owed = q.Owed[1:]
			return
		}
		if forget(&q.Owed, text) {
			return
		}
		text = q.next(text)
		if text == "" {
			return
		}
		q.Told = remember(q.Told, text)
		r.emit(c, event.Event{Kind: event.User, Origin: queuedOrigin(text), Text: text})
	}
}

// attachment reads what the program put beside the conversation. Only a prompt
// that was queued is part of it.
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
	text := storable(flatText(prompt))
	if forget(&r.Queue.Told, text) {
		return
	}
	if forget(&r.Queue.Waiting, text) {
		r.Queue.Owed = remember(r.Queue.Owed, text)
	}
	origin := event.Queued
	kind := a.Get("origin.kind").String()
	if mode := a.Get("commandMode").String(); mode == "task-notification" || a.Get("isMeta").Bool() || kind != "" && kind != "human" {
		origin = event.Injected
	}
	r.said(c, contentBlocks(prompt), origin)
}

// queuedOrigin tells who spoke a queued text: the program queues notices, too.
func queuedOrigin(text string) string {
	if hasAnyPrefix(text, injectedPrefixes[:]) {
		return event.Injected
	}
	return event.Queued
}
