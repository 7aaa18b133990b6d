package copilot

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// VSCode returns the reader of VS Code's chat. A chat is
// workspaceStorage/<hash>/chatSessions/<id>.jsonl below the settings of each
// variant of VS Code (older versions: .json), or in
// globalStorage/emptyWindowChatSessions where no folder is open; the .jsonl is a log
// of changes to one object ([readChanges]). Copilot writes the same session as
// events to GitHub.copilot-chat/transcripts/<id>.jsonl, which are read where the
// chat is missing. The source of the format is microsoft/vscode
// (src/vs/workbench/contrib/chat/common/model).
func VSCode() history.Agent {
	return history.Agent{Name: "vscode", Places: func(m history.Machine) []history.Place {
		var places []history.Place
		for _, dir := range m.Folders("vscode") {
			place := history.Place{Dir: dir, File: chatFormat}
			if filepath.Base(dir) == "workspaceStorage" {
				place.File, place.Skip = workspaceFormat, skip
			}
			places = append(places, place)
		}
		return places
	}}
}

// extensionFolder is the folder of Copilot's extension, in lower case.
const extensionFolder = "github.copilot-chat"

// skip reports whether a folder of a workspace contains no chats.
func skip(rel string) bool {
	parts := strings.Split(rel, "/")
	switch len(parts) {
	case 1:
		return false
	case 2:
		return parts[1] != "chatSessions" && !strings.EqualFold(parts[1], extensionFolder)
	case 3:
		return !strings.EqualFold(parts[1], extensionFolder) || parts[2] != "transcripts"
	}
	return true
}

// workspaceFormat returns the format of a file below workspaceStorage.
func workspaceFormat(rel string) history.Format {
	parts := strings.Split(rel, "/")
	switch {
	case len(parts) == 3 && parts[1] == "chatSessions":
		return chatFormat(parts[2])
	case len(parts) == 4 && strings.EqualFold(parts[1], extensionFolder) && parts[2] == "transcripts":
		id, ok := strings.CutSuffix(parts[3], ".jsonl")
		if !ok {
			return nil
		}
		return history.Log{ID: id, Rank: 1, Open: func(path string) history.Reader {
			return &reader{describe: func(out event.Sink) {
				if s := out.Session(); s.CWD == "" {
					s.CWD = workspaceFolder(filepath.Dir(filepath.Dir(filepath.Dir(path))))
				}
			}}
		}}
	}
	return nil
}

// chatFormat returns the format of a file of chats.
func chatFormat(name string) history.Format {
	switch {
	case strings.Contains(name, "/"):
		return nil
	case strings.HasSuffix(name, ".jsonl"):
		return history.Store{Sessions: listChat, Read: emitChat, Rank: 3}
	case strings.HasSuffix(name, ".json"):
		return history.Store{Sessions: listChat, Read: emitChat, Rank: 2}
	}
	return nil
}

// workspaceFolder returns the folder that a workspace's storage belongs to.
func workspaceFolder(storage string) string {
	body, err := os.ReadFile(filepath.Join(storage, "workspace.json"))
	if err != nil || len(body) > 1<<16 {
		return ""
	}
	v := lazyjson.Parse(body)
	for _, key := range []string{"folder", "workspace", "configuration"} {
		if u, err := url.Parse(v.Get(key).Str); err == nil && u.Path != "" {
			if key != "folder" { // a file that names several folders
				return filepath.Dir(u.Path)
			}
			return u.Path
		}
	}
	return ""
}

// readChat reads the current state of a chat.
func readChat(path string) (*jsonTree, error) {
	if strings.HasSuffix(path, ".jsonl") {
		return readChanges(path)
	}
	v, err := records.ReadDocument(path)
	return &jsonTree{text: v.Raw}, err
}

// listChat lists the one session of a file.
func listChat(_ context.Context, path string) ([]history.Entry, error) {
	chat, err := readChat(path)
	if chat == nil {
		return nil, err
	}
	c := &event.Collector{}
	describeChat(path, chat, c)
	return []history.Entry{{Session: c.Of, Key: c.Of.ID}}, err
}

// describeChat reads what a chat says of itself.
func describeChat(path string, chat *jsonTree, out event.Sink) {
	s := out.Session()
	name := filepath.Base(path)
	s.ID = strings.TrimSuffix(name, filepath.Ext(name))
	if id := chat.get("sessionId").value().Str; id != "" {
		s.ID = id
	}
	s.CWD = workspaceFolder(filepath.Dir(filepath.Dir(path)))
	s.Saw(records.Millis(chat.get("creationDate").value().Int()))
	s.Saw(records.Millis(chat.get("lastMessageDate").value().Int()))
	s.Name(event.FromAgent, records.FirstLine(chat.get("computedTitle").value().Str))
	s.Name(event.FromUser, records.FirstLine(chat.get("customTitle").value().Str))
	if m := chat.get("inputState", "selectedModel", "identifier").value().Str; m != "" {
		s.Model = modelName(m)
	}
	for _, r := range chat.get("requests").items() {
		v := r.value()
		s.Saw(records.Millis(v.Get("timestamp").Int()))
		s.Name(event.FromPrompt, records.FirstLine(promptText(v)))
		if m := v.Get("modelId").Str; m != "" {
			s.Model = modelName(m)
		}
	}
}

// modelName returns a model's name without its provider.
func modelName(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

func emitChat(ctx context.Context, path, _ string, out event.Sink) error {
	chat, err := readChat(path)
	if chat == nil {
		return err
	}
	describeChat(path, chat, out)
	for _, r := range chat.get("requests").items() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v := r.value()
		if !v.IsObject() {
			records.EmitUnknown(out, "request", []byte(v.Raw))
			continue
		}
		newRequest(v, out).emit()
	}
	return err
}

// promptText returns what the user typed.
func promptText(v lazyjson.Value) string {
	m := v.Get("message")
	if m.Type == lazyjson.String {
		return m.Str
	}
	if t := m.Get("text"); t.Str != "" {
		return t.Str
	}
	var text strings.Builder
	for _, p := range lazyjson.All(m.Get("parts")) {
		text.WriteString(p.Get("text").Str)
	}
	return text.String()
}
