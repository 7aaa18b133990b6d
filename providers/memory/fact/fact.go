// Package fact is one memory, in the one shape in which memories of all agents are shown
// and in which ours are kept: Markdown with front matter.
//
//	---
//	description: "Amounts are integer cents"
//	type: decision
//	scope: "~/src/shop"
//	source: ["claude-code, session 08940314"]
//	modified: 2026-03-01T12:00:00Z
//	---
//
//	Amounts are integer cents, in the database as in the API.
//
// Everything but the text may be missing, and other keys are left alone: the files are
// written by hand, by models and by other programs.
//
// fact.go has the shape, parse.go reads it, guess.go finds what is missing, merge.go takes
// a file apart in which git has left two versions, and compare.go tells which memories say
// the same, or the opposite.
package fact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

const (
	// MaxText is the length of the longest memory that is taken, in bytes.
	MaxText = 16 << 10
	// MaxShown is how much is read of a file, in bytes.
	MaxShown = 64 << 10
	// MaxDescription is the length of a description, in bytes.
	MaxDescription = 200

	// Extension is that of the files.
	Extension = ".md"
	// User is the scope of what holds everywhere.
	User = "user"
)

// Type is the kind of a memory.
type Type string

// The types, in the order in which they matter to an agent that has room for few.
const (
	Preference Type = "preference" // how the user wants things done
	Decision   Type = "decision"   // what was decided, and holds
	Lesson     Type = "lesson"     // what was found out the hard way
	Fact       Type = "fact"       // anything else
)

// Types returns all types, in their order.
func Types() []Type { return []Type{Preference, Decision, Lesson, Fact} }

// Rank returns the place of a type in their order.
func (t Type) Rank() int {
	if i := slices.Index(Types(), t); i >= 0 {
		return i
	}
	return len(Types())
}

// Memory is one memory. It is not modified once it was made.
type Memory struct {
	// Name is that of its file, without the extension.
	Name string
	// Description is one line, cleaned.
	Description string
	Type        Type
	// Scope is "user", the absolute folder of a project, or the name of one whose
	// folder is not known.
	Scope string
	// Sources say who said it, and in which session.
	Sources []string
	// Modified is when it was last said or changed; zero where both clocks are wrong.
	Modified time.Time
	// Text is Markdown, cleaned and without secrets.
	Text string
	// Notes are sentences about what is odd about its file.
	Notes []string

	// Path is its file on disk, Agent the agent whose it is: "" for one of our own.
	Path, Agent string
	// Within is the project in whose files it lies, where anyone may have written it;
	// "" if it lies with the user's own.
	Within string
	// Part tells apart several memories of one file.
	Part string
	// Project is the name of the folder that has it among those of projects, or "".
	Project string

	claim claim
}

// Own reports whether it lies in our own folder.
func (m *Memory) Own() bool { return m.Agent == "" }

// Head is the front matter of a memory, as it is written. Each field is one line.
type Head struct {
	Description string
	Type        Type
	Scope       string
	Sources     []string
	Modified    time.Time
	// More are further lines, "key: value".
	More []string
}

// File returns a memory as a file.
func (h Head) File(text string) []byte {
	var b strings.Builder
	b.Grow(len(text) + 256)
	b.WriteString("---\ndescription: " + strconv.Quote(h.Description) + "\ntype: " + string(h.Type) + "\n")
	if h.Scope == User {
		b.WriteString("scope: user\n")
	} else {
		b.WriteString("scope: " + strconv.Quote(h.Scope) + "\n")
	}
	if len(h.Sources) > 0 {
		b.WriteString("source: " + List(h.Sources) + "\n")
	}
	if !h.Modified.IsZero() {
		b.WriteString("modified: " + wording.Time(h.Modified) + "\n")
	}
	for _, line := range h.More {
		b.WriteString(line + "\n")
	}
	b.WriteString("---\n\n" + text + "\n")
	return []byte(b.String())
}

// List returns words as a list of YAML on one line.
func List(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(clean.Line(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Source returns the author of a statement, in words: "claude-code, session
// 08940314", or "somebody".
func Source(agent, session string) string {
	switch {
	case agent == "" && session == "":
		return "somebody"
	case session == "":
		return clean.Line(agent)
	case agent == "":
		return "session " + clean.Line(session)
	}
	return fmt.Sprintf("%s, session %s", clean.Line(agent), clean.Line(session))
}

// Known reports whether a word names a type, in the words of any program.
func Known(word string) bool { return typeOf(word) != "" }
