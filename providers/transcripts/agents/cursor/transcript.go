package cursor

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// transcripts returns the format of a transcript, which is read if no database has
// the session.
func (h homeFolder) transcripts(t transcriptPath) history.Store {
	rank := 1
	if t.plain {
		rank = 0
	}
	return history.Store{
		Rank: rank,
		Sessions: func(_ context.Context, file string) ([]history.Entry, error) {
			info, err := os.Stat(file)
			if err != nil || info.Size() == 0 {
				return nil, err
			}
			return []history.Entry{{Key: t.id, Session: event.Session{
				Agent: "cursor", ID: t.id, Parent: t.parent, CWD: h.workspaceOf(t.project), Project: t.project,
			}}}, nil
		},
		Read: func(_ context.Context, file, _ string, out event.Sink) error {
			events, err := readTranscript(file)
			if err != nil {
				return err
			}
			emitAll(events, out)
			return nil
		},
	}
}

// workspaceOf returns the folder that a project's slug stands for, where Cursor
// has stored it: the slug alone is ambiguous.
func (h homeFolder) workspaceOf(project string) string {
	trusted, err := records.ReadDocument(filepath.Join(h.projects(), project, ".workspace-trusted"))
	if err != nil {
		return ""
	}
	return trusted.Get("workspacePath").Str
}

// foundTranscript is a transcript of some session.
type foundTranscript struct {
	transcriptPath
	path  string
	stamp string
}

// findTranscripts finds the transcripts of all sessions, by id. Errors are
// ignored: they are reported where the transcript itself is listed.
func (h homeFolder) findTranscripts() map[string]foundTranscript {
	found := make(map[string]foundTranscript)
	root := h.projects()
	_ = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, file)
		if err != nil || relErr != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if rel != "." && skip(rel) {
				return fs.SkipDir
			}
			return nil
		}
		t, ok := transcriptAt(rel)
		if before, twice := found[t.id]; !ok || twice && !before.plain {
			return nil // the newer of the two forms is used
		}
		if info, err := entry.Info(); err == nil {
			found[t.id] = foundTranscript{transcriptPath: t, path: file, stamp: history.StampOf(info.Size(), info.ModTime().UnixNano())}
		}
		return nil
	})
	return found
}

// emitAll emits events, and titles the session by its first prompt.
func emitAll(events []event.Event, out event.Sink) {
	for _, e := range events {
		if e.Kind == event.User && e.Origin == event.Typed && !e.Quiet {
			out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
		}
		out.Emit(e)
	}
}

func readTranscript(file string) ([]event.Event, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(file) == ".txt" && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return transcriptText(string(text)), nil
	}
	return transcriptLines(text), nil
}

// transcriptLines reads the form of JSON lines. A last line that is incomplete is
// left for later.
func transcriptLines(text []byte) []event.Event {
	c := collector{}
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !lazyjson.Valid(line) {
			if whole {
				c.add(records.Garbled(line))
			}
			continue
		}
		v := lazyjson.Parse(line)
		role := v.Get("role").Str
		content := v.Get("message.content")
		switch {
		case role == "user" || role == "assistant" || role == "system" || role == "tool":
			c.message("", v, content)
		case v.Get("type").Str == "turn_ended":
			c.add(event.Event{Kind: event.System, Quiet: true, Text: "turn_ended", Record: v.Raw})
		default:
			c.add(event.Event{Kind: event.Unknown, Text: v.Get("type").String(), Record: v.Raw})
		}
	}
	return c.events
}

// transcriptText reads the older form: blocks that begin with a line "user:" or
// "assistant:". In the latter, marks at the beginning of a line introduce what is
// indented below them.
func transcriptText(text string) []event.Event {
	c := collector{}
	role := ""
	var block []string
	end := func() {
		switch role {
		case "user":
			c.addText(event.Event{Kind: event.User}, strings.TrimSpace(strings.Join(block, "\n")))
		case "assistant":
			c.assistantBlock(block)
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch line {
		case "user:", "assistant:":
			end()
			role = strings.TrimSuffix(line, ":")
		default:
			block = append(block, line)
		}
	}
	end()
	return c.events
}

func (c *collector) assistantBlock(block []string) {
	for i := 0; i < len(block); {
		mark, name, begins := answerMark(block[i])
		first := i
		for i++; i < len(block); i++ {
			next := block[i]
			if _, _, another := answerMark(next); another {
				break
			}
			if begins && mark != "[Thinking]" && next != "" && next[0] != ' ' && next[0] != '\t' {
				break
			}
		}
		body := strings.TrimSpace(strings.Join(block[first+1:i], "\n"))
		switch {
		case !begins:
			c.addText(event.Event{Kind: event.Assistant}, strings.TrimSpace(strings.Join(block[first:i], "\n")))
		case mark == "[Thinking]":
			c.addText(event.Event{Kind: event.Thinking}, strings.TrimSpace(name+"\n"+body))
		case mark == "[Tool call]":
			c.add(event.Event{Kind: event.ToolCall, Call: &event.Call{Name: name, Input: textArguments(body)}})
		default:
			c.add(event.Event{Kind: event.ToolResult, Result: &event.Result{Name: name, Text: body}, Quiet: body == ""})
		}
	}
}

// textArguments converts arguments in lines of "name: value" to JSON. A value may
// continue in the lines below, which are indented further or are not arguments. A
// text of another form is returned unchanged.
func textArguments(body string) string {
	if strings.HasPrefix(body, "{") && lazyjson.Valid([]byte(body)) {
		return body
	}
	var names, values []string
	indent := ""
	for i, line := range strings.Split(body, "\n") {
		name, value, ok := strings.Cut(strings.TrimLeft(line, " \t"), ":")
		at := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if i == 1 {
			indent = at // the first has lost its own
		}
		switch {
		case ok && (i == 0 || at == indent) && isArgument(name):
			names, values = append(names, name), append(values, strings.TrimPrefix(value, " "))
		case i == 0:
			return body
		default:
			values[len(values)-1] += "\n" + line
		}
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		value := strings.Trim(values[i], "\n")
		if v := lazyjson.ParseString(value); !lazyjson.Valid([]byte(value)) || v.Type == lazyjson.Null {
			value = jsonString(value)
		}
		out = append(append(append(out, jsonString(name)...), ':'), value...)
	}
	return string(append(out, '}'))
}

func isArgument(name string) bool {
	return name != "" && len(name) <= 40 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

func answerMark(line string) (mark, rest string, ok bool) {
	for _, mark := range []string{"[Thinking]", "[Tool call]", "[Tool result]"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return mark, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}
