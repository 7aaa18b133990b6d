package claudecode

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// sidechain is what the events of a subagent are marked with where the record
// does not say which it is.
const sidechain = "sidechain"

// inline is the subagent that a record belongs to, where it is told within the
// log of its parent.
func (r *reader) inline(c *record) string {
	switch {
	case c.reported:
		return c.Agent
	case r.subagent || !c.Sidechain:
		return ""
	case c.Agent != "":
		return c.Agent
	}
	return sidechain
}

// begin learns what only the surroundings of the file tell: once, from the file
// beside a subagent's log, and for older subagents from the first record.
func (r *reader) begin(c *record) {
	if !r.subagent {
		return
	}
	s := c.out.Session()
	if !r.Begun {
		r.Begun = true
		meta := smallFile(strings.TrimSuffix(r.path, ".jsonl") + ".meta.json")
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

// smallFile is the JSON in a file beside a log; nothing where there is none, or
// where it is more than such a file can be.
func smallFile(path string) lazyjson.Value {
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

// spillAndAgent reads the two things that only the structured twin of a result
// tells: which subagent has answered, and where the whole text lies.
func (r *reader) spillAndAgent(c *record, text string) {
	twin := c.Result
	spilled := strings.HasPrefix(text, "<persisted-output>") || strings.Contains(text, "saved to")
	if spilled || strings.Contains(twin.Raw, `"agentId"`) {
		twin.ForEach(func(key, v lazyjson.Value) bool {
			switch key.Str {
			case "agentId":
				if id := v.String(); id != "" {
					c.subagent = agentPrefix + strings.TrimPrefix(id, agentPrefix)
				}
			case "persistedOutputPath":
				c.spill = r.spilled(v.String())
			}
			return true
		})
	}
	if c.spill == "" && spilled {
		c.spill = r.spilledIn(text)
	}
}

// spilledIn finds the path of a long result in the words that stand for it:
// "Full output saved to: <path>", "Output has been saved to <path>.".
func (r *reader) spilledIn(text string) string {
	_, after, ok := strings.Cut(strings.ReplaceAll(text, `\`, "/"), "/tool-results/")
	if !ok {
		return ""
	}
	name := after
	if end := strings.IndexAny(after, " \t\r\n\"'<>"); end >= 0 {
		name = after[:end]
	}
	return r.spilled(strings.TrimRight(name, ".,;:)"))
}

// spilled is the file with a long result, if it is there. Only its name is taken
// from the log: the path is foreign text, and the logs may have been moved.
func (r *reader) spilled(path string) string {
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

// progress reads reports of running calls. Those of a subagent hold its
// messages: where its own log is gone they are the only record of them.
func (r *reader) progress(c *record) {
	var kind, agent string
	var outer lazyjson.Value
	c.Data.ForEach(func(key, v lazyjson.Value) bool {
		switch key.Str {
		case "type":
			kind = v.String()
		case "agentId":
			agent = v.String()
		case "message":
			outer = v
		}
		return true
	})
	if kind != "agent_progress" || agent == "" || r.apart(agent) {
		return
	}
	r.reported(c, agent, outer)
}

// reported tells a message of a subagent, once: reports repeat.
func (r *reader) reported(c *record, agent string, outer lazyjson.Value) {
	inner := &record{line: c.line, out: c.out, all: outer}
	inner.parse()
	if inner.UUID == "" {
		return
	}
	if _, known := c.out.Known(inner.UUID); known {
		return
	}
	if inner.Time.IsZero() {
		inner.Time = c.Time
	}
	inner.reported, inner.Agent = true, agent
	switch inner.Type {
	case "user":
		r.said(inner, contentBlocks(inner.Message.Get("content")), event.Injected)
	case "assistant":
		r.spoken(inner, messageOf(inner.Message), r.inline(inner))
	}
	if inner.parts > 0 {
		c.out.Note(inner.UUID)
	}
	c.parts += inner.parts
}

// apart tells whether a subagent has a log of its own.
func (r *reader) apart(agent string) bool {
	agent = storable(agent)
	if r.Apart[agent] {
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
		if r.Apart == nil {
			r.Apart = make(map[string]bool)
		}
		r.Apart[agent] = true
	}
	return found
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// globQuote makes a pattern that only the path itself matches.
func globQuote(path string) string {
	if !strings.ContainsAny(path, `*?[`) {
		return path // as nearly all: the replacer costs more than the rest
	}
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
