package read

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// codex reads the memories that Codex makes of its sessions: MEMORY.md, by groups of
// tasks; memory_summary.md, which is in every prompt; a file for each session in
// rollout_summaries; and notes that were made during a session.
//
// Source: openai/codex, codex-rs/core/templates/memories (read_path.md, consolidation.md).
func (r *Reader) codex() {
	const id = "codex"
	o := owner{agent: id, scope: fact.User}
	for _, dir := range r.places(id) {
		r.found.Watch = append(r.found.Watch, dir+"/")
		for _, name := range []string{"MEMORY.md", "memory_summary.md"} {
			r.add(r.cache.File(filepath.Join(dir, name), files.MaxList, func(f files.File) []*fact.Memory { return r.codexRegistry(f, o) }))
		}
		r.add(r.cache.Below(filepath.Join(dir, "rollout_summaries"), []string{fact.Extension}, func(_ string, f files.File) []*fact.Memory {
			return one(r.codexSession(f, o))
		}))
		r.add(r.cache.Below(filepath.Join(dir, "extensions"), []string{fact.Extension}, func(_ string, f files.File) []*fact.Memory {
			return one(fact.Parse(f.Body, r.origin(f, o)))
		}))
	}
}

// codexRegistry reads MEMORY.md or memory_summary.md. A file without the headings that
// Codex writes is not from Codex, and read whole.
func (r *Reader) codexRegistry(f files.File, o owner) (memories []*fact.Memory) {
	applies := regexp.MustCompile(`(?m)^applies_to:.*?\bcwd=(/[^;,\s]*)`)
	tasks := regexp.MustCompile(`(\s*\[Task \d+\])+$`)
	var all []note
	scopes := make(map[string]string) // by the heading of the group
	notes := notesOf(string(f.Body))
	own := slices.ContainsFunc(notes, func(n note) bool {
		return strings.HasPrefix(n.top, "Task Group") || n.section == "What's in Memory" || n.section == "User Profile"
	})
	for _, n := range notes {
		if m := applies.FindStringSubmatch(n.text); m != nil {
			scopes[n.top] = r.projectOf(m[1])
		}
		switch section := strings.ToLower(n.section); {
		case strings.Contains(section, "preference"):
			n.is = fact.Preference
		case strings.Contains(section, "failure"):
			n.is = fact.Lesson
		case strings.Contains(section, "knowledge"), strings.Contains(section, "profile"), strings.Contains(section, "tips"):
			n.is = fact.Fact
		case own:
			continue // tasks and keywords, by which Codex searches
		}
		n.text = strings.TrimSpace(tasks.ReplaceAllString(n.text, ""))
		all = append(all, n)
	}
	for i, n := range all {
		of := o
		of.scope = cmp.Or(scopes[n.top], o.scope)
		for _, m := range r.notes(f, of, []note{n}) {
			m.Part = strconv.Itoa(i)
			memories = append(memories, m)
		}
	}
	return memories
}

// codexSession reads the summary of one session: lines "key: value", and Markdown below.
func (r *Reader) codexSession(f files.File, o owner) *fact.Memory {
	head, body, ok := strings.Cut(strings.ReplaceAll(string(f.Body), "\r\n", "\n"), "\n\n")
	if !ok || !strings.Contains(head, "thread_id: ") {
		return fact.Parse(f.Body, r.origin(f, o))
	}
	from := r.origin(f, o)
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "cwd":
			from.Scope = r.projectOf(value)
		case "thread_id":
			from.Sources = []string{fact.Source(o.agent, value)}
		case "updated_at":
			if at, err := time.Parse(time.RFC3339, value); err == nil {
				from.ModTime = at
			}
		}
	}
	return fact.Parse([]byte(body), from)
}
