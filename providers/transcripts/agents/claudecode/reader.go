package claudecode

import (
	"cmp"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// reader reads a log of Claude Code. Its exported fields are what it needs to know
// about earlier lines.
type reader struct {
	// Begun is set once the file's .meta.json was read.
	Begun bool
	// Conversation is the number of the last event of the conversation itself
	// since the last compaction: what a rewind can take back.
	Conversation int
	// Inherited counts the records left out since the last fork mark.
	Inherited int
	// TitleWorth is the worth of the title from a summary.
	TitleWorth titleWorth `json:"Titled"`
	// Calls maps the ids of unanswered calls to the names of their tools.
	Calls map[string]string
	// Parts has the emitted blocks of the newest message of the session ("") and
	// of each subagent whose events are in this log.
	Parts map[string]messageParts
	// Queue has the prompts that wait for the agent.
	Queue promptQueue
	// OwnLogs are the subagents that have logs of their own.
	OwnLogs map[string]bool `json:"Apart"`

	path     string
	id       string // the session's, from the file's name
	subagent bool   // the file is a subagent's
	agentID  string // the subagent's id as in records
	folder   string // contains the subagents and long results of the session; "" until the session is known
	project  string // the folder that folder is in
}

// record is a line. Values are parsed when they are needed.
type record struct {
	line string
	out  event.Sink

	Type, Subtype, UUID, Parent string
	Root                        bool // the parent is null: the record begins a conversation
	Session, Agent              string
	Time                        time.Time
	CWD, Branch, Program        string
	Entrypoint, PromptSource    string
	Meta, Sidechain             bool
	Summary, Hidden, APIError   bool

	Message, Result, Attachment, Data lazyjson.Value
	Content, Compact, Origin, Fork    lazyjson.Value
	value                             lazyjson.Value

	inReport     bool   // it is contained in a report of progress; Agent is a subagent
	subagent     string // the session that the call answered here started
	spill        string // the file with the whole result
	twinRead     bool   // the structured twin of its result was read
	parts        int    // how many events were emitted of the record
	conversation bool   // its events are conversation, which a rewind takes back
}

// parse reads the fields that every record has, in one pass over the line.
func (c *record) parse() {
	for key, v := range lazyjson.All(c.value) {
		switch key.Str {
		case "type":
			c.Type = v.String()
		case "subtype":
			c.Subtype = v.String()
		case "uuid":
			c.UUID = v.String()
		case "parentUuid":
			c.Parent, c.Root = v.String(), v.Type == lazyjson.Null
		case "sessionId":
			c.Session = v.String()
		case "agentId":
			c.Agent = v.String()
		case "timestamp":
			c.Time = records.Time(v)
		case "cwd":
			c.CWD = v.String()
		case "gitBranch":
			c.Branch = v.String()
		case "version":
			c.Program = v.String()
		case "entrypoint":
			c.Entrypoint = v.String()
		case "promptSource":
			c.PromptSource = v.String()
		case "isMeta":
			c.Meta = v.Bool()
		case "isSidechain":
			c.Sidechain = v.Bool()
		case "isCompactSummary":
			c.Summary = v.Bool()
		case "isVisibleInTranscriptOnly":
			c.Hidden = v.Bool()
		case "isApiErrorMessage":
			c.APIError = v.Bool()
		case "message":
			c.Message = v
		case "toolUseResult":
			c.Result = v
		case "attachment":
			c.Attachment = v
		case "data":
			c.Data = v
		case "content":
			c.Content = v
		case "compactMetadata":
			c.Compact = v
		case "origin":
			c.Origin = v
		case "forkedFrom":
			c.Fork = v
		}
	}
}

// Record implements [history.Reader].
func (r *reader) Record(line []byte, out event.Sink) {
	if len(line) == 0 {
		return
	}
	c := &record{line: string(line), out: out}
	if !lazyjson.Valid(line) {
		out.Emit(records.Garbled(line))
		return
	}
	c.value = lazyjson.ParseString(c.line)
	if !c.value.IsObject() {
		out.Emit(event.Event{Kind: event.Unknown, Text: "not an object", Record: c.line})
		return
	}
	c.parse()
	r.readSurroundings(c)
	if r.replayed(c) {
		return
	}
	r.describe(c)
	r.read(c)
	if c.parts == 0 {
		r.emit(c, event.Event{Kind: event.System, Text: c.typeName(), Quiet: true, Record: c.line})
	}
	if c.UUID != "" {
		out.Note(c.UUID)
	}
}

// read emits the events of a record by its type. For a record without events the
// caller emits a quiet one, with the whole record.
func (r *reader) read(c *record) {
	switch c.Type {
	case "user":
		r.user(c)
	case "assistant":
		r.assistant(c)
	case "system":
		r.system(c)
	case "progress":
		r.progress(c)
	case "attachment":
		r.attachment(c)
	case "queue-operation":
		r.queueOperation(c)
	case "summary", "ai-title", "agent-name", "custom-title":
		r.title(c)
	case "tool_use", "tool_result":
		r.standalone(c)
	case "file-history-snapshot", "last-prompt", "permission-mode", "mode", "pr-link", "frame-link",
		"relocated", "worktree-state", "bridge-session", "atis-latch", "started", "result", "tag",
		"agent-color", "agent-setting", "content-replacement", "attribution-snapshot", "speculation-accept",
		"file-history-delta", "marble-origami-commit", "marble-origami-snapshot", "cost-state", "task-summary":
	default:
		r.emit(c, event.Event{Kind: event.Unknown, Text: c.typeName(), Record: c.line})
	}
}

// emit emits an event of the record, with what all of its events have in common,
// and returns the event's number.
func (r *reader) emit(c *record, e event.Event) int {
	if e.ID == "" && c.UUID != "" {
		e.ID = partID(c.UUID, c.parts)
	}
	e.Time = cmp.Or(e.Time, c.Time)
	if e.Agent == "" {
		e.Agent = r.inlineAgent(c)
	}
	c.parts++
	seq := c.out.Emit(e)
	if c.conversation && !e.Quiet && e.Agent == "" {
		r.Conversation = seq
	}
	return seq
}

// typeName returns the record's type, for records about which nothing else is
// known.
func (c *record) typeName() string {
	name := cmp.Or(c.Type, "no type")
	switch {
	case c.Subtype != "":
		name += " " + c.Subtype
	case c.Attachment.Exists():
		name += " " + c.Attachment.Get("type").String()
	case c.Data.Exists():
		name += " " + c.Data.Get("type").String()
	}
	return name
}

// describe stores what a record says of the session.
func (r *reader) describe(c *record) {
	s := c.out.Session()
	s.CWD = cmp.Or(s.CWD, c.CWD)
	s.Branch = cmp.Or(c.Branch, s.Branch)
	s.Program = cmp.Or(c.Program, s.Program)
}
