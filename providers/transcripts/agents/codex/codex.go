// Package codex reads the sessions of Codex. A session is a log of JSON lines,
// sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl below CODEX_HOME (~/.codex).
// Archiving moves the file to archived_sessions; after some days it may be
// compressed (.zst). The source of the format is openai/codex (codex-rs/rollout,
// codex-rs/protocol).
//
// A line is {timestamp, type, payload}. The log contains the conversation twice:
// as items that went to the model and came from it (response_item, items.go), and
// as events that the program showed (event_msg, events.go). Which of the two comes
// first differs between versions, a fork may repeat one without the other, and old
// logs have only one: of two equal texts in the two channels the first is emitted
// ([records.Dedup]). Until September 2025 lines were bare items, without type and
// payload around them.
package codex

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// Agent returns the reader of Codex.
func Agent() history.Agent {
	return history.Agent{Name: "codex", Places: func(m history.Machine) []history.Place {
		folders := m.Folders("codex")
		names := &threadNames{path: filepath.Join(filepath.Dir(folders[0]), "session_index.jsonl")}
		return []history.Place{
			{Dir: folders[0], File: func(rel string) history.Format { return formatOf(rel, names, false) }},
			{Dir: folders[1], File: func(rel string) history.Format { return formatOf(rel, names, true) }},
		}
	}}
}

// rolloutName matches the name of a log; the group is the session's id.
var rolloutName = regexps.Lazy(`^rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl(\.zst)?$`)

// formatOf returns the format of a file below one of Codex's folders.
func formatOf(rel string, names *threadNames, archived bool) history.Format {
	m := rolloutName().FindStringSubmatch(rel[strings.LastIndexByte(rel, '/')+1:])
	if m == nil {
		return nil
	}
	log := history.Log{
		ID:       m[1],
		Open:     func(string) history.Reader { return &reader{names: names} },
		Rank:     2,
		Spent:    spent,
		Archived: archived,
	}
	if m[2] != "" {
		log.Rank, log.Compressed = 1, true
	}
	return log
}

// reader reads one rollout.
type reader struct {
	names *threadNames

	// HeaderRead is set once the session's own header was read. A later header
	// belongs to a resumption, or to a session whose beginning is repeated here.
	HeaderRead bool `json:"own,omitempty"`
	// Replaying is set while records are the repeated beginning of the parent
	// session, which emits them. Replayed counts them. TurnIDs is set where they
	// name their turns.
	Replaying bool `json:"replay,omitempty"`
	Replayed  int  `json:"replayed,omitempty"`
	TurnIDs   bool `json:"turned,omitempty"`
	// Prompts counts what the user typed and did not take back.
	Prompts int `json:"prompts,omitempty"`
	// Tokens is the size of the context, Model the model that answers.
	Tokens int    `json:"tokens,omitempty"`
	Model  string `json:"model,omitempty"`
	// Texts are the texts that the other channel has yet to repeat.
	Texts records.Dedup `json:"twice,omitzero"`
	// Tools are the calls whose results have not come yet.
	Tools records.PendingCalls `json:"tools,omitzero"`
}

// Record implements [history.Reader].
func (r *reader) Record(line []byte, out event.Sink) {
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	rec := records.Line{Source: line}
	var typ string
	var payload lazyjson.Value
	for k, v := range lazyjson.All(v) {
		switch k.Str {
		case "timestamp", "created_at":
			rec.Time = records.ParseTime(v.Str)
		case "type":
			typ = v.Str
		case "payload":
			payload = v
		}
	}
	if !payload.IsObject() {
		r.bareItem(rec, v, out)
		return
	}
	rec = rec.Part(payload)
	if r.Replaying {
		if r.replayed(typ, rec, out) {
			return
		}
		r.Replaying = false
		out.Emit(event.Event{Kind: event.Fork, Time: rec.Time, Text: out.Session().ForkOf,
			Rewound: &event.Rewound{Count: r.Replayed}})
	}
	r.line(typ, rec, out)
}

// line reads a line of today's form.
func (r *reader) line(typ string, rec records.Line, out event.Sink) {
	switch typ {
	case "response_item":
		r.item(rec, out)
	case "event_msg":
		r.programEvent(rec, out)
	case "session_meta":
		r.header(rec, out)
	case "turn_context":
		if s := rec.Text("model"); s != "" {
			r.Model = s
			out.Session().Model = s
		}
		rec.EmitQuiet(event.System, out)
		r.noteTurn(rec, out)
	case "compacted":
		// replacement_history repeats what is above.
		out.Emit(event.Event{Kind: event.Compaction, Time: rec.Time,
			Compact: &event.Compact{Tokens: r.Tokens, Summary: rec.Text("message")}})
		r.Tokens = 0
	case "inter_agent_communication":
		r.agentMessage(rec, out)
	case "world_state", "inter_agent_communication_metadata", "security_state", "token_usage_record":
		rec.EmitQuiet(event.System, out)
	default:
		records.EmitUnknown(out, typ, rec.Source)
	}
}

