package agents

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// eachBlock goes through the content of a message: a text, or a list of blocks.
func eachBlock(content lazyjson.Value, do func(kind string, block lazyjson.Value)) {
	if content.Type == lazyjson.String {
		do("text", content)
		return
	}
	if !content.IsArray() {
		return
	}
	content.ForEach(func(_, block lazyjson.Value) bool {
		kind := "text"
		if block.Type != lazyjson.String {
			kind = block.Get("type").String()
		}
		do(kind, block)
		return true
	})
}

// blockText is the text of a block, or of a string that stands for one.
func blockText(block lazyjson.Value) string {
	if block.Type == lazyjson.String {
		return block.String()
	}
	return block.Get("text").String()
}

// firstText is the first text in a message to the model, and whether there are
// results of tools in it.
func firstText(content lazyjson.Value) (text string, results bool) {
	if content.Type == lazyjson.String {
		return content.String(), false
	}
	eachBlock(content, func(kind string, block lazyjson.Value) {
		switch {
		case kind == "tool_result":
			results = true
		case kind == "text" && text == "":
			text = blockText(block)
		}
	})
	return text, results
}

// blob is the note for an image or a document.
func blob(block lazyjson.Value) string {
	source := block.Get("source")
	media := source.Get("media_type").String()
	data := source.Get("data")
	switch source.Get("type").String() {
	case "text":
		return data.String()
	case "base64":
		return event.Blob(media, base64Size(data.String()))
	case "url":
		return "[" + block.Get("type").String() + " " + source.Get("url").String() + "]"
	}
	if media == "" {
		media = block.Get("type").String()
	}
	return event.Blob(media, base64Size(data.String()))
}

// flatText is the content of a result as one text: its blocks joined by newlines.
func flatText(content lazyjson.Value) string {
	if content.Type == lazyjson.String {
		return content.String()
	}
	if content.Exists() && !content.IsArray() {
		return content.Raw
	}
	var texts []string
	eachBlock(content, func(kind string, block lazyjson.Value) {
		switch kind {
		case "text":
			texts = append(texts, blockText(block))
		case "image", "document":
			texts = append(texts, blob(block))
		case "tool_reference":
			texts = append(texts, "[tool "+block.Get("tool_name").String()+"]")
		default:
			texts = append(texts, block.Raw)
		}
	})
	return strings.Join(texts, "\n")
}
