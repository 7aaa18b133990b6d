package agents

import (
	"path/filepath"
	"regexp"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Codex keeps a session in sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl
// below CODEX_HOME (~/.codex); archiving moves the file to archived_sessions,
// and after some days it may be packed (.zst). What is known is from openai/codex
// (codex-rs/rollout, codex-rs/protocol).
//
// A line is {timestamp, type, payload}. The conversation is told twice: as the
// items that went to the model and came from it (response_item), and as what the
// program showed (event_msg). Which of the two comes first differs between
// versions, a fork may repeat one without the other, and old logs have only one:
// of two equal texts that the two tell, the first one counts ([twice]). Up to
// September 2025 lines were bare items, with neither type nor payload around
// them.
func codex() history.Agent {
	return history.Agent{Name: "codex", Places: func(m history.Machine) []history.Place {
		home := m.Env("CODEX_HOME", filepath.Join(m.Home, ".codex"))
		names := &codexNames{path: filepath.Join(home, "session_index.jsonl")}
		return []history.Place{
			{Dir: filepath.Join(home, "sessions"), File: func(rel string) history.Format { return codexFile(rel, names, false) }},
			{Dir: filepath.Join(home, "archived_sessions"), File: func(rel string) history.Format { return codexFile(rel, names, true) }},
		}
	}}
}

// codexRollout is the name of a log; the group is the session's id.
var codexRollout = regexp.MustCompile(`^rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl(\.zst)?$`)

// codexFile tells how a file below one of Codex's folders is read.
func codexFile(rel string, names *codexNames, archived bool) history.Format {
	m := codexRollout.FindStringSubmatch(rel[strings.LastIndexByte(rel, '/')+1:])
	if m == nil {
		return nil
	}
	log := history.Log{
		ID:       m[1],
		Open:     func(string) history.Reader { return &codexReader{names: names} },
		Rank:     2,
		Archived: archived,
	}
	if m[2] != "" {
		log.Rank, log.Compressed = 1, true
	}
	return log
}

// codexReader reads one rollout.
type codexReader struct {
	names *codexNames

	// Own tells that the session's own header was read: a later one is that of a
	// session whose beginning is repeated here, or of a resumption.
	Own bool `json:"own,omitempty"`
	// Replay tells that what is read now is the repeated beginning of the parent,
	// which is told there; Replayed counts its records, Turned tells that they
	// name their turns.
	Replay   bool `json:"replay,omitempty"`
	Replayed int  `json:"replayed,omitempty"`
	Turned   bool `json:"turned,omitempty"`
	// Prompts counts what the user typed and did not take back.
	Prompts int `json:"prompts,omitempty"`
	// Tokens is the size of the context, Model who answers.
	Tokens int    `json:"tokens,omitempty"`
	Model  string `json:"model,omitempty"`
	// Twice are the texts that the other teller has yet to repeat.
	Twice twice `json:"twice,omitzero"`
	// Tools are the names of the tools whose results are awaited.
	Tools pendingCalls `json:"tools,omitzero"`
}

// Record implements Reader.
func (r *codexReader) Record(line []byte, out event.Sink) {
	if !validRecord(line, out) {
		return
	}
	rec := record{line: line}
	var typ string
	var payload lazyjson.Value
	lazyjson.Parse(line).ForEach(func(k, v lazyjson.Value) bool {
		switch k.Str {
		case "timestamp", "created_at":
			rec.time = parseTime(v.Str)
		case "type":
			typ = v.Str
		case "payload":
			payload = v
		}
		return true
	})
	if !payload.IsObject() {
		r.bare(rec, lazyjson.Parse(line), out)
		return
	}
	rec = rec.of(payload)
	if r.Replay {
		if r.replayed(typ, rec, out) {
			return
		}
		r.Replay = false
		out.Emit(event.Event{Kind: event.Fork, Time: rec.time, Text: out.Session().ForkOf,
			Rewound: &event.Rewound{Count: r.Replayed}})
	}
	r.wrapped(typ, rec, out)
}

// wrapped takes a line of today's form.
func (r *codexReader) wrapped(typ string, rec record, out event.Sink) {
	switch typ {
	case "response_item":
		r.item(rec, out)
	case "event_msg":
		r.told(rec, out)
	case "session_meta":
		r.header(rec, out)
	case "turn_context":
		if s := rec.str("model"); s != "" {
			r.Model = s
			out.Session().Model = s
		}
		rec.quiet(event.System, out)
		r.turn(rec, out)
	case "compacted":
		// replacement_history says again what stands above.
		out.Emit(event.Event{Kind: event.Compaction, Time: rec.time,
			Compact: &event.Compact{Tokens: r.Tokens, Summary: rec.str("message")}})
		r.Tokens = 0
	case "inter_agent_communication":
		r.between(rec, out)
	case "world_state", "inter_agent_communication_metadata", "security_state", "token_usage_record":
		rec.quiet(event.System, out)
	default:
		emitUnknown(out, typ, rec.line)
	}
}

// bare takes a line from the time when items stood alone.
func (r *codexReader) bare(rec record, v lazyjson.Value, out event.Sink) {
	rec = rec.of(v)
	switch typ := rec.str("type"); {
	case !v.IsObject():
		emitUnknown(out, "no object", rec.line)
	case typ != "":
		r.item(rec, out)
	case rec.Get("record_type").Exists():
		rec.quiet(event.System, out)
	case rec.Get("role").Exists():
		r.message(rec, out)
	case rec.str("id") != "":
		r.header(rec, out)
	default:
		emitUnknown(out, "", rec.line)
	}
}

// header takes what a log says of its session.
func (r *codexReader) header(rec record, out event.Sink) {
	defer rec.quiet(event.System, out)
	id, s := rec.str("id"), out.Session()
	if id == "" || r.Own && s.ID != id {
		return
	}
	first := !r.Own
	r.Own, s.ID = true, id
	s.Saw(parseTime(rec.str("timestamp")))
	if cwd := rec.str("cwd"); cwd != "" && first {
		s.CWD = cwd
	}
	if b := rec.Get("git.branch").Str; b != "" && first {
		s.Branch = b
	}
	if v := rec.str("cli_version"); v != "" {
		s.Program = v
	}
	if first {
		s.Parent = rec.Get("source.subagent.thread_spawn.parent_thread_id").Str
		if s.Parent == "" {
			s.Parent = rec.str("parent_thread_id")
		}
		s.ForkOf = rec.str("forked_from_id")
		// Only where the parent is there can its part be left to it.
		r.Replay = s.ForkOf != "" && s.ForkOf != id && out.Inherited("session:"+s.ForkOf)
	}
	out.Note("session:" + id)
	r.name(out)
}

// name looks up what the session is called.
func (r *codexReader) name(out event.Sink) {
	if r.names != nil {
		out.Session().Name(event.FromAgent, r.names.of(out.Session().ID))
	}
}

// turn notes the turn that a record begins.
func (r *codexReader) turn(rec record, out event.Sink) {
	if id := rec.str("turn_id"); id != "" {
		r.Turned = true
		out.Note("turn:" + id)
	}
}

// replayed tells whether a record is one of the parent's, which a fork repeats
// under new times. The first turn that the parent does not know is the fork's
// own; where turns have no ids, the first prompt or call that it does not know.
// The ids are noted for forks of the fork.
func (r *codexReader) replayed(typ string, rec record, out event.Sink) bool {
	id := ""
	switch {
	case (typ == "turn_context" || typ == "event_msg") && rec.str("turn_id") != "":
		id, r.Turned = "turn:"+rec.str("turn_id"), true
	case typ == "response_item" && strings.HasSuffix(rec.str("type"), "_call") && rec.str("call_id") != "":
		id = "call:" + rec.str("call_id")
	case typ == "event_msg" && !r.Turned && rec.str("type") == "user_message":
		id = promptID(rec.str("message"))
	}
	if id != "" {
		if !out.Inherited(id) {
			return false
		}
		out.Note(id)
	}
	r.Replayed++
	return true
}
