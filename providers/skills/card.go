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

// The limits of agents (agentskills/agentskills); Codex drops a skill beyond them.
const (
	maxNameChars        = 64
	maxDescriptionChars = 1024
)

// firstRead is how much of a SKILL.md is read first, in bytes: nearly always it has
// all of the front matter.
const firstRead = 4 << 10

// card is what a SKILL.md says of its skill.
type card struct {
	info     os.FileInfo // the file that was read; nil if it could not be read
	err      error       // why the file, or its front matter, could not be read
	warnings []string
	// name and description are untrusted text, cleaned, in one line.
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

// readHead reads the beginning of a regular file. It follows no symbolic link and
// does not wait for a pipe.
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

// isCurrent reports whether the file looks as it did when it was read.
func (c card) isCurrent(path string) bool {
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

// faults returns what is wrong with a SKILL.md. Where is its path for the user, and
// its skill is in the folder of that name.
func (c card) faults(where, folder string) (faults []fault) {
	add := func(severe bool, what, fix string) {
		faults = append(faults, fault{where: where, what: what, fix: fix, severe: severe})
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
		add(true, clean.Line(c.err.Error()), frontMatterFix(c.err, folder))
		return faults
	}
	if !strings.HasSuffix(where, "/"+skillFiles()[0]) {
		add(false, "some agents only look for SKILL.md", "rename it to SKILL.md")
	}
	for _, w := range c.warnings {
		add(false, clean.Line(w), "correct that line: some agents drop the skill")
	}
	switch n := utf8.RuneCountInString(c.name); {
	case c.name == "":
		add(false, "has no name", "add the line: name: "+clean.Line(folder))
	case n > maxNameChars:
		add(false, fmt.Sprintf("the name has %d characters, agents allow %d", n, maxNameChars), "give the skill, and its folder, a shorter name")
	case c.name != folder:
		add(false, fmt.Sprintf("the name %q is not the name of its folder, %q", c.name, clean.Line(folder)), "rename one of them: some agents drop the skill")
	}
	switch n := utf8.RuneCountInString(c.description); {
	case c.description == "":
		add(true, "has no description", "add the line: description: what it does and when to use it")
	case n > maxDescriptionChars:
		add(false, fmt.Sprintf("the description has %d characters, agents allow %d", n, maxDescriptionChars), "shorten it: some agents drop the skill")
	}
	return faults
}

// frontMatterFix returns how to fix front matter that cannot be read.
func frontMatterFix(err error, folder string) string {
	switch {
	case errors.Is(err, frontmatter.ErrOpen):
		return "end it with a line ---"
	case errors.Is(err, frontmatter.ErrTooLarge):
		return "leave only name and description in it"
	case errors.Is(err, frontmatter.ErrSyntax):
		return "correct the lines between the two lines ---, with quotes around values that contain special characters"
	}
	return "begin the file with the lines: ---, name: " + clean.Line(folder) + ", description: what it does and when to use it, ---"
}
