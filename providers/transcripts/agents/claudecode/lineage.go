package claudecode

import (
	"strconv"

	"ctxfs/providers/transcripts/event"
)

// replayed tells whether a record was told before: in this log, or in the
// session that this one continues. Forks and resumed sessions begin with the
// records of the other session, with their uuids and times.
func (r *reader) replayed(c *record) bool {
	r.origin(c)
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

// origin finds out which session this one is a fork or a continuation of: a
// fork's records say so, and a successor begins with records that name another
// session than its file does.
func (r *reader) origin(c *record) {
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

// rewind marks that a prompt does not follow what was said last: its parent is
// an earlier record. Only prompts are looked at: results of calls that ran at
// the same time, and what the program adds, branch off all the time.
func (r *reader) rewind(c *record) {
	if r.Conversation == 0 || c.UUID == "" || r.inline(c) != "" {
		return
	}
	to, known := c.out.Known(c.Parent)
	if !known && !c.Root || to >= r.Conversation {
		return
	}
	c.out.Emit(event.Event{Kind: event.Rewind, Time: c.Time, Rewound: &event.Rewound{To: to}})
	r.Conversation = to
}

// partID is the id of the n-th event of a record, from 0.
func partID(uuid string, n int) string {
	if n == 0 {
		return uuid
	}
	return uuid + "#" + strconv.Itoa(n)
}

// isUUID tells whether text has the form of a uuid, as the ids of sessions do.
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
