package claudecode

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// contentBlock is a block of a message: text, tool_use, image …
type contentBlock struct {
	kind string
	lazyjson.Value
}

// contentBlocks returns the blocks of a message's content, which is a text or a
// list of blocks.
func contentBlocks(content lazyjson.Value) []contentBlock {
	if content.Type == lazyjson.String {
		return []contentBlock{{"text", content}}
	}
	if !content.IsArray() {
		return nil
	}
	var blocks []contentBlock
	for _, v := range lazyjson.All(content) {
		kind := "text"
		if v.Type != lazyjson.String {
			kind = v.Get("type").String()
		}
		blocks = append(blocks, contentBlock{kind, v})
	}
	return blocks
}

// blockText returns the text of a block, or of a string in place of one.
func blockText(block lazyjson.Value) string {
	if block.Type == lazyjson.String {
		return block.String()
	}
	return block.Get("text").String()
}

// firstText returns the first text in a message to the model, and whether the
// message contains results of tools.
func firstText(content []contentBlock) (text string, results bool) {
	for _, block := range content {
		switch {
		case block.kind == "tool_result":
			results = true
		case block.kind == "text" && text == "":
			text = blockText(block.Value)
		}
	}
	return text, results
}

// binaryNote returns the note that stands for an image or a document.
func binaryNote(block lazyjson.Value) string {
	source := block.Get("source")
	media := source.Get("media_type").String()
	data := source.Get("data")
	switch source.Get("type").String() {
	case "text":
		return data.String()
	case "base64":
		return event.Blob(media, records.Base64Size(data.String()))
	case "url":
		return "[" + block.Get("type").String() + " " + source.Get("url").String() + "]"
	}
	if media == "" {
		media = block.Get("type").String()
	}
	return event.Blob(media, records.Base64Size(data.String()))
}

// textOf returns the content of a result as one text: its blocks, joined by
// newlines.
func textOf(content lazyjson.Value) string {
	if content.Type == lazyjson.String {
		return content.String()
	}
	if content.Exists() && !content.IsArray() {
		return content.Raw
	}
	var texts []string
	for _, block := range contentBlocks(content) {
		switch block.kind {
		case "text":
			texts = append(texts, blockText(block.Value))
		case "image", "document":
			texts = append(texts, binaryNote(block.Value))
		case "tool_reference":
			texts = append(texts, "[tool "+block.Get("tool_name").String()+"]")
		default:
			texts = append(texts, block.Raw)
		}
	}
	return strings.Join(texts, "\n")
}
