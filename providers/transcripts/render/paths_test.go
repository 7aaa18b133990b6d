package render

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
)

// TestEveryFile: a session may read thousands.
func TestEveryFile(t *testing.T) {
	var s Summary
	const files = 5000
	for i := range files {
		call := fmt.Sprint("call", i)
		s.Add(&event.Event{Seq: 2*i + 1, Kind: event.ToolCall, Call: &event.Call{ID: call, Name: "Read", Input: fmt.Sprintf(`{"file_path":"/work/some/folder/of/the/project/file%d.go"}`, i)}})
		s.Add(&event.Event{Seq: 2*i + 2, Kind: event.ToolResult, Result: &event.Result{CallID: call, Name: "Read", Text: "package x"}})
	}
	fstest.Equal(t, strings.Count(string(s.Files()), "\n")-1, files, "files.tsv")
}
