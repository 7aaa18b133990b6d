// Package agents lists the coding agents whose histories are read ([All]), and has
// the readers that are one file each. Readers of several files are packages of
// their own, one for each family of agents:
//
//   - history: what a reader is, and where it looks: together with All it is
//     everything that a program needs to read sessions;
//   - records, database: what readers share, of JSON and of SQLite;
//   - claudecode, codex, cursor, …: the families;
//   - historytest: what the tests of readers share.
//
// A new agent is one file here, or one package, with a function that returns its
// [history.Agent]; one fixture, testdata/<name>.txt; and one line in All. Its id
// must be described in providers/internal/agents. TestFixtures runs the checks that
// hold for every reader ([historytest.Conform]) with the fixture. The source of a
// format is documented with its reader.
package agents

import (
	"bytes"
	"context"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/aider"
	"ctxfs/providers/transcripts/agents/claudecode"
	"ctxfs/providers/transcripts/agents/cline"
	"ctxfs/providers/transcripts/agents/codex"
	"ctxfs/providers/transcripts/agents/copilot"
	"ctxfs/providers/transcripts/agents/cursor"
	"ctxfs/providers/transcripts/agents/gemini"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/kiro"
	"ctxfs/providers/transcripts/agents/opencode"
	"ctxfs/providers/transcripts/agents/records"
)

// All returns the agents, in the order of the documentation of the tree.
func All() []history.Agent {
	return []history.Agent{
		claudecode.Agent(), codex.Agent(), cursor.Agent(), gemini.Agent(), opencode.Agent(), copilot.CLI(), copilot.VSCode(), cline.Cline(), cline.Roo(),
		goose(), zed(), crush(), aider.Agent(), continueDev(), pi(), droid(), kiro.Agent(), amp(),
	}
}

// piSpent reads the requests of a log of Pi. A fork begins with the entries of another
// session, at their times.
func piSpent(log history.Spending, out func(facts.ModelCall)) {
	for line := range log.Lines {
		if !bytes.Contains(line, []byte(`"usage"`)) || !lazyjson.Valid(line) {
			continue
		}
		v := lazyjson.Parse(line)
		message := v.Get("message")
		used := message.Get("usage")
		if v.Get("type").Str != "message" || message.Get("role").Str != "assistant" || !used.IsObject() {
			continue
		}
		c := facts.ModelCall{Time: records.Time(v.Get("timestamp")), Model: message.Get("model").Str, Cost: max(0, used.Get("cost.total").Float())}
		c.Tokens = history.Filled(facts.Tokens{
			Input: history.Count(used, "input"), Output: history.Count(used, "output"),
			CacheRead: history.Count(used, "cacheRead"), CacheWrite: history.Count(used, "cacheWrite"),
		}, history.Count(used, "totalTokens"))
		if c.Tokens.Total() == 0 {
			continue
		}
		if !c.Time.IsZero() {
			c.Key = history.CallKey(c.Time.UnixNano(), c.Model, c.Tokens.Input, c.Tokens.Output, c.Tokens.CacheRead, c.Tokens.CacheWrite)
		}
		out(c)
	}
}

// ampSpent reads the requests of a thread of Amp: its ledger or else its messages. What
// a message read from the cache is not in the ledger.
func ampSpent(_ context.Context, path, _ string, out func(facts.ModelCall)) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	usages := make(map[int64]lazyjson.Value)
	messages := doc.Get("messages")
	for _, m := range lazyjson.All(messages) {
		if id := m.Get("messageId"); m.Get("role").Str == "assistant" && id.Exists() {
			usages[id.Int()] = m.Get("usage")
		}
	}
	emit := func(at time.Time, model string, t facts.Tokens, total int64) {
		if t = history.Filled(t, total); t.Total() > 0 {
			out(facts.ModelCall{Time: at, Model: model, Tokens: t})
		}
	}
	if ledger := doc.Get("usageLedger.events"); ledger.IsArray() {
		for _, e := range lazyjson.All(ledger) {
			used, message := e.Get("tokens"), usages[e.Get("toMessageId").Int()]
			if !e.Get("toMessageId").Exists() {
				message = lazyjson.Value{}
			}
			emit(records.Time(e.Get("timestamp")), e.Get("model").Str, facts.Tokens{
				Input: history.Count(used, "input"), Output: history.Count(used, "output"),
				CacheWrite: history.Count(message, "cacheCreationInputTokens"), CacheRead: history.Count(message, "cacheReadInputTokens"),
			}, history.Count(used, "total"))
		}
		return nil
	}
	for _, m := range lazyjson.All(messages) {
		used := m.Get("usage")
		if m.Get("role").Str != "assistant" || !used.IsObject() {
			continue
		}
		emit(records.Time(used.Get("timestamp")), used.Get("model").Str, facts.Tokens{
			Input: history.Count(used, "inputTokens"), Output: history.Count(used, "outputTokens"),
			CacheWrite: history.Count(used, "cacheCreationInputTokens"), CacheRead: history.Count(used, "cacheReadInputTokens"),
		}, history.Count(used, "totalTokens"))
	}
	return nil
}
