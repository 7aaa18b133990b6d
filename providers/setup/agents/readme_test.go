package agents

import (
	"os"
	"strings"
	"testing"
)

// TestPointerInReadme: the README shows the pointer as it is written.
func TestPointerInReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "> " + strings.ReplaceAll(strings.TrimSpace(Pointer), "\n", "\n> ")
	if !strings.Contains(string(text), want) {
		t.Errorf("the README does not have\n%s", want)
	}
}
