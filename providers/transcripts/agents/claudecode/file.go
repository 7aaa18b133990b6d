package claudecode

import (
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

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
