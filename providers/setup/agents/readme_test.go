package agents

import (
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestPointerInReadme: the README shows the pointer as it is written.
func TestPointerInReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	fstest.Must(t, err)
	want := "> " + strings.ReplaceAll(strings.TrimSpace(Pointer), "\n", "\n> ")
	fstest.Contains(t, string(text), want)
}
