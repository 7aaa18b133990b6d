package claudecode

import (
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// reader reads a log of Claude Code. Its exported fields are what it needs
// of the lines before.
type reader struct {
	// Begun says that the file's .meta.json was looked at.
	Begun bool
	// Conversation is the number of the last event of the conversation itself,
	// since the last compaction: what a rewind could take back.
	Conversation int
	// Inherited counts the records left out since the last fork mark.
	Inherited int
	// Titled is how much the title from a summary is worth.
	Titled titleWorth
	// Calls are the names of the tools that have not answered yet, by call.
	Calls map[string]string
	// Parts are the blocks of the newest message of the session ("") and of each
	// subagent that is told inline.
	Parts map[string]messageParts
	// Queue are the prompts that wait for the agent.
	Queue promptQueue
	// Apart are the subagents that have files of their own.
	Apart map[string]bool

	path     string
	id       string // the session's, from the file's name
	subagent bool   // the file is a subagent's
	agent    string // its id, as records have it
	folder   string // with the subagents and long results of the session; "" until the session is known
	project  string // where folder will be
}

// record is a line. Values are parsed where they are asked for.
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
	all                               lazyjson.Value

	reported bool   // it is told within a report of progress; Agent is a subagent
	subagent string // the session that the call answered here has started
	spill    string // the file with the whole result
	paired   bool   // the structured twin of its result was looked at
	parts    int    // how many events the record has become
	speech   bool   // its events are conversation, which a rewind takes back
}

// parse reads the members that every record has, in one pass over the line.
func (c *record) parse() {
	c.all.ForEach(func(key, v lazyjson.Value) bool {
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
		return true
	})
}

// Record implements Reader.
func (r *reader) Record(line []byte, out event.Sink) {
	if len(line) == 0 {
		return
	}
	c := &record{line: string(line), out: out}
	if !lazyjson.Valid(line) {
		out.Emit(records.Garbled(line))
		return
	}
	c.all = lazyjson.ParseString(c.line)
	if !c.all.IsObject() {
		out.Emit(event.Event{Kind: event.Unknown, Text: "no record", Record: c.line})
		return
	}
	c.parse()
	r.begin(c)
	if r.replayed(c) {
		return
	}
	r.describe(c)
	r.read(c)
	if c.parts == 0 {
		r.emit(c, event.Event{Kind: event.System, Text: c.name(), Quiet: true, Record: c.line})
	}
	if c.UUID != "" {
		out.Note(c.UUID)
	}
}

// read makes events of a record by its type. A record that becomes none is told
// quietly, as a whole.
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
		r.bare(c)
	case "file-history-snapshot", "last-prompt", "permission-mode", "mode", "pr-link", "frame-link",
		"relocated", "worktree-state", "bridge-session", "atis-latch", "started", "result", "tag",
		"agent-color", "agent-setting", "content-replacement", "attribution-snapshot", "speculation-accept",
		"file-history-delta", "marble-origami-commit", "marble-origami-snapshot", "cost-state", "task-summary":
	default:
		r.emit(c, event.Event{Kind: event.Unknown, Text: c.name(), Record: c.line})
	}
}

// emit sends an event of the record, with what the record says of all of them.
func (r *reader) emit(c *record, e event.Event) int {
	if e.ID == "" && c.UUID != "" {
		e.ID = partID(c.UUID, c.parts)
	}
	if e.Time.IsZero() {
		e.Time = c.Time
	}
	if e.Agent == "" {
		e.Agent = r.inline(c)
	}
	c.parts++
	seq := c.out.Emit(e)
	if c.speech && !e.Quiet && e.Agent == "" {
		r.Conversation = seq
	}
	return seq
}

// name is the record's type as it is shown where nothing else is known.
func (c *record) name() string {
	name := c.Type
	if name == "" {
		name = "no type"
	}
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

// describe keeps what a record says of the session.
func (r *reader) describe(c *record) {
	s := c.out.Session()
	if s.CWD == "" {
		s.CWD = c.CWD
	}
	if c.Branch != "" {
		s.Branch = c.Branch
	}
	if c.Program != "" {
		s.Program = c.Program
	}
}
