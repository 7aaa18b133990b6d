package cline

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// The suffixes of the files of a session of Cline's SDK,
// sessions/<id>/<id><suffix>. Another file with messages in the folder is a
// subagent's.
const (
	sdkMessages   = ".messages.json"
	sdkCompaction = ".compaction.json"
)

func sdkFormat(rel string) history.Format {
	folder, name, ok := strings.Cut(rel, "/")
	if !ok || folder == "" || strings.Contains(name, "/") || !strings.HasSuffix(name, sdkMessages) {
		return nil
	}
	return history.Store{Sessions: sdkSessions, Read: sdkRead, Spent: sdkSpent}
}

func sdkSessions(_ context.Context, path string) ([]history.Entry, error) {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return nil, err
	}
	l := history.Entry{Session: event.Session{Agent: "cline"}, Stamp: history.FileStamp(path, sdkManifest(path), sdkFile(path, sdkCompaction))}
	sdkMeta(path, doc, &l.Session)
	l.Key = l.ID
	for _, v := range lazyjson.All(doc.Get("messages")) {
		for _, text := range taskTexts(v.Get("content")) {
			if taskOrigin(text, true) == event.Typed && v.Get("role").Str == "user" {
				l.Name(event.FromPrompt, records.Prompt(text))
			}
		}
		l.Saw(records.Time(v.Get("ts")))
	}
	return []history.Entry{l}, nil
}

// sdkFile returns the path of another file of the session.
func sdkFile(path, ending string) string { return strings.TrimSuffix(path, sdkMessages) + ending }

// sdkManifest returns the path of the file that describes the session; for a
// subagent, its parent's.
func sdkManifest(path string) string {
	return records.Sibling(path, filepath.Base(filepath.Dir(path))+".json")
}

// sdkMeta stores what is known of the session apart from its messages.
func sdkMeta(path string, doc lazyjson.Value, s *event.Session) {
	folder := filepath.Base(filepath.Dir(path))
	name := strings.TrimSuffix(filepath.Base(path), sdkMessages)
	manifest := records.ReadOptional(sdkManifest(path))
	s.CWD = records.First(manifest, "cwd", "workspace_root").String()
	s.Model = manifest.Get("model").String()
	s.Branch = manifest.Get("metadata.git.branch").String()
	if name != folder {
		if s.ID = records.First(doc, "sessionId", "origin.sessionId").String(); s.ID == "" || s.ID == folder {
			s.ID = folder + "__" + name
		}
		if s.Parent = doc.Get("origin.parentThreadId").String(); s.Parent == "" {
			s.Parent = folder
		}
		s.Name(event.FromAgent, doc.Get("origin.subagent").String())
		return
	}
	s.ID = folder
	s.Parent = manifest.Get("parent_session_id").String()
	s.ForkOf = manifest.Get("metadata.fork.forkedFromSessionId").String()
	s.Saw(records.Time(manifest.Get("started_at")))
	s.Saw(records.Time(manifest.Get("ended_at")))
	s.Name(event.FromAgent, records.Prompt(manifest.Get("metadata.title").String()))
	s.Name(event.FromPrompt, records.Prompt(manifest.Get("prompt").String()))
}

// sdkRead reads a session of the SDK. Its messages stay complete when the context
// is compacted; what the model received instead is in a file of its own.
func sdkRead(_ context.Context, path, _ string, out event.Sink) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	sdkMeta(path, doc, out.Session())
	r := sdkReader{
		blocks: &records.Blocks{Out: out, Calls: make(map[string]string), Origin: func(text string) string { return taskOrigin(text, true) }},
	}
	r.parts.blocks, r.blocks.Split = r.blocks, r.parts.split
	if c := records.ReadOptional(sdkFile(path, sdkCompaction)); c.IsObject() {
		r.compaction = readCompaction(c)
	}
	messages := doc
	if doc.IsObject() {
		messages = doc.Get("messages")
	}
	for _, v := range lazyjson.All(messages) {
		r.message(v)
	}
	r.emitFork(time.Time{})
	r.emitCompaction()
	return nil
}

// sdkReader reads the messages of a session of the SDK.
type sdkReader struct {
	blocks     *records.Blocks
	parts      splitter
	compaction *sdkSummary
	// inherited counts the messages at the beginning that a fork repeats.
	inherited int
}

func (r *sdkReader) message(v lazyjson.Value) {
	m := records.Message{ID: v.Get("id").String(), Time: records.Time(v.Get("ts")), User: v.Get("role").Str == "user"}
	m.Model = v.Get("modelInfo.id").String()
	r.blocks.Out.Session().Used(m.Model)
	if c := r.compaction; c != nil && (c.lastMessage == "" && !c.time.IsZero() && m.Time.After(c.time)) {
		r.emitCompaction()
	}
	if m.ID != "" && r.blocks.Out.Inherited(m.ID) {
		r.inherited++
	} else {
		r.emitFork(m.Time)
		if v.Get("metadata.displayRole").Str == "system" {
			m.Origin = event.Injected
		}
		if !m.User {
			r.parts.noteCalls(v.Get("content"))
		}
		r.blocks.Emit(m, v.Get("content"))
		r.parts.endReply()
	}
	if c := r.compaction; c != nil && c.lastMessage != "" && c.lastMessage == m.ID {
		r.emitCompaction()
	}
}

// emitFork emits the fork mark after the messages that the fork repeats.
func (r *sdkReader) emitFork(t time.Time) {
	if r.inherited == 0 {
		return
	}
	out := r.blocks.Out
	out.Emit(event.Event{Time: t, Kind: event.Fork, Text: out.Session().ForkOf, Rewound: &event.Rewound{Count: r.inherited}})
	r.inherited = 0
}

// emitCompaction emits the compaction mark, once.
func (r *sdkReader) emitCompaction() {
	if c := r.compaction; c != nil {
		r.blocks.Out.Emit(event.Event{Time: c.time, Kind: event.Compaction, Compact: &c.Compact})
		r.compaction = nil
	}
}

// sdkSummary is the last compaction of a session.
type sdkSummary struct {
	event.Compact
	// time is when the compaction was made; if that is unknown, lastMessage is the
	// id of the last message before it.
	time        time.Time
	lastMessage string
}

// readCompaction reads what the model is given instead of the messages: a summary
// that a model wrote (compaction_summary), or the prompts with a notice of what
// was done between them. It returns nil where there is no compaction.
func readCompaction(doc lazyjson.Value) *sdkSummary {
	var c sdkSummary
	found := false
	var notices []string
	for _, v := range lazyjson.All(doc.Get("messages")) {
		meta := v.Get("metadata")
		switch kind := meta.Get("kind").Str; kind {
		case "compaction_summary", "compaction":
			found = true
			c.Summary = meta.Get("summary").String()
			c.Tokens = int(meta.Get("tokensBefore").Int())
			c.Trigger = strings.TrimSuffix(meta.Get("reason").String(), "_compaction")
			c.time = records.Time(meta.Get("generatedAt"))
		}
		if meta.Get("compaction").Str == "preserved" {
			c.lastMessage = v.Get("id").String()
		}
		for _, text := range taskTexts(v.Get("content")) {
			if strings.HasPrefix(text, "<SYSTEM_NOTICE>") {
				notices = append(notices, text)
			}
		}
	}
	if !found {
		return nil
	}
	if c.Summary == "" {
		c.Summary = strings.Join(notices, "\n\n")
	}
	if !c.time.IsZero() {
		c.lastMessage = ""
	}
	return &c
}
