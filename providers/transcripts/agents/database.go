package agents

import (
	"fmt"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// partID is the id of the nth event of a message.
func partID(message string, n int) string {
	if n == 0 {
		return message
	}
	return fmt.Sprintf("%s.%d", message, n)
}

// rowJSON is a document of a row. What is no JSON is emitted as an unknown
// record and false is returned: the rest of the session stands.
func rowJSON(out event.Sink, e event.Event, text string) (lazyjson.Value, bool) {
	if lazyjson.Valid([]byte(text)) {
		return lazyjson.ParseString(text), true
	}
	broken := garbled([]byte(text))
	broken.ID, broken.Time = e.ID, e.Time
	out.Emit(broken)
	return lazyjson.Value{}, false
}

// base64Note stands for binary data in base64.
func base64Note(mediaType string, data string) string {
	data = strings.TrimRight(data, "=")
	return event.Blob(mediaType, len(data)*3/4)
}

// linkNote stands for a file that a message refers to: its address, or a note of
// its size where the address holds the data.
func linkNote(mediaType, url string) string {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return url
	}
	kind, data, _ := strings.Cut(rest, ",")
	if kind, ok = strings.CutSuffix(kind, ";base64"); !ok {
		return event.Blob(kind, len(data))
	}
	if mediaType == "" {
		mediaType = kind
	}
	return base64Note(mediaType, data)
}

// contentsText is the text of a list of contents as MCP and most agents have
// them: texts, images, resources. What is of another type stays as JSON.
func contentsText(v lazyjson.Value) string {
	switch {
	case v.Type == lazyjson.String:
		return v.Str
	case v.Type == lazyjson.Null:
		return ""
	case v.IsObject():
		return contentText(v)
	case !v.IsArray():
		return v.Raw
	}
	var texts []string
	v.ForEach(func(_, item lazyjson.Value) bool {
		texts = append(texts, contentText(item))
		return true
	})
	return strings.Join(texts, "\n")
}

func contentText(v lazyjson.Value) string {
	if v.Type == lazyjson.String {
		return v.Str
	}
	switch v.Get("type").Str {
	case "text":
		return v.Get("text").Str
	case "image", "audio":
		mediaType := v.Get("mimeType").Str
		if mediaType == "" {
			mediaType = v.Get("mediaType").Str
		}
		for _, key := range []string{"data", "image"} {
			if data := v.Get(key).Str; data != "" {
				return base64Note(mediaType, data)
			}
		}
	case "resource":
		r := v.Get("resource")
		if text := r.Get("text"); text.Exists() {
			return r.Get("uri").Str + "\n" + text.Str
		}
		if blob := r.Get("blob").Str; blob != "" {
			return r.Get("uri").Str + " " + base64Note(r.Get("mimeType").Str, blob)
		}
	case "resource_link":
		return v.Get("uri").Str
	}
	return v.Raw
}

// calls remembers the names of the tools that a session has called.
type calls map[string]string

// resultOf makes the result of a call whose name was remembered.
func (c calls) resultOf(id, text string, failed bool) *event.Result {
	return &event.Result{CallID: id, Name: c[id], Text: text, Error: failed}
}
