package fact

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/mask"
)

// Origin is where a text was found.
type Origin struct {
	// Path is its file, Size the length of that, which may be more than was read, and
	// ModTime when it was written.
	Path    string
	Size    int64
	ModTime time.Time
	// Home is the user's home folder, for scopes that begin with "~/".
	Home string
	// Name, Scope, Sources and the rest are those of the memory where its front matter
	// does not say it.
	Name, Scope, Agent, Within, Part, Project string
	Sources                                   []string
	// Type is that of a memory whose front matter does not name one; "" has it guessed.
	Type Type
	// Now is the time: what is later is not believed.
	Now time.Time
}

// Parse reads a memory with or without front matter, of ours or of another program. It
// returns nil for a text without a word.
func Parse(file []byte, from Origin) *Memory {
	m := &Memory{
		Name: from.Name, Scope: cmp.Or(from.Scope, User), Sources: from.Sources,
		Path: from.Path, Agent: from.Agent, Within: from.Within, Part: from.Part, Project: from.Project,
	}
	if len(file) > MaxShown {
		file = []byte(clean.Prefix(string(file), MaxShown))
	}
	if from.Size > MaxShown {
		m.Notes = append(m.Notes, fmt.Sprintf("the file has %s, and only its beginning is shown", wording.Size(from.Size)))
	}
	if !utf8.Valid(file) {
		m.Notes = append(m.Notes, "the file is not UTF-8 text")
	}
	matter, err := frontmatter.Parse(file)
	if err == nil {
		m.read(matter, from)
		file = file[matter.Body:]
	} else if matter.Body > 0 && bytes.HasPrefix(file, []byte("---")) {
		m.Notes = append(m.Notes, wording.Cause(err).Error())
		file = file[matter.Body:]
	}
	m.Text = cleaned(string(file))
	m.complete(from)
	if m.Description == "" {
		return nil
	}
	m.claim = claimOf(m)
	return m
}

// cleaned returns a text as it is shown: valid, safe, without secrets.
func cleaned(text string) string {
	return strings.TrimSpace(mask.Text(clean.Text(strings.ToValidUTF8(text, "\uFFFD"))))
}

// read takes what the front matter says.
func (m *Memory) read(matter frontmatter.Matter, from Origin) {
	line := func(key string) string { return clean.Line(mask.Text(matter.String(key))) }
	m.Description = clean.Cut(line("description"), MaxDescription)
	m.Type = typeOf(line("type"))
	nested, _ := matter.Fields["metadata"].(map[string]any) // of Claude Code
	within := func(key string) string { s, _ := nested[key].(string); return clean.Line(s) }
	if m.Type == "" {
		m.Type = typeOf(within("type"))
	}
	if id := cmp.Or(line("originSessionId"), within("originSessionId")); id != "" && from.Agent != "" {
		m.Sources = []string{Source(from.Agent, id)}
	}
	if scope := matter.String("scope"); clean.Line(scope) != "" && from.Agent == "" {
		m.Scope = scopeOf(scope, from)
	}
	if said := words(matter.Fields["source"]); len(said) > 0 {
		m.Sources = said
	}
	if m.Name == "" {
		m.Name = line("name")
	}
	written := from.ModTime
	for _, key := range []string{"modified", "updated", "date", "created"} {
		if at, ok := timeOf(cmp.Or(line(key), within(key))); ok {
			written = at
			break
		}
	}
	m.Modified = written
}

// complete fills in what is missing.
func (m *Memory) complete(from Origin) {
	m.Modified = cmp.Or(m.Modified, from.ModTime)
	const slack = 5 * time.Minute // between two clocks
	latest := from.Now.Add(slack)
	if m.Modified.After(latest) {
		m.Notes = append(m.Notes, "it says that it is from the future: "+wording.Time(m.Modified))
		m.Modified = from.ModTime
	}
	if m.Modified.After(latest) {
		m.Modified = time.Time{}
	}
	m.Modified = m.Modified.UTC().Truncate(time.Second)
	if m.Description == "" {
		m.Description = Describe(m.Text)
	}
	if m.Text == "" {
		m.Text = m.Description
	}
	if m.Type == "" {
		m.Type = cmp.Or(from.Type, Guess(m.Description))
	}
}

// typeOf returns the type that a front matter names, in the words of any program; "" for
// others.
func typeOf(word string) Type {
	switch strings.ToLower(word) {
	case "preference", "preferences", "feedback", "rule", "instruction":
		return Preference
	case "decision", "decisions", "adr":
		return Decision
	case "lesson", "lessons", "learning", "learnings", "gotcha", "bugfix":
		return Lesson
	case "fact", "facts", "user", "project", "reference", "note", "knowledge":
		return Fact
	}
	return ""
}

// scopeOf returns the scope that a front matter names: the folder of a project, or one
// word, which is where the file lies if it does not say more than that.
func scopeOf(said string, from Origin) string {
	word := clean.Line(said)
	switch path := wording.ExpandTilde(strings.TrimSpace(said), from.Home); { // its name may have any character
	case word == User || word == "global":
		if from.Scope == "" || from.Scope == User {
			return User
		}
		return from.Scope // it was moved into the folder of a project
	case strings.HasPrefix(path, "/"):
		if from.Scope == User {
			return User // and this one into that of the user
		}
		return path
	}
	return cmp.Or(from.Scope, User)
}

// words returns a value of a front matter as a list of lines.
func words(value any) (all []string) {
	switch v := value.(type) {
	case string:
		if line := clean.Line(mask.Text(v)); line != "" {
			all = append(all, clean.Cut(line, MaxDescription))
		}
	case []any:
		const most = 20
		for _, e := range v[:min(len(v), most)] {
			if s, ok := e.(string); ok {
				all = append(all, words(s)...)
			}
		}
	}
	return all
}

// timeOf returns the time that a text gives.
func timeOf(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
