package render

import (
	"fmt"
	"strconv"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// AppendJSON appends the line of an event in messages.jsonl, which has all events,
// also quiet ones. Members without a value are left out:
//
//	seq       number in the session: that of the anchors in transcript.md
//	id        the agent's own id
//	time      RFC 3339, UTC
//	kind      user, assistant, thinking, tool-call, tool-result, system,
//	          compaction, rewind, fork, unknown
//	origin    of user events: queued, injected, sdk; none if typed
//	model     that said it
//	agent     the subagent within this session that it belongs to
//	text      what was said, uncut
//	call      {id, name, input or input_text}: input where the arguments are JSON
//	result    {call, name, text, error, spill}: call is the call's id, spill the
//	          agent's own file with the whole
//	compact   {trigger, tokens, summary}
//	rewound   {to, count}
//	subagent  id of the session that a call has started
//	quiet     true if transcript.md does not have it
//	record    the agent's own record, where it says more; record_text if that is
//	          no JSON
//	at        [offset, length, part] of the record in the agent's log, in bytes
func AppendJSON(dst []byte, e *event.Event) []byte {
	from := len(dst)
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, int64(e.Seq), 10)
	dst = member(dst, "id", e.ID)
	if !e.Time.IsZero() {
		dst = append(dst, `,"time":"`...)
		dst = e.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
		dst = append(dst, '"')
	}
	dst = member(dst, "kind", string(e.Kind))
	dst = member(dst, "origin", e.Origin)
	dst = member(dst, "model", e.Model)
	dst = member(dst, "agent", e.Agent)
	dst = member(dst, "text", e.Text)
	if c := e.Call; c != nil {
		dst = append(dst, `,"call":{`...)
		dst = member(dst, "id", c.ID)
		dst = member(dst, "name", c.Name)
		dst = append(appendForeign(dst, "input", c.Input), '}')
	}
	if r := e.Result; r != nil {
		dst = append(dst, `,"result":{`...)
		dst = member(dst, "call", r.CallID)
		dst = member(dst, "name", r.Name)
		dst = member(dst, "text", r.Text)
		dst = flag(dst, "error", r.Error)
		dst = append(member(dst, "spill", r.Spill), '}')
	}
	if c := e.Compact; c != nil {
		dst = append(dst, `,"compact":{`...)
		dst = member(dst, "trigger", c.Trigger)
		dst = number(dst, "tokens", c.Tokens)
		dst = append(member(dst, "summary", c.Summary), '}')
	}
	if r := e.Rewound; r != nil {
		dst = append(dst, `,"rewound":{`...)
		dst = number(dst, "to", r.To)
		dst = append(number(dst, "count", r.Count), '}')
	}
	dst = member(dst, "subagent", e.Subagent)
	dst = flag(dst, "quiet", e.Quiet)
	dst = appendForeign(dst, "record", e.Record)
	if e.At != (event.Span{}) {
		dst = append(dst, `,"at":[`...)
		dst = append(strconv.AppendInt(dst, e.At.Offset, 10), ',')
		dst = append(strconv.AppendInt(dst, e.At.Length, 10), ',')
		dst = append(strconv.AppendInt(dst, int64(e.At.Part), 10), ']')
	}
	dst = append(dst, '}')
	if !clean.Safe(dst[from:]) {
		dst = append(dst[:from], clean.JSON(dst[from:])...)
	}
	return append(dst, '\n')
}

// appendKey appends the name of a member, after a comma unless it is the first.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func member(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(appendKey(dst, name), value)
}

func number(dst []byte, name string, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, name), int64(n), 10)
}

func flag(dst []byte, name string, is bool) []byte {
	if !is {
		return dst
	}
	return append(appendKey(dst, name), "true"...)
}

// appendForeign appends JSON as it is, and other text as the string name_text.
func appendForeign(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	if isOneLine(text) && lazyjson.Valid([]byte(text)) {
		return append(appendKey(dst, name), text...)
	}
	return member(dst, name+"_text", text)
}

// isOneLine reports whether text has no line ends, and no space around it.
func isOneLine(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' {
			return false
		}
	}
	return text[0] != ' ' && text[len(text)-1] != ' '
}

// appendString appends a JSON string.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '"', '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// ParseMessage returns the event of a line of messages.jsonl. It is complete, but
// invalid UTF-8 has become U+FFFD, and invisible characters within foreign JSON are
// escaped.
func ParseMessage(line []byte) (event.Event, error) {
	var e event.Event
	if !lazyjson.Valid(line) {
		return e, fmt.Errorf("message: not JSON: %.40q", line)
	}
	v := lazyjson.Parse(line)
	if !v.IsObject() {
		return e, fmt.Errorf("message: not an object: %.40q", line)
	}
	for key, v := range lazyjson.All(v) {
		switch key.Str {
		case "seq":
			e.Seq = int(v.Int())
		case "id":
			e.ID = v.String()
		case "time":
			var err error
			if e.Time, err = time.Parse(time.RFC3339Nano, v.String()); err != nil {
				return e, fmt.Errorf("message: %w", err)
			}
		case "kind":
			e.Kind = event.Kind(v.String())
		case "origin":
			e.Origin = v.String()
		case "model":
			e.Model = v.String()
		case "agent":
			e.Agent = v.String()
		case "text":
			e.Text = v.String()
		case "call":
			e.Call = parseCall(v)
		case "result":
			e.Result = parseResult(v)
		case "compact":
			e.Compact = &event.Compact{Trigger: v.Get("trigger").String(), Tokens: int(v.Get("tokens").Int()), Summary: v.Get("summary").String()}
		case "rewound":
			e.Rewound = &event.Rewound{To: int(v.Get("to").Int()), Count: int(v.Get("count").Int())}
		case "subagent":
			e.Subagent = v.String()
		case "quiet":
			e.Quiet = v.Bool()
		case "record":
			e.Record = v.Raw
		case "record_text":
			e.Record = v.String()
		case "at":
			if at := v.Array(); len(at) == 3 {
				e.At = event.Span{Offset: at[0].Int(), Length: at[1].Int(), Part: int(at[2].Int())}
			}
		}
	}
	return e, nil
}

func parseCall(v lazyjson.Value) *event.Call {
	var c event.Call
	for key, v := range lazyjson.All(v) {
		switch key.Str {
		case "id":
			c.ID = v.String()
		case "name":
			c.Name = v.String()
		case "input":
			c.Input = v.Raw
		case "input_text":
			c.Input = v.String()
		}
	}
	return &c
}

func parseResult(v lazyjson.Value) *event.Result {
	var r event.Result
	for key, v := range lazyjson.All(v) {
		switch key.Str {
		case "call":
			r.CallID = v.String()
		case "name":
			r.Name = v.String()
		case "text":
			r.Text = v.String()
		case "error":
			r.Error = v.Bool()
		case "spill":
			r.Spill = v.String()
		}
	}
	return &r
}
