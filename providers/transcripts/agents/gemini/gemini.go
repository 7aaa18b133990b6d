// Package gemini reads the sessions of Gemini CLI. A session is a log of JSON
// lines, tmp/<project>/chats/session-<time>-<id8>.jsonl below ~/.gemini
// (GEMINI_CLI_HOME replaces ~), a subagent's is chats/<session>/<id>.jsonl. Before
// 2026 sessions were .json files that were rewritten. The source of the format is
// google-gemini/gemini-cli (packages/core/src/services/chatRecordingService.ts).
//
// A message with the id of an earlier one is a newer version of it (message.go).
// {"$set": …} changes what is known of the session or, with messages, replaces the
// history after it was compressed. {"$rewindTo": id} takes back that message and
// all after it.
package gemini

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// Agent returns the reader of Gemini CLI.
func Agent() history.Agent {
	return history.InFolder("gemini", history.Place{File: formatOf, Skip: func(rel string) bool {
		parts := strings.Split(rel, "/")
		return len(parts) > 1 && parts[1] != "chats" || len(parts) > 3
	}})
}

// formatOf returns the format of a file below tmp.
func formatOf(rel string) history.Format {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || len(parts) > 4 || parts[1] != "chats" {
		return nil
	}
	name := parts[len(parts)-1]
	id, isLog := strings.CutSuffix(name, ".jsonl")
	switch {
	case len(parts) == 4 && isLog:
		return history.Log{ID: id, Parent: parts[2], Open: open, Rank: 2, KeepTexts: true, Spent: spent}
	case len(parts) == 4 || !strings.HasPrefix(name, "session-"):
		return nil
	case isLog:
		return history.Log{Open: open, Rank: 2, KeepTexts: true, Spent: spent}
	case strings.HasSuffix(name, ".json"):
		return history.Store{Sessions: listSessions, Read: readSession, Rank: 1, Spent: spentFile}
	}
	return nil
}

func open(path string) history.Reader { return &reader{path: path} }

// reader reads the messages of a session. The log may contain each several times.
type reader struct {
	path string

	// First is the id of the first message of the history. A new history without it
	// was compressed.
	First string `json:"first,omitempty"`
	// Last has the versions of the newest messages that were emitted.
	Last []version `json:"last,omitempty"`
}

// version is the version of a message that was emitted.
type version struct {
	ID   string `json:"id"`
	Len  int    `json:"len"`
	Hash uint64 `json:"hash,string"`
}

// maxVersions is how many messages are remembered; only the last one ever grows.
const maxVersions = 8

// Record implements [history.Reader].
func (r *reader) Record(line []byte, out event.Sink) {
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	rec := parseRecord(v, line)
	switch {
	case !rec.IsObject():
		records.EmitUnknown(out, "not an object", line)
	case rec.Get("$rewindTo").Exists():
		r.rewind(rec, out)
	case rec.Text("id") != "":
		r.message(rec, out)
	case rec.Get("$set").IsObject():
		set := rec.Get("$set")
		r.describe(set, out)
		if list := set.Get("messages"); list.IsArray() && r.First == "" {
			// Nothing was emitted before: it is how the history begins.
			for _, v := range lazyjson.All(list) {
				r.message(parseRecord(v, []byte(v.Raw)), out)
			}
			return
		} else if list.IsArray() {
			r.replace(rec, list, out)
			return
		}
		rec.EmitQuiet(event.System, out)
	case rec.Text("sessionId") != "":
		r.describe(rec.Value, out)
		rec.EmitQuiet(event.System, out)
	default:
		records.EmitUnknown(out, rec.Text("type"), line)
	}
}

// parseRecord returns a record with its time, which is a text or a number of
// seconds.
func parseRecord(v lazyjson.Value, line []byte) records.Line {
	rec := records.Line{Source: line}.Part(v)
	rec.Time = records.ParseTime(rec.Text("timestamp"))
	if ts := rec.Get("ts"); rec.Time.IsZero() && ts.Type == lazyjson.Number {
		rec.Time = records.Millis(int64(ts.Num * 1000))
	}
	if set := rec.Get("$set.lastUpdated").Str; set != "" {
		rec.Time = records.ParseTime(set)
	}
	return rec
}

