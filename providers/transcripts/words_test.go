package transcripts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/clean"
)

// TestEveryWordIsThere: every word of every message of the real logs of Claude Code,
// read by encoding/json alone, is in the transcript and the long texts of its session,
// with the same number of messages of each kind.
func TestEveryWordIsThere(t *testing.T) {
	f := start(t, realHome(t), offline)
	f.scanner.First()
	for _, s := range f.catalogue.All() {
		if s.Agent != "claude-code" {
			continue
		}
		path := f.catalogue.Path(s)
		text := f.read(path + "/transcript.md")
		words := make(map[string]bool)
		addWords(words, text)
		for _, name := range f.names(path + "/results") {
			addWords(words, f.read(path+"/results/"+name))
		}
		raw := claudeLog(t, s.Source().Path)
		missing := 0
		for _, said := range raw.texts {
			for word := range strings.FieldsSeq(clean.Text(said)) {
				if !words[word] && len(word) < 1000 && !strings.Contains(text, word) {
					if missing++; missing < 5 {
						t.Errorf("%s: %q is not there", path, word)
					}
				}
			}
		}
		for kind, want := range raw.kinds {
			got := 0
			for line := range strings.Lines(text) {
				told := strings.HasPrefix(line, "### [") && strings.Contains(line, "Z "+kind)
				if told && !strings.Contains(line, " agent=") && !strings.Contains(line, " user queued") {
					got++
				}
			}
			fstest.Equal(t, got, want, path, kind)
		}
	}
}

func addWords(words map[string]bool, text string) {
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
}

// said is what was said in a log.
type said struct {
	texts []string
	kinds map[string]int
}

func claudeLog(t *testing.T, path string) said {
	t.Helper()
	s := said{kinds: make(map[string]int)}
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 64<<20)
	seen := make(map[string]bool)
	for in.Scan() {
		var r struct {
			Type, UUID string
			Message    struct{ Content json.RawMessage }
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.Type != "user" && r.Type != "assistant" || seen[r.UUID] {
			continue
		}
		seen[r.UUID] = r.UUID != ""
		var plain string
		if json.Unmarshal(r.Message.Content, &plain) == nil {
			s.texts = append(s.texts, plain)
			s.kinds[r.Type]++
			continue
		}
		var blocks []struct {
			Type, Text, Thinking string
			Input                any
			Content              json.RawMessage
		}
		if json.Unmarshal(r.Message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				s.kinds[r.Type]++
				s.texts = append(s.texts, b.Text)
			case "thinking":
				s.texts = append(s.texts, b.Thinking)
			case "tool_use":
				s.kinds["tool-call"]++
				s.leaves(b.Input)
			case "tool_result":
				s.kinds["tool-result"]++
				var plain string
				var parts []struct{ Text string }
				if json.Unmarshal(b.Content, &plain) == nil {
					s.texts = append(s.texts, plain)
				} else if json.Unmarshal(b.Content, &parts) == nil {
					for _, p := range parts {
						s.texts = append(s.texts, p.Text)
					}
				}
			}
		}
	}
	fstest.Must(t, in.Err())
	return s
}

// leaves are the texts in the arguments of a tool.
func (s *said) leaves(v any) {
	switch v := v.(type) {
	case string:
		s.texts = append(s.texts, v)
	case []any:
		for _, one := range v {
			s.leaves(one)
		}
	case map[string]any:
		for _, one := range v {
			s.leaves(one)
		}
	}
}
