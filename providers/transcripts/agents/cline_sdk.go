package agents

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// The endings of the files of a session of Cline's SDK,
// sessions/<id>/<id><ending>. Another file with messages in the folder is that of
// a subagent.
const (
	clineMessages   = ".messages.json"
	clineCompaction = ".compaction.json"
)

func clineFile(rel string) history.Format {
	folder, name, ok := strings.Cut(rel, "/")
	if !ok || folder == "" || strings.Contains(name, "/") || !strings.HasSuffix(name, clineMessages) {
		return nil
	}
	return history.Store{Sessions: clineSessions, Read: clineRead}
}

func clineSessions(_ context.Context, path string) ([]history.Entry, error) {
	doc, err := document(path)
	if err != nil {
		return nil, err
	}
	l := history.Entry{Session: event.Session{Agent: "cline"}, Stamp: history.FileStamp(path, clineManifest(path), clineBeside(path, clineCompaction))}
	clineMeta(path, doc, &l.Session)
	l.Key = l.ID
	doc.Get("messages").ForEach(func(_, v lazyjson.Value) bool {
		for _, text := range taskTexts(v.Get("content")) {
			if taskOrigin(text, true) == event.Typed && v.Get("role").Str == "user" {
				l.Name(event.FromPrompt, prompt(text))
			}
		}
		l.Saw(moment(v.Get("ts")))
		return true
	})
	return []history.Entry{l}, nil
}

// clineBeside is another file of the session.
func clineBeside(path, ending string) string {
	return strings.TrimSuffix(path, clineMessages) + ending
}

// clineManifest is the file that describes the session, for a subagent's that of
// its parent.
func clineManifest(path string) string {
	return sibling(path, filepath.Base(filepath.Dir(path))+".json")
}

// clineMeta fills in what is known of the session beside its messages.
func clineMeta(path string, doc lazyjson.Value, s *event.Session) {
	folder := filepath.Base(filepath.Dir(path))
	own := strings.TrimSuffix(filepath.Base(path), clineMessages)
	manifest := beside(clineManifest(path))
	s.CWD = first(manifest, "cwd", "workspace_root").String()
	s.Model = manifest.Get("model").String()
	s.Branch = manifest.Get("metadata.git.branch").String()
	if own != folder {
		if s.ID = first(doc, "sessionId", "origin.sessionId").String(); s.ID == "" || s.ID == folder {
			s.ID = folder + "__" + own
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
	s.Saw(moment(manifest.Get("started_at")))
	s.Saw(moment(manifest.Get("ended_at")))
	s.Name(event.FromAgent, prompt(manifest.Get("metadata.title").String()))
	s.Name(event.FromPrompt, prompt(manifest.Get("prompt").String()))
}

// clineRead reads a session of the SDK. Its messages stay whole when the context
// is compacted; what the model was told instead stands in a file of its own.
func clineRead(_ context.Context, path, _ string, out event.Sink) error {
	doc, err := document(path)
	if err != nil {
		return err
	}
	clineMeta(path, doc, out.Session())
	r := clineReader{
		b: &blocks{out: out, calls: make(map[string]string), origin: func(text string) string { return taskOrigin(text, true) }},
	}
	r.parts.b, r.b.apart = r.b, r.parts.apart
	if c := beside(clineBeside(path, clineCompaction)); c.IsObject() {
		r.compaction = readClineCompaction(c)
	}
	messages := doc
	if doc.IsObject() {
		messages = doc.Get("messages")
	}
	messages.ForEach(func(_, v lazyjson.Value) bool {
		r.message(v)
		return true
	})
	r.forked(time.Time{})
	r.compacted()
	return nil
}

// clineReader reads the messages of a session of the SDK.
type clineReader struct {
	b          *blocks
	parts      taskParts
	compaction *clineSummary
	// skipped counts the messages at the beginning that a fork repeats.
	skipped int
}

func (r *clineReader) message(v lazyjson.Value) {
	m := message{id: v.Get("id").String(), time: moment(v.Get("ts")), user: v.Get("role").Str == "user"}
	if m.model = v.Get("modelInfo.id").String(); m.model != "" {
		r.b.out.Session().Model = m.model
	}
	if c := r.compaction; c != nil && (c.last == "" && !c.at.IsZero() && m.time.After(c.at)) {
		r.compacted()
	}
	if m.id != "" && r.b.out.Inherited(m.id) {
		r.skipped++
	} else {
		r.forked(m.time)
		if v.Get("metadata.displayRole").Str == "system" {
			m.origin = event.Injected
		}
		if !m.user {
			r.parts.called(v.Get("content"))
		}
		r.b.emit(m, v.Get("content"))
		r.parts.end()
	}
	if c := r.compaction; c != nil && c.last != "" && c.last == m.id {
		r.compacted()
	}
}

// forked says what a fork has left out, once that is over.
func (r *clineReader) forked(t time.Time) {
	if r.skipped == 0 {
		return
	}
	out := r.b.out
	out.Emit(event.Event{Time: t, Kind: event.Fork, Text: out.Session().ForkOf, Rewound: &event.Rewound{Count: r.skipped}})
	r.skipped = 0
}

// compacted emits the mark, once.
func (r *clineReader) compacted() {
	if c := r.compaction; c != nil {
		r.b.out.Emit(event.Event{Time: c.at, Kind: event.Compaction, Compact: &c.Compact})
		r.compaction = nil
	}
}

// clineSummary is the last compaction of a session.
type clineSummary struct {
	event.Compact
	// at is when it was made; where that is not known, last is the id of the last
	// message that was there then.
	at   time.Time
	last string
}

// readClineCompaction reads what the model is told instead of the messages: a
// summary that a model wrote (compaction_summary), or the prompts with a notice of
// what was done between them. nil where there is no compaction in it.
func readClineCompaction(doc lazyjson.Value) *clineSummary {
	var c clineSummary
	found := false
	var notices []string
	doc.Get("messages").ForEach(func(_, v lazyjson.Value) bool {
		meta := v.Get("metadata")
		switch kind := meta.Get("kind").Str; kind {
		case "compaction_summary", "compaction":
			found = true
			c.Summary = meta.Get("summary").String()
			c.Tokens = int(meta.Get("tokensBefore").Int())
			c.Trigger = strings.TrimSuffix(meta.Get("reason").String(), "_compaction")
			c.at = moment(meta.Get("generatedAt"))
		}
		if meta.Get("compaction").Str == "preserved" {
			c.last = v.Get("id").String()
		}
		for _, text := range taskTexts(v.Get("content")) {
			if strings.HasPrefix(text, "<SYSTEM_NOTICE>") {
				notices = append(notices, text)
			}
		}
		return true
	})
	if !found {
		return nil
	}
	if c.Summary == "" {
		c.Summary = strings.Join(notices, "\n\n")
	}
	if !c.at.IsZero() {
		c.last = ""
	}
	return &c
}
