package mcp

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestMetadataHasArguments in the file that agents read.
func TestMetadataHasArguments(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		one, two := stub(""), stub("")
		one["args"], two["args"] = []string{"--root", "/srv/one"}, []string{"--root", "/srv/two", "--password", "hunter2hunter2"}
		w.claude(map[string]any{"one": one, "two": two})
		w.open()
		fstest.Contains(t, w.cat("one/SERVER_METADATA.json"), `"arguments": [`, `"/srv/one"`)
		fstest.Contains(t, w.cat("two/SERVER_METADATA.json"), `"/srv/two"`, `"--password"`)
		fstest.ContainsNot(t, w.cat("two/SERVER_METADATA.json"), "hunter2")
	})
}
