// Package claudecode reads the sessions of Claude Code. Each session is one log
// of JSON lines, in a folder per project:
//
//	projects/<project>/<session>.jsonl
//	projects/<project>/<session>/subagents/agent-<id>.jsonl
//	projects/<project>/<session>/subagents/workflows/<run>/agent-<id>.jsonl
//	projects/<project>/agent-<id>.jsonl (subagents of versions before 2.1)
//
// Beside a subagent's log a small agent-<id>.meta.json names the session that
// started it, and <session>/tool-results holds results that were too long for the
// log.
//
// The format is known from logs of versions 2.0.64 to 2.1.220. Statements about
// records in this package were counted in those logs unless they name another
// source. A line is parsed once into a record (reader.go), which becomes events by
// its type: what the model was sent (prompt.go, queue.go), what the model wrote
// (model.go), what the program added (system.go), and reports of subagents
// (subagent.go). Forks, continuations and rewinds are found in lineage.go.
package claudecode

import (
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Agent returns the reader of Claude Code. Its folder is named by
// CLAUDE_CONFIG_DIR, and is ~/.claude otherwise.
func Agent() history.Agent {
	return history.Agent{Name: "claude-code", Places: func(m history.Machine) []history.Place {
		var places []history.Place
		for _, dir := range m.Folders("claude-code") {
			places = append(places, history.Place{Dir: dir, File: formatOf, Skip: skip})
		}
		return places
	}}
}

// formatOf returns the format of the files listed in the package comment, by
// their names.
func formatOf(rel string) history.Format {
	parts := strings.Split(rel, "/")
	name, ok := strings.CutSuffix(parts[len(parts)-1], ".jsonl")
	if !ok || name == "" {
		return nil
	}
	log := history.Log{ID: name, Open: newReader, Spent: spent}
	switch {
	case len(parts) == 2 && name != "history" && name != "journal":
		return log
	case len(parts) >= 4 && parts[2] == "subagents" && strings.HasPrefix(name, agentPrefix):
		log.Parent = parts[1]
		return log
	}
	return nil
}

// skip reports whether a folder contains no logs: memories, long results.
func skip(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) == 2 && parts[1] == "memory" || len(parts) == 3 && parts[2] != "subagents"
}

// agentPrefix is the prefix of the names of subagents' files and of their ids as
// sessions. In records the ids are without it.
const agentPrefix = "agent-"

func newReader(path string) history.Reader {
	dir, name := filepath.Split(path)
	r := &reader{path: path, id: strings.TrimSuffix(name, ".jsonl")}
	r.agentID, r.subagent = strings.CutPrefix(r.id, agentPrefix)
	slashed := filepath.ToSlash(dir)
	switch at := strings.LastIndex(slashed, "/subagents/"); {
	case !r.subagent:
		r.agentID = ""
		r.folder = strings.TrimSuffix(path, ".jsonl")
	case at >= 0:
		r.folder = filepath.FromSlash(slashed[:at])
	default:
		r.project = dir
	}
	return r
}

// passFile passes on the content of the file that a call has read or written, which the
// structured twin of its result contains: of Read {type: "text", file: {filePath, content,
// startLine, numLines, totalLines}}, of Edit and Write {filePath, originalFile, content},
// where originalFile is the whole file before the call.
func passFile(to event.FileSink, callID string, twin lazyjson.Value) {
	if !twin.IsObject() {
		return
	}
	if file := twin.Get("file"); file.IsObject() {
		content := file.Get("content")
		if content.Type != lazyjson.String || twin.Get("type").String() != "text" {
			return
		}
		f := event.File{Path: file.Get("filePath").String(), Text: content.Str, Line: max(int(file.Get("startLine").Int()), 1)}
		total := file.Get("totalLines")
		f.Whole = f.Line == 1 && total.Exists() && file.Get("numLines").Int() >= total.Int()
		to.File(callID, f)
		return
	}
	path := twin.Get("filePath").String()
	if path == "" {
		return
	}
	if before := twin.Get("originalFile"); before.Type == lazyjson.String {
		to.File(callID, event.File{Path: path, Text: before.Str, Line: 1, Whole: true, Before: true})
	}
	if after := twin.Get("content"); after.Type == lazyjson.String {
		to.File(callID, event.File{Path: path, Text: after.Str, Line: 1, Whole: true})
	}
}
