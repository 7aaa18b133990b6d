package records

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// ResultText returns the text of a tool's result: a string, blocks, or an object of
// the agent's own, whose parts that hold text are joined. failed reports whether
// one of these says that the call failed.
func ResultText(v lazyjson.Value) (text string, failed bool) { return resultWithin(v, 0) }

// MaxDepth is how deep a value is searched for text. Real values are not deeper,
// and every level costs a pass over the text.
const MaxDepth = 8

func resultWithin(v lazyjson.Value, depth int) (text string, failed bool) {
	if depth > MaxDepth {
		return v.String(), false
	}
	switch {
	case v.Type == lazyjson.String:
		if strings.HasPrefix(v.Str, `{"query":`) && lazyjson.Valid([]byte(v.Str)) {
			return resultWithin(lazyjson.ParseString(v.Str), depth+1)
		}
		return v.Str, false
	case v.IsArray():
		text = JoinText(v, func(item lazyjson.Value) string {
			part, bad := resultWithin(item, depth+1)
			failed = failed || bad
			return part
		})
		return text, failed
	case !v.IsObject():
		return v.String(), false
	}
	switch kind := v.Get("type").Str; kind {
	case "text", "error-text":
		return First(v, "text", "value").String(), kind == "error-text"
	case "json", "error-json":
		return v.Get("value").Raw, kind == "error-json"
	case "image", "document", "audio", "video":
		return BinaryNote(v), false
	}
	if !v.Get("result").Exists() && !v.Get("error").Exists() {
		return v.Raw, false
	}
	var parts []string
	for _, name := range []string{"query", "result", "error"} {
		part, _ := resultWithin(v.Get(name), depth+1)
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), v.Get("success").Type == lazyjson.False || v.Get("error").Str != ""
}

// JoinText returns the texts of the elements of a list, joined by newlines. Elements
// without a text are left out.
func JoinText(list lazyjson.Value, text func(lazyjson.Value) string) string {
	var parts []string
	for _, v := range lazyjson.All(list) {
		if part := text(v); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// BinaryNote returns the note that stands for an image or another file in a
// message.
func BinaryNote(v lazyjson.Value) string {
	source := v
	if s := First(v, "source", "imageUrl"); s.IsObject() {
		source = s
	}
	kind := First(source, "media_type", "mimeType", "mediaType").String()
	if kind == "" {
		kind = v.Get("type").Str
	}
	data := First(source, "data", "image", "url", "content").String()
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		if media, encoded, ok := strings.Cut(rest, ";base64,"); ok {
			kind, data = media, encoded
		}
	} else if strings.Contains(data, "://") {
		return "[" + kind + " " + data + "]"
	}
	return event.Blob(kind, base64.StdEncoding.DecodedLen(len(data))-strings.Count(data[max(0, len(data)-2):], "="))
}

// Base64Note returns the note that stands for binary data in base64.
func Base64Note(mediaType, data string) string { return event.Blob(mediaType, Base64Size(data)) }

// LinkNote returns the text that stands for a file that a message refers to: its
// address, or a note of its size where the address contains the data.
func LinkNote(mediaType, url string) string {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return url
	}
	kind, data, _ := strings.Cut(rest, ",")
	if kind, ok = strings.CutSuffix(kind, ";base64"); !ok {
		return event.Blob(kind, len(data))
	}
	mediaType = cmp.Or(mediaType, kind)
	return Base64Note(mediaType, data)
}

// ContentText returns the text of a list of contents as in MCP and most agents:
// texts, images and resources. Contents of other types are returned as JSON.
func ContentText(v lazyjson.Value) string {
	switch {
	case v.Type == lazyjson.String:
		return v.Str
	case v.Type == lazyjson.Null:
		return ""
	case v.IsObject():
		return ItemText(v)
	case !v.IsArray():
		return v.Raw
	}
	var texts []string
	for _, item := range lazyjson.All(v) {
		texts = append(texts, ItemText(item))
	}
	return strings.Join(texts, "\n")
}

// ItemText returns the text of one such content.
func ItemText(v lazyjson.Value) string {
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
				return Base64Note(mediaType, data)
			}
		}
	case "resource":
		r := v.Get("resource")
		if text := r.Get("text"); text.Exists() {
			return r.Get("uri").Str + "\n" + text.Str
		}
		if blob := r.Get("blob").Str; blob != "" {
			return r.Get("uri").Str + " " + Base64Note(r.Get("mimeType").Str, blob)
		}
	case "resource_link":
		return v.Get("uri").Str
	}
	return v.Raw
}

// ImageNote returns the note for an image with an address: the size for data in
// the address, otherwise the address itself.
func ImageNote(address string) string {
	head, data, ok := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		if address == "" {
			return "[image]"
		}
		return "[image " + address + "]"
	}
	if t, is64 := strings.CutSuffix(kind, ";base64"); is64 {
		return event.Blob(t, Base64Size(data))
	}
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	return event.Blob(kind, len(data))
}

// Base64Size returns the number of bytes that a base64 text decodes to.
func Base64Size(data string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
}
