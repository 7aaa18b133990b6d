// Package read reads what describes a skill: the front matter of its SKILL.md, or of the
// file of a command or subagent, which may be TOML instead; and the files beside it.
//
// Nothing here follows a symbolic link, waits for a pipe, or reads more than it says.
// Sources: agentskills/agentskills, and for commands and subagents the documentation
// that package agents names.
package read

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// Kind is what something is that agents use like a skill.
type Kind string

// The kinds.
const (
	Skill    Kind = "skill"    // a folder with a SKILL.md
	Command  Kind = "command"  // a prompt that users call by its name
	Subagent Kind = "subagent" // an agent that agents start
)

// Card is what a file says of the skill, command or subagent that it is.
type Card struct {
	// Info is of the file that was read; nil if it could not be read.
	Info os.FileInfo
	// Err is why the file, or its front matter, could not be read.
	Err      error
	Warnings []string
	// Strict is what a strict reader of YAML would refuse, as clauses.
	Strict []string
	// Name and Description are cleaned, and one line each.
	Name, Description string
	// Fields is all of the front matter, as it stands there.
	Fields map[string]any
	// Sum identifies the beginning of the file that was read, with its front matter.
	Sum uint64
}

// firstRead is how much of a SKILL.md is read first, in bytes: nearly always it has
// all of the front matter. MaxTOML is how much of a TOML file is read.
const (
	firstRead = 4 << 10
	maxTOML   = 256 << 10
)

// ErrNotRegular reports that something is no file.
var ErrNotRegular = errors.New("is not a regular file")

// SkillCard reads the front matter of a SKILL.md.
func SkillCard(path string) Card {
	c, _ := markdownCard(path)
	return c
}

// markdownCard also returns the beginning of the text after the front matter.
func markdownCard(path string) (Card, []byte) {
	head, info, err := Head(path, firstRead)
	if err != nil {
		return Card{Err: err}, nil
	}
	matter, err := frontmatter.Parse(head)
	if errors.Is(err, frontmatter.ErrOpen) && len(head) == firstRead {
		if head, info, err = Head(path, frontmatter.MaxBytes); err != nil {
			return Card{Err: err}, nil
		}
		matter, err = frontmatter.Parse(head)
	}
	return Card{
		Info: info, Err: err, Warnings: matter.Warnings, Strict: strict(head, matter.Body), Fields: matter.Fields, Sum: fs.BytesVersion(head),
		Name: clean.Line(matter.String("name")), Description: clean.Line(matter.String("description")),
	}, head[min(matter.Body, len(head)):]
}

// DefinitionCard reads the file of a command or subagent: Markdown, with front matter or
// without, or TOML. One that does not say what it is for has its first sentence as its
// description.
func DefinitionCard(path string) Card {
	if filepath.Ext(path) == ".toml" {
		return tomlCard(path)
	}
	c, body := markdownCard(path)
	if errors.Is(c.Err, frontmatter.ErrNone) {
		c.Err = nil
	}
	if c.Err == nil && c.Description == "" {
		c.Description = about(string(body))
	}
	return c
}

// tomlCard reads a command of Gemini CLI (prompt) or a subagent of Codex
// (developer_instructions).
func tomlCard(path string) Card {
	text, info, err := Head(path, maxTOML)
	if err != nil {
		return Card{Err: err}
	}
	c := Card{Info: info, Sum: fs.BytesVersion(text), Fields: make(map[string]any)}
	doc, err := settings.Document(text)
	if err != nil {
		c.Err = err
		return c
	}
	for _, m := range doc.Members {
		if m.Value.Kind == syntax.Text {
			c.Fields[m.Name] = m.Value.Text
		}
	}
	field := func(name string) string { s, _ := c.Fields[name].(string); return s }
	c.Name, c.Description = clean.Line(field("name")), clean.Line(field("description"))
	if c.Description == "" {
		c.Description = about(field("prompt") + field("developer_instructions"))
	}
	return c
}

// aboutLen is the most of a description that is made of a text, in bytes.
const aboutLen = 160

// about returns the first sentence of a text, without the marks of a heading or a list.
func about(text string) string {
	text = strings.TrimLeft(clean.Text(text), "#-*> \n\t")
	line, _, _ := strings.Cut(text, "\n")
	return clean.Sentence(line, aboutLen)
}

// Head reads the beginning of a regular file. It follows no symbolic link and does not
// wait for a pipe.
func Head(path string, limit int) ([]byte, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	head := make([]byte, min(info.Size()+1, int64(limit)))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], info, err
}

// IsCurrent reports whether the file looks as it did when it was read.
func (c Card) IsCurrent(path string) bool {
	if c.Info == nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, c.Info) && info.Size() == c.Info.Size() && info.ModTime().Equal(c.Info.ModTime())
}

// ModTime returns when the file was last written; zero if it could not be read.
func (c Card) ModTime() time.Time {
	if c.Info == nil {
		return time.Time{}
	}
	return c.Info.ModTime()
}

// IsText reports whether bytes look like the beginning of a text.
func IsText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return len(head)-i < utf8.UTFMax // cut within a character
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\x1b' && r != '\b':
			return false
		}
		i += n
	}
	return true
}