// bareItem reads a line from the time when items had nothing around them.
func (r *reader) bareItem(rec records.Line, v lazyjson.Value, out event.Sink) {
	rec = rec.Part(v)
	switch typ := rec.Text("type"); {
	case !v.IsObject():
		records.EmitUnknown(out, "not an object", rec.Source)
	case typ != "":
		r.item(rec, out)
	case rec.Get("record_type").Exists():
		rec.EmitQuiet(event.System, out)
	case rec.Get("role").Exists():
		r.message(rec, out)
	case rec.Text("id") != "":
		r.header(rec, out)
	default:
		records.EmitUnknown(out, "", rec.Source)
	}
}

// header reads what a log says of its session.
func (r *reader) header(rec records.Line, out event.Sink) {
	defer rec.EmitQuiet(event.System, out)
	id, s := rec.Text("id"), out.Session()
	if id == "" || r.HeaderRead && s.ID != id {
		return
	}
	first := !r.HeaderRead
	r.HeaderRead, s.ID = true, id
	s.Saw(records.ParseTime(rec.Text("timestamp")))
	if cwd := rec.Text("cwd"); cwd != "" && first {
		s.CWD = cwd
	}
	if b := rec.Get("git.branch").Str; b != "" && first {
		s.Branch = b
	}
	if v := rec.Text("cli_version"); v != "" {
		s.Program = v
	}
	if first {
		s.Parent = rec.Get("source.subagent.thread_spawn.parent_thread_id").Str
		if s.Parent == "" {
			s.Parent = rec.Text("parent_thread_id")
		}
		s.ForkOf = rec.Text("forked_from_id")
		// The parent's part can only be left to it where the parent exists.
		r.Replaying = s.ForkOf != "" && s.ForkOf != id && out.Inherited("session:"+s.ForkOf)
	}
	out.Note("session:" + id)
	r.setName(out)
}

// setName looks up the name of the session.
func (r *reader) setName(out event.Sink) {
	if r.names != nil {
		out.Session().Name(event.FromAgent, r.names.lookup(out.Session().ID))
	}
}

// noteTurn notes the turn that a record begins.
func (r *reader) noteTurn(rec records.Line, out event.Sink) {
	if id := rec.Text("turn_id"); id != "" {
		r.TurnIDs = true
		out.Note("turn:" + id)
	}
}

// replayed reports whether a record is one of the parent's, which a fork repeats
// with new times. The first turn that the parent does not know is the fork's own;
// if turns have no ids, the first prompt or call that the parent does not know
// marks it. The ids are noted for forks of the fork.
func (r *reader) replayed(typ string, rec records.Line, out event.Sink) bool {
	id := ""
	switch {
	case (typ == "turn_context" || typ == "event_msg") && rec.Text("turn_id") != "":
		id, r.TurnIDs = "turn:"+rec.Text("turn_id"), true
	case typ == "response_item" && strings.HasSuffix(rec.Text("type"), "_call") && rec.Text("call_id") != "":
		id = "call:" + rec.Text("call_id")
	case typ == "event_msg" && !r.TurnIDs && rec.Text("type") == "user_message":
		id = promptID(rec.Text("message"))
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

// threadNames has the names of the sessions of one Codex home: the lines {id,
// thread_name} of session_index.jsonl. If several lines have one id, the last is
// used. The file is read again when it has changed.
type threadNames struct {
	path string

	mu    sync.Mutex
	size  int64
	mtime time.Time
	names map[string]string
}

// lookup returns the name of a session, or "".
func (n *threadNames) lookup(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	st, err := os.Stat(n.path)
	if err != nil {
		n.names = nil
		return ""
	}
	if n.names == nil || st.Size() != n.size || !st.ModTime().Equal(n.mtime) {
		n.size, n.mtime = st.Size(), st.ModTime()
		n.read()
	}
	return n.names[id]
}

// read reads the index. Lines that are not entries are skipped: the index is
// Codex's own cache, and contains nothing that is not in the sessions.
func (n *threadNames) read() {
	n.names = make(map[string]string)
	f, err := os.Open(n.path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v := lazyjson.Parse(lines.Bytes())
		if name := v.Get("thread_name").Str; name != "" {
			n.names[v.Get("id").Str] = name
		}
	}
}