// describe reads the facts about the session as a whole.
func (r *reader) describe(v lazyjson.Value, out event.Sink) {
	s := out.Session()
	s.ID = cmp.Or(v.Get("sessionId").Str, s.ID)
	s.Saw(records.ParseTime(v.Get("startTime").Str))
	s.Name(event.FromSummary, records.FirstLine(v.Get("summary").Str))
	if s.CWD == "" {
		s.CWD = workingFolder(r.path, v.Get("projectHash").Str)
	}
	if dir := v.Get("directories.0").Str; s.CWD == "" && dir != "" {
		s.CWD = dir
	}
	if s.CWD == "" {
		s.Project = projectSlug(r.path)
	}
}

// rewind marks a message and all after it as taken back.
func (r *reader) rewind(rec records.Line, out event.Sink) {
	mark := &event.Rewound{}
	if seq, ok := out.Known("msg:" + rec.Text("$rewindTo")); ok {
		mark.To = max(0, seq-1)
	}
	out.Emit(event.Event{Kind: event.Rewind, Time: rec.Time, Rewound: mark})
}

// replace reads a new history. The old one stays, so only what no earlier message
// contains is emitted: the summary, in a compaction mark, and answers to it.
// Outputs that were masked to save room keep their first text.
func (r *reader) replace(rec records.Line, list lazyjson.Value, out event.Sink) {
	var summary []string
	var fresh []records.Line
	first, cut := "", true
	for _, v := range lazyjson.All(list) {
		m := parseRecord(v, []byte(v.Raw))
		id := m.Text("id")
		first = cmp.Or(first, id)
		cut = cut && (id == "" || id != r.First)
		if _, ok := out.Known("msg:" + id); ok {
			continue
		}
		if text := contentText(m.Get("content")); m.Text("type") == "user" && text != "" {
			if _, known := out.Known(textID(text)); !known {
				summary = append(summary, text)
			}
		} else {
			fresh = append(fresh, m)
		}
	}
	if len(summary) == 0 && (!cut || r.First == "") {
		rec.EmitQuiet(event.System, out)
	} else {
		out.Emit(event.Event{Kind: event.Compaction, Time: rec.Time,
			Compact: &event.Compact{Summary: strings.Join(summary, "\n\n")}})
		r.First = first
	}
	for _, text := range summary {
		out.Note(textID(text))
	}
	for _, m := range fresh {
		if text := contentText(m.Get("content")); text != "" {
			if _, known := out.Known(textID(text)); known {
				continue
			}
		}
		if m.Text("type") != "user" {
			r.message(m, out)
		}
	}
	for _, v := range lazyjson.All(list) {
		id := "msg:" + v.Get("id").Str
		if _, ok := out.Known(id); !ok {
			out.Note(id)
		}
	}
}

// textID returns the id under which a text is noted.
func textID(text string) string { return fmt.Sprintf("said:%016x", records.TextHash(text)) }

// projectFolder returns the folder of the project that a file of chats is in.
func projectFolder(path string) string {
	dir := filepath.Dir(path)
	for filepath.Base(dir) != "chats" {
		up := filepath.Dir(dir)
		if up == dir || path == "" {
			return ""
		}
		dir = up
	}
	return filepath.Dir(dir)
}

// projectSlug returns the program's own name of a project. In older versions it
// is a hash, which is shortened.
func projectSlug(path string) string {
	slug := filepath.Base(projectFolder(path))
	if len(slug) == 2*sha256.Size {
		slug = slug[:8]
	}
	return strings.Trim(slug, "./")
}

