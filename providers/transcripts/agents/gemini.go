package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Gemini CLI keeps a session in tmp/<project>/chats/session-<time>-<id8>.jsonl
// below ~/.gemini (GEMINI_CLI_HOME stands for ~), a subagent's in
// chats/<session>/<id>.jsonl, and before 2026 in .json files that were written
// anew. What is known is from google-gemini/gemini-cli
// (packages/core/src/services/chatRecordingService.ts).
//
// A message whose id was there before is a newer version of it; {"$set": …}
// changes what is known of the session, or (messages) replaces the history after
// it was compressed; {"$rewindTo": id} takes back that message and all after it.
func gemini() history.Agent {
	return history.Agent{Name: "gemini", Places: func(m history.Machine) []history.Place {
		root := filepath.Join(m.Env("GEMINI_CLI_HOME", m.Home), ".gemini")
		return []history.Place{{Dir: filepath.Join(root, "tmp"), File: geminiFile, Skip: func(rel string) bool {
			parts := strings.Split(rel, "/")
			return len(parts) > 1 && parts[1] != "chats" || len(parts) > 3
		}}}
	}}
}

// geminiFile tells how a file below tmp is read.
func geminiFile(rel string) history.Format {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || len(parts) > 4 || parts[1] != "chats" {
		return nil
	}
	name := parts[len(parts)-1]
	id, isLog := strings.CutSuffix(name, ".jsonl")
	switch {
	case len(parts) == 4 && isLog:
		return history.Log{ID: id, Parent: parts[2], Open: openGemini, Rank: 2, KeepTexts: true}
	case len(parts) == 4 || !strings.HasPrefix(name, "session-"):
		return nil
	case isLog:
		return history.Log{Open: openGemini, Rank: 2, KeepTexts: true}
	case strings.HasSuffix(name, ".json"):
		return history.Store{Sessions: geminiListed, Read: geminiRead, Rank: 1}
	}
	return nil
}

func openGemini(path string) history.Reader { return &geminiReader{path: path} }

// geminiReader reads the messages of a session, each as often as it is told.
type geminiReader struct {
	path string

	// First is the id of the message with which the history begins: where it is
	// gone from the history, that was compressed.
	First string `json:"first,omitempty"`
	// Last are the versions of the newest messages as they were told.
	Last []geminiTold `json:"last,omitempty"`
}

// geminiTold is what was told of a message.
type geminiTold struct {
	ID   string `json:"id"`
	Len  int    `json:"len"`
	Hash uint64 `json:"hash,string"`
}

// maxGeminiTold is how many messages may still grow: it is always the last one.
const maxGeminiTold = 8

// Record implements Reader.
func (r *geminiReader) Record(line []byte, out event.Sink) {
	if !validRecord(line, out) {
		return
	}
	rec := geminiRecord(lazyjson.Parse(line), line)
	switch {
	case !rec.IsObject():
		emitUnknown(out, "no object", line)
	case rec.Get("$rewindTo").Exists():
		r.rewind(rec, out)
	case rec.str("id") != "":
		r.message(rec, out)
	case rec.Get("$set").IsObject():
		set := rec.Get("$set")
		r.about(set, out)
		if list := set.Get("messages"); list.IsArray() && r.First == "" {
			// Nothing was told before: it is how the history begins.
			list.ForEach(func(_, v lazyjson.Value) bool {
				r.message(geminiRecord(v, []byte(v.Raw)), out)
				return true
			})
			return
		} else if list.IsArray() {
			r.replace(rec, list, out)
			return
		}
		rec.quiet(event.System, out)
	case rec.str("sessionId") != "":
		r.about(rec.Value, out)
		rec.quiet(event.System, out)
	default:
		emitUnknown(out, rec.str("type"), line)
	}
}

// geminiRecord is a record with its time: a text, or seconds.
func geminiRecord(v lazyjson.Value, line []byte) record {
	rec := record{line: line}.of(v)
	rec.time = parseTime(rec.str("timestamp"))
	if ts := rec.Get("ts"); rec.time.IsZero() && ts.Type == lazyjson.Number {
		rec.time = millis(int64(ts.Num * 1000))
	}
	if set := rec.Get("$set.lastUpdated").Str; set != "" {
		rec.time = parseTime(set)
	}
	return rec
}

// about takes what is said of the session as a whole.
func (r *geminiReader) about(v lazyjson.Value, out event.Sink) {
	s := out.Session()
	if id := v.Get("sessionId").Str; id != "" {
		s.ID = id
	}
	s.Saw(parseTime(v.Get("startTime").Str))
	s.Name(event.FromSummary, titleOf(v.Get("summary").Str))
	if s.CWD == "" {
		s.CWD = geminiProject(r.path, v.Get("projectHash").Str)
	}
	if dir := v.Get("directories.0").Str; s.CWD == "" && dir != "" {
		s.CWD = dir
	}
	if s.CWD == "" {
		s.Project = geminiSlug(r.path)
	}
}

