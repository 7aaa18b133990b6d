package claudecode

import (
	"strconv"

	"ctxfs/providers/transcripts/event"
)

// replayed reports whether a record was emitted before: in this log, or in the
// session that this one continues. Forks and resumed sessions begin with the
// records of the other session, with their uuids and times.
func (r *reader) replayed(c *record) bool {
	r.findOrigin(c)
	if c.UUID == "" {
		return false
	}
	if _, known := c.out.Known(c.UUID); known {
		return true
	}
	if c.out.Inherited(c.UUID) {
		r.Inherited++
		return true
	}
	if r.Inherited > 0 {
		c.out.Emit(event.Event{
			Kind: event.Fork, Time: c.Time, Text: c.out.Session().ForkOf,
			Rewound: &event.Rewound{Count: r.Inherited},
		})
		r.Inherited = 0
	}
	return false
}

// findOrigin finds the session that this one is a fork or a continuation of. A
// fork's records name it; a continuation begins with records that name another
// session than its file does.
func (r *reader) findOrigin(c *record) {
	s := c.out.Session()
	switch {
	case s.ForkOf != "" || r.subagent:
	case c.Fork.Exists():
		if id := c.Fork.Get("sessionId").String(); id != r.id {
			s.ForkOf = id
		}
	case c.UUID != "" && c.Session != "" && c.Session != r.id && isUUID(r.id):
		s.ForkOf = c.Session
	}
}

// rewind emits a mark where a prompt does not follow the last thing said: its
// parent is an earlier record. Only prompts are checked, since results of calls
// that ran at the same time and texts of the program branch off all the time.
func (r *reader) rewind(c *record) {
	if r.Conversation == 0 || c.UUID == "" || r.inlineAgent(c) != "" {
		return
	}
	to, known := c.out.Known(c.Parent)
	if !known && !c.Root || to >= r.Conversation {
		return
	}
	c.out.Emit(event.Event{Kind: event.Rewind, Time: c.Time, Rewound: &event.Rewound{To: to}})
	r.Conversation = to
}

// partID returns the id of the nth event of a record, from 0.
func partID(uuid string, n int) string {
	if n == 0 {
		return uuid
	}
	return uuid + "#" + strconv.Itoa(n)
}

// isUUID reports whether text has the form of a UUID, as the ids of sessions do.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range text {
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash != (c == '-'):
			return false
		case !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F'):
			return false
		}
	}
	return true
}