// workingFolder returns the working folder of the project that a file of chats
// belongs to. It is named in .project_root, or in projects.json by name or hash.
func workingFolder(path, hash string) string {
	project := projectFolder(path)
	if project == "" {
		return ""
	}
	if root, err := os.ReadFile(filepath.Join(project, ".project_root")); err == nil && len(root) < 1<<14 {
		return strings.TrimSpace(string(root))
	}
	list, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(project)), "projects.json"))
	if err != nil {
		return ""
	}
	for folder, name := range lazyjson.All(lazyjson.Parse(list).Get("projects")) {
		sum := sha256.Sum256([]byte(folder.Str))
		if folder.Str != "" && (name.Str == filepath.Base(project) || hex.EncodeToString(sum[:]) == hash) {
			return folder.Str
		}
	}
	return ""
}

// listSessions lists the one session of a .json file.
func listSessions(_ context.Context, path string) ([]history.Entry, error) {
	v, err := records.ReadDocument(path)
	if err != nil {
		return nil, err
	}
	c := &event.Collector{}
	(&reader{path: path}).describe(v, c)
	if c.Of.ID == "" {
		c.Of.ID = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	c.Of.Saw(records.ParseTime(v.Get("lastUpdated").Str))
	return []history.Entry{{Session: c.Of, Key: c.Of.ID}}, nil
}

// readSession reads the session of a .json file.
func readSession(ctx context.Context, path, key string, out event.Sink) error {
	v, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	r := &reader{path: path}
	out.Session().ID = key
	for _, at := range []string{"startTime", "start_time", "lastUpdated"} {
		out.Session().Saw(records.ParseTime(v.Get(at).Str))
	}
	r.describe(v, out)
	for _, list := range []string{"messages", "history"} {
		for _, m := range lazyjson.All(v.Get(list)) {
			r.message(parseRecord(m, []byte(m.Raw)), out)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// spent reads the requests of a log. A message that is there again, with more of the
// answer, is the same request; so is one in a history that is rewritten.
func spent(log history.Spending, out func(facts.ModelCall)) {
	m := meter{session: log.Session, out: out}
	for line := range log.Lines {
		if !bytes.Contains(line, []byte(`"tokens"`)) && !bytes.Contains(line, []byte(`"model"`)) || !lazyjson.Valid(line) {
			continue
		}
		v := lazyjson.Parse(line)
		m.model = cmp.Or(v.Get("model").Str, m.model)
		m.message(v)
		for _, v := range lazyjson.All(v.Get("$set.messages")) {
			m.message(v)
		}
	}
}

// spentFile reads the requests of a .json file.
func spentFile(_ context.Context, path, key string, out func(facts.ModelCall)) error {
	v, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	m := meter{session: key, out: out}
	for _, v := range lazyjson.All(v.Get("messages")) {
		m.message(v)
	}
	return nil
}

type meter struct {
	session, model string
	out            func(facts.ModelCall)
}

// message emits the request that a message answers. Whether what was read from the cache
// is part of the input differs between versions: the total tells.
func (m *meter) message(v lazyjson.Value) {
	used := v.Get("tokens")
	if v.Get("type").Str != "gemini" || !used.IsObject() {
		return
	}
	input, cached := history.Count(used, "input", "prompt"), history.Count(used, "cached")
	output, thoughts, tool := history.Count(used, "output", "candidates"), history.Count(used, "thoughts", "reasoning"), history.Count(used, "tool")
	total := history.Count(used, "total")
	if inclusive := input + output + thoughts + tool; cached > 0 && total == inclusive {
		input = max(0, input-cached)
	}
	c := facts.ModelCall{Time: records.Time(v.Get("timestamp")), Model: v.Get("model").Str}
	c.Model = cmp.Or(c.Model, m.model)
	c.Tokens = history.Filled(facts.Tokens{Input: input + tool, CacheRead: cached, Output: output, Reasoning: thoughts}, total)
	if id := v.Get("id").Str; id != "" {
		c.Key = history.CallKey(m.session, id)
	}
	if c.Tokens.Total() > 0 {
		m.out(c)
	}
}
