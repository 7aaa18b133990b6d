package skills

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// What agents allow (agentskills/agentskills); Codex loses a skill beyond.
const (
	maxNameChars        = 64
	maxDescriptionChars = 1024
)

// firstRead is how much of a SKILL.md is read at first: nearly always all of
// its front matter.
const firstRead = 4 << 10

// card is what a SKILL.md says of its skill.
type card struct {
	info     os.FileInfo // of the file that was read; nil if it could not be
	err      error       // that it could not be read, or its front matter not
	warnings []string
	// name and description are foreign text in one line, cleaned.
	name, description string
}

// readCard reads the front matter of a file.
func readCard(path string) card {
	head, info, err := readHead(path, firstRead)
	if err != nil {
		return card{err: err}
	}
	matter, err := frontmatter.Parse(head)
	if errors.Is(err, frontmatter.ErrOpen) && len(head) == firstRead {
		if head, info, err = readHead(path, frontmatter.MaxBytes); err != nil {
			return card{err: err}
		}
		matter, err = frontmatter.Parse(head)
	}
	return card{
		info: info, err: err, warnings: matter.Warnings,
		name: clean.Line(matter.String("name")), description: clean.Line(matter.String("description")),
	}
}

// readHead reads the beginning of a regular file. It follows no link and never
// waits for a pipe.
func readHead(path string, limit int) ([]byte, os.FileInfo, error) {
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
		return nil, nil, errNotRegular
	}
	head := make([]byte, min(info.Size()+1, int64(limit)))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], info, err
}

var errNotRegular = errors.New("is not a regular file")

// current tells whether the file still looks as it did when it was read.
func (c card) current(path string) bool {
	if c.info == nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime())
}

func (c card) modTime() time.Time {
	if c.info == nil {
		return time.Time{}
	}
	return c.info.ModTime()
}

// faults are what is wrong with the SKILL.md shown as where, of the skill in
// the folder own.
func (c card) faults(where, own string) (faults []fault) {
	add := func(grave bool, what, mend string) {
		faults = append(faults, fault{where: where, what: what, mend: mend, grave: grave})
	}
	if c.info == nil {
		switch {
		case errors.Is(c.err, errNotRegular):
			add(true, errNotRegular.Error(), "make it a text file with name and description")
		case errors.Is(c.err, iofs.ErrNotExist):
			add(true, deadLink, "link it to the file again, or remove it")
		default:
			faults = append(faults, unreadable(where, c.err))
		}
		return faults
	}
	if c.err != nil {
		add(true, clean.Line(c.err.Error()), matterMend(c.err, own))
		return faults
	}
	if !strings.HasSuffix(where, "/"+skillFiles()[0]) {
		add(false, "some agents look for SKILL.md only", "rename it to SKILL.md")
	}
	for _, w := range c.warnings {
		add(false, clean.Line(w), "correct that line: some agents leave the skill out")
	}
	switch n := utf8.RuneCountInString(c.name); {
	case c.name == "":
		add(false, "has no name", "add the line: name: "+clean.Line(own))
	case n > maxNameChars:
		add(false, fmt.Sprintf("the name has %d characters, agents allow %d", n, maxNameChars), "give the skill, and its folder, a shorter name")
	case c.name != own:
		add(false, fmt.Sprintf("the name %q is not that of its folder, %q", c.name, clean.Line(own)), "rename one of them: some agents leave the skill out")
	}
	switch n := utf8.RuneCountInString(c.description); {
	case c.description == "":
		add(true, "has no description", "add the line: description: what it does and when to use it")
	case n > maxDescriptionChars:
		add(false, fmt.Sprintf("the description has %d characters, agents allow %d", n, maxDescriptionChars), "shorten it: some agents leave the skill out")
	}
	return faults
}

// matterMend says how to mend front matter that cannot be read.
func matterMend(err error, own string) string {
	switch {
	case errors.Is(err, frontmatter.ErrOpen):
		return "end it with a line ---"
	case errors.Is(err, frontmatter.ErrTooLarge):
		return "leave only name and description in it"
	case errors.Is(err, frontmatter.ErrSyntax):
		return "correct the lines between the two lines ---, with quotes around values that hold special characters"
	}
	return "begin the file with the lines: ---, name: " + clean.Line(own) + ", description: what it does and when to use it, ---"
}
