package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
)

// BenchmarkToldOfSessions asks what a hook tells at each message of a person in 21 recorded
// sessions of Claude Code, as of the time of the message: it logs each past session that is
// told, to be judged by hand, and prints how long it takes.
func BenchmarkToldOfSessions(b *testing.B) {
	source, _, _ := saidWorld(b)
	messages := typedMessages(b)
	told := 0
	var took []time.Duration
	for b.Loop() {
		told, took = 0, nil
		for _, m := range messages {
			begun := time.Now()
			news := source.Providers().Finder().News(b.Context(), m)
			took = append(took, time.Since(begun))
			for _, n := range news {
				if strings.Contains(n.Text, "transcripts/") {
					told++
					b.Logf("%q: %s", m.Prompt[:min(len(m.Prompt), 200)], n.Text)
				}
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(len(messages)), "messages")
	b.ReportMetric(float64(told), "told")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-median")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "ms-p95")
}

// typedMessages are the moments at which a person sent a message in the recorded sessions.
func typedMessages(b *testing.B) (all []fs.Moment) {
	b.Helper()
	logs, err := filepath.Glob(testData("sessions/claude-code/*.jsonl"))
	must(b, err)
	for _, log := range logs {
		text, err := os.ReadFile(log)
		must(b, err)
		for line := range strings.Lines(string(text)) {
			var record struct {
				Type      string
				Timestamp time.Time
				IsMeta    bool
				Message   struct{ Content json.RawMessage }
			}
			var said string
			if json.Unmarshal([]byte(line), &record) != nil || record.Type != "user" || record.IsMeta || json.Unmarshal(record.Message.Content, &said) != nil ||
				strings.HasPrefix(said, "<") || strings.HasPrefix(said, "This session is being continued") {
				continue
			}
			all = append(all, fs.Moment{
				Kind: fs.Prompted, Agent: "claude-code", Session: strings.TrimSuffix(filepath.Base(log), ".jsonl"), Time: record.Timestamp, Prompt: said,
			})
		}
	}
	return all
}
