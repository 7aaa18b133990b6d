package agents

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// VS Code keeps a chat in workspaceStorage/<hash>/chatSessions/<id>.jsonl below
// the settings of each of its variants (older versions: .json), one without a
// folder in globalStorage/emptyWindowChatSessions; the .jsonl is a log of changes
// to one object ([changeLog]). Copilot writes the same session as events into
// GitHub.copilot-chat/transcripts/<id>.jsonl beside: they are read where the
// chat is not there. What is known is from microsoft/vscode
// (src/vs/workbench/contrib/chat/common/model).
func vscode() history.Agent {
	return history.Agent{Name: "vscode", Places: func(m history.Machine) []history.Place {
		var places []history.Place
		for _, user := range vscodeUsers(m) {
			places = append(places,
				history.Place{Dir: filepath.Join(user, "workspaceStorage"), File: vscodeFile, Skip: vscodeSkip},
				history.Place{Dir: filepath.Join(user, "globalStorage", "emptyWindowChatSessions"), File: vscodeChat})
		}
		return places
	}}
}

// vscodeUsers are the settings folders of VS Code's variants, here and where it
// runs as the server of another machine.
func vscodeUsers(m history.Machine) []string {
	var users []string
	for _, name := range []string{"Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders"} {
		users = append(users, filepath.Join(m.Support(name), "User"))
	}
	for _, name := range []string{".vscode-server", ".vscode-server-insiders", ".vscodium-server"} {
		users = append(users, filepath.Join(m.Home, name, "data", "User"))
	}
	return users
}

// vscodeCopilot is the folder of Copilot's extension, in any case.
const vscodeCopilot = "github.copilot-chat"

// vscodeSkip leaves out the folders of a workspace that hold no chats.
func vscodeSkip(rel string) bool {
	parts := strings.Split(rel, "/")
	switch len(parts) {
	case 1:
		return false
	case 2:
		return parts[1] != "chatSessions" && !strings.EqualFold(parts[1], vscodeCopilot)
	case 3:
		return !strings.EqualFold(parts[1], vscodeCopilot) || parts[2] != "transcripts"
	}
	return true
}

// vscodeFile tells how a file below workspaceStorage is read.
func vscodeFile(rel string) history.Format {
	parts := strings.Split(rel, "/")
	switch {
	case len(parts) == 3 && parts[1] == "chatSessions":
		return vscodeChat(parts[2])
	case len(parts) == 4 && strings.EqualFold(parts[1], vscodeCopilot) && parts[2] == "transcripts":
		id, ok := strings.CutSuffix(parts[3], ".jsonl")
		if !ok {
			return nil
		}
		return history.Log{ID: id, Rank: 1, Open: func(path string) history.Reader {
			return &copilotReader{about: func(out event.Sink) {
				if s := out.Session(); s.CWD == "" {
					s.CWD = vscodeFolder(filepath.Dir(filepath.Dir(filepath.Dir(path))))
				}
			}}
		}}
	}
	return nil
}

// vscodeChat tells how a file of chats is read.
func vscodeChat(name string) history.Format {
	switch {
	case strings.Contains(name, "/"):
		return nil
	case strings.HasSuffix(name, ".jsonl"):
		return history.Store{Sessions: vscodeListed, Read: vscodeRead, Rank: 3}
	case strings.HasSuffix(name, ".json"):
		return history.Store{Sessions: vscodeListed, Read: vscodeRead, Rank: 2}
	}
	return nil
}

// vscodeFolder is the folder that a workspace's storage belongs to.
func vscodeFolder(storage string) string {
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

// vscodeOpen reads a chat as it is now.
func vscodeOpen(path string) (*tree, error) {
	if strings.HasSuffix(path, ".jsonl") {
		return readChanges(path)
	}
	v, err := readWhole(path)
	return &tree{raw: v.Raw}, err
}

// vscodeListed lists the one session of a file.
func vscodeListed(_ context.Context, path string) ([]history.Entry, error) {
	chat, err := vscodeOpen(path)
	if chat == nil {
		return nil, err
	}
	c := &event.Collector{}
	vscodeAbout(path, chat, c)
	return []history.Entry{{Session: c.Of, Key: c.Of.ID}}, err
}

// vscodeAbout takes what a chat says of itself.
func vscodeAbout(path string, chat *tree, out event.Sink) {
	s := out.Session()
	name := filepath.Base(path)
	s.ID = strings.TrimSuffix(name, filepath.Ext(name))
	if id := chat.get("sessionId").value().Str; id != "" {
		s.ID = id
	}
	s.CWD = vscodeFolder(filepath.Dir(filepath.Dir(path)))
	s.Saw(millis(chat.get("creationDate").value().Int()))
	s.Saw(millis(chat.get("lastMessageDate").value().Int()))
	s.Name(event.FromAgent, titleOf(chat.get("computedTitle").value().Str))
	s.Name(event.FromUser, titleOf(chat.get("customTitle").value().Str))
	if m := chat.get("inputState", "selectedModel", "identifier").value().Str; m != "" {
		s.Model = vscodeModel(m)
	}
	for _, r := range chat.get("requests").items() {
		v := r.value()
		s.Saw(millis(v.Get("timestamp").Int()))
		s.Name(event.FromPrompt, titleOf(vscodePrompt(v)))
		if m := v.Get("modelId").Str; m != "" {
			s.Model = vscodeModel(m)
		}
	}
}

// vscodeModel is a model without the name of who offers it.
func vscodeModel(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// vscodeRead reads a chat.
func vscodeRead(ctx context.Context, path, _ string, out event.Sink) error {
	chat, err := vscodeOpen(path)
	if chat == nil {
		return err
	}
	vscodeAbout(path, chat, out)
	for _, r := range chat.get("requests").items() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v := r.value()
		if !v.IsObject() {
			emitUnknown(out, "request", []byte(v.Raw))
			continue
		}
		newVSCodeRequest(v, out).emit()
	}
	return err
}

// vscodePrompt is what the user typed.
func vscodePrompt(v lazyjson.Value) string {
	m := v.Get("message")
	if m.Type == lazyjson.String {
		return m.Str
	}
	if t := m.Get("text"); t.Str != "" {
		return t.Str
	}
	var text strings.Builder
	m.Get("parts").ForEach(func(_, p lazyjson.Value) bool {
		text.WriteString(p.Get("text").Str)
		return true
	})
	return text.String()
}