// rewind marks a message and all after it as taken back.
func (r *geminiReader) rewind(rec record, out event.Sink) {
	mark := &event.Rewound{}
	if seq, ok := out.Known("msg:" + rec.str("$rewindTo")); ok {
		mark.To = max(0, seq-1)
	}
	out.Emit(event.Event{Kind: event.Rewind, Time: rec.time, Rewound: mark})
}

// replace takes a new history. The one before stays, so only what was in no
// message before is told: the summary, which the mark holds, and answers to it.
// Outputs that were masked to save room are told as they were.
func (r *geminiReader) replace(rec record, list lazyjson.Value, out event.Sink) {
	var summary []string
	var fresh []record
	first, cut := "", true
	list.ForEach(func(_, v lazyjson.Value) bool {
		m := geminiRecord(v, []byte(v.Raw))
		id := m.str("id")
		if first == "" {
			first = id
		}
		cut = cut && (id == "" || id != r.First)
		if _, ok := out.Known("msg:" + id); ok {
			return true
		}
		if text := geminiText(m.Get("content")); m.str("type") == "user" && text != "" {
			if _, told := out.Known(geminiSaid(text)); !told {
				summary = append(summary, text)
			}
		} else {
			fresh = append(fresh, m)
		}
		return true
	})
	if len(summary) == 0 && (!cut || r.First == "") {
		rec.quiet(event.System, out)
	} else {
		out.Emit(event.Event{Kind: event.Compaction, Time: rec.time,
			Compact: &event.Compact{Summary: strings.Join(summary, "\n\n")}})
		r.First = first
	}
	for _, text := range summary {
		out.Note(geminiSaid(text))
	}
	for _, m := range fresh {
		if text := geminiText(m.Get("content")); text != "" {
			if _, told := out.Known(geminiSaid(text)); told {
				continue
			}
		}
		if m.str("type") != "user" {
			r.message(m, out)
		}
	}
	list.ForEach(func(_, v lazyjson.Value) bool {
		id := "msg:" + v.Get("id").Str
		if _, ok := out.Known(id); !ok {
			out.Note(id)
		}
		return true
	})
}

// geminiSaid is the id of a text.
func geminiSaid(text string) string { return fmt.Sprintf("said:%016x", textHash(text)) }

// geminiFolder is the folder of a project in which a file of its chats lies.
func geminiFolder(path string) string {
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

// geminiSlug is the program's own name of a project: older versions have a hash
// instead, which is cut.
func geminiSlug(path string) string {
	slug := filepath.Base(geminiFolder(path))
	if len(slug) == 2*sha256.Size {
		slug = slug[:8]
	}
	return strings.Trim(slug, "./")
}

// geminiProject finds the folder of the project whose chats hold the file: the
// folder is named in .project_root, or in projects.json by name or hash.
func geminiProject(path, hash string) string {
	project := geminiFolder(path)
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
	found := ""
	lazyjson.Parse(list).Get("projects").ForEach(func(folder, name lazyjson.Value) bool {
		sum := sha256.Sum256([]byte(folder.Str))
		if name.Str == filepath.Base(project) || hex.EncodeToString(sum[:]) == hash {
			found = folder.Str
		}
		return found == ""
	})
	return found
}

// geminiListed lists the one session of an old file.
func geminiListed(_ context.Context, path string) ([]history.Entry, error) {
	v, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	c := &event.Collector{}
	(&geminiReader{path: path}).about(v, c)
	if c.Of.ID == "" {
		c.Of.ID = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	c.Of.Saw(parseTime(v.Get("lastUpdated").Str))
	return []history.Entry{{Session: c.Of, Key: c.Of.ID}}, nil
}

// geminiRead reads it.
func geminiRead(ctx context.Context, path, key string, out event.Sink) error {
	v, err := readWhole(path)
	if err != nil {
		return err
	}
	r := &geminiReader{path: path}
	out.Session().ID = key
	for _, at := range []string{"startTime", "start_time", "lastUpdated"} {
		out.Session().Saw(parseTime(v.Get(at).Str))
	}
	r.about(v, out)
	for _, list := range []string{"messages", "history"} {
		v.Get(list).ForEach(func(_, m lazyjson.Value) bool {
			r.message(geminiRecord(m, []byte(m.Raw)), out)
			return ctx.Err() == nil
		})
	}
	return ctx.Err()
}
