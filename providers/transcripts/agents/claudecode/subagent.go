package claudecode

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// sidechain marks the events of a subagent if the record does not name it.
const sidechain = "sidechain"

// inlineAgent returns the subagent that a record belongs to, where its events are
// in the log of its parent; "" otherwise.
func (r *reader) inlineAgent(c *record) string {
	switch {
	case c.inReport:
		return c.Agent
	case r.subagent || !c.Sidechain:
		return ""
	case c.Agent != "":
		return c.Agent
	}
	return sidechain
}

// readSurroundings reads what only other files contain: once the file beside a
// subagent's log, and for older subagents, from the first record, the parent's
// folder.
func (r *reader) readSurroundings(c *record) {
	if !r.subagent {
		return
	}
	s := c.out.Session()
	if !r.Begun {
		r.Begun = true
		meta := readSmallJSON(strings.TrimSuffix(r.path, ".jsonl") + ".meta.json")
		if parent := meta.Get("parentAgentId").String(); parent != "" {
			s.Parent = agentPrefix + strings.TrimPrefix(parent, agentPrefix)
		}
		s.Name(event.FromAgent, meta.Get("description").String())
	}
	if r.folder == "" {
		if s.Parent == "" && c.Session != r.id {
			s.Parent = c.Session
		}
		if isUUID(s.Parent) {
			r.folder = filepath.Join(r.project, s.Parent)
		}
	}
}

// readSmallJSON parses a JSON file beside a log. The result is empty if the file
// does not exist, or is larger than such a file can be.
func readSmallJSON(path string) lazyjson.Value {
	const limit = 64 << 10
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return lazyjson.Value{}
	}
	f, err := os.Open(path)
	if err != nil {
		return lazyjson.Value{}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil || !lazyjson.Valid(text) {
		return lazyjson.Value{}
	}
	return lazyjson.Parse(text)
}

// readTwin reads the two things that only the structured twin of a result contains:
// the subagent that answered, and the file with the whole text.
func (r *reader) readTwin(c *record, text string) {
	twin := c.Result
	spilled := strings.HasPrefix(text, "<persisted-output>") || strings.Contains(text, "saved to")
	if spilled || strings.Contains(twin.Raw, `"agentId"`) {
		for key, v := range lazyjson.All(twin) {
			switch key.Str {
			case "agentId":
				if id := v.String(); id != "" {
					c.subagent = agentPrefix + strings.TrimPrefix(id, agentPrefix)
				}
			case "persistedOutputPath":
				c.spill = r.spillFile(v.String())
			}
		}
	}
	if c.spill == "" && spilled {
		c.spill = r.findSpill(text)
	}
}

// findSpill finds the path of a long result in the text that replaces it: "Full
// output saved to: <path>", "Output has been saved to <path>.".
func (r *reader) findSpill(text string) string {
	_, after, ok := strings.Cut(strings.ReplaceAll(text, `\`, "/"), "/tool-results/")
	if !ok {
		return ""
	}
	name := after
	if end := strings.IndexAny(after, " \t\r\n\"'<>"); end >= 0 {
		name = after[:end]
	}
	return r.spillFile(strings.TrimRight(name, ".,;:)"))
}

// spillFile returns the path of the file with a long result, "" where it does not
// exist. Only its name is taken from the log: the path is untrusted text, and the
// logs may have been moved.
func (r *reader) spillFile(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if r.folder == "" || name == "" || name == "." || name == ".." {
		return ""
	}
	file := filepath.Join(r.folder, "tool-results", name)
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// progress reads reports of running calls. Those of a subagent contain its
// messages: where its own log is missing they are the only record of them.
func (r *reader) progress(c *record) {
	var kind, agent string
	var outer lazyjson.Value
	for key, v := range lazyjson.All(c.Data) {
		switch key.Str {
		case "type":
			kind = v.String()
		case "agentId":
			agent = v.String()
		case "message":
			outer = v
		}
	}
	if kind != "agent_progress" || agent == "" || r.hasOwnLog(agent) {
		return
	}
	r.subagentMessage(c, agent, outer)
}

// subagentMessage emits a message of a subagent, once: reports repeat.
func (r *reader) subagentMessage(c *record, agent string, outer lazyjson.Value) {
	inner := &record{line: c.line, out: c.out, value: outer}
	inner.parse()
	if inner.UUID == "" {
		return
	}
	if _, known := c.out.Known(inner.UUID); known {
		return
	}
	inner.Time = cmp.Or(inner.Time, c.Time)
	inner.inReport, inner.Agent = true, agent
	switch inner.Type {
	case "user":
		r.userBlocks(inner, contentBlocks(inner.Message.Get("content")), event.Injected)
	case "assistant":
		r.modelBlocks(inner, parseMessage(inner.Message), r.inlineAgent(inner))
	}
	if inner.parts > 0 {
		c.out.Note(inner.UUID)
	}
	c.parts += inner.parts
}

func (r *reader) hasOwnLog(agent string) bool {
	agent = validUTF8(agent)
	if r.OwnLogs[agent] {
		return true
	}
	if r.folder == "" || strings.ContainsAny(agent, `/\*?[`) {
		return false
	}
	name := agentPrefix + strings.TrimPrefix(agent, agentPrefix) + ".jsonl"
	found := isFile(filepath.Join(r.folder, "subagents", name)) || isFile(filepath.Join(filepath.Dir(r.folder), name))
	if !found {
		runs, err := filepath.Glob(filepath.Join(globQuote(r.folder), "subagents", "workflows", "*", name))
		found = err == nil && len(runs) > 0
	}
	if found {
		if r.OwnLogs == nil {
			r.OwnLogs = make(map[string]bool)
		}
		r.OwnLogs[agent] = true
	}
	return found
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// globQuote returns a glob pattern that matches only path.
func globQuote(path string) string {
	if !strings.ContainsAny(path, `*?[`) {
		return path // as nearly all are: the replacer costs more than the rest
	}
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
