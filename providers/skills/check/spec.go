package check

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// Finding is a fault.
type Finding struct {
	// File is its file or folder, as the user knows it.
	File string `json:"file"`
	// Rule is what it offends against, with where that stands; "" if that is no rule of
	// the specification.
	Rule string `json:"rule,omitempty"`
	What string `json:"what"`
	// Fix is what to do.
	Fix string `json:"fix"`
	// Severe is set if something cannot be used.
	Severe bool `json:"severe,omitempty"`
}

// Sentence returns where the fault is, what it is, and which rule says so.
func (f Finding) Sentence() string {
	s := f.What
	if f.File != "" {
		s = f.File + ": " + s
	}
	if f.Rule != "" {
		s += " [" + f.Rule + "]"
	}
	return s
}

// The limits of the specification. Codex drops a skill beyond the first two.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// DeadLink is what is wrong with a link whose target is missing. The targets in our own
// mounts are never looked at.
const DeadLink = "is a link to nothing, or into a mount of ctxfs"

// Unreadable returns the fault of what cannot be looked into. Where is its path for the
// user.
func Unreadable(where string, err error) Finding {
	what, is := "cannot be read: "+Cause(err), "unreadable"
	for _, known := range []struct {
		err      error
		is, what string
	}{
		{iofs.ErrPermission, "permission", "cannot be read: permission denied"}, {iofs.ErrNotExist, "dead", DeadLink}, {syscall.ELOOP, "dead", "is a link to itself"},
		{locate.ErrNotFolder, "notFolder", ""}, {locate.ErrTooMany, "tooMany", ""}, {locate.ErrOutside, "outside", ""}, {locate.ErrNoSkillFile, "noSkillFile", ""},
	} {
		if errors.Is(err, known.err) {
			what, is = cmp.Or(known.what, err.Error()), known.is
			break
		}
	}
	return finding(true, where, is, wording.ShellWord(where), what)
}

// finding returns the fault that has a name in the rules; what it says to do may name
// something.
func finding(severe bool, where, is, name, what string) Finding {
	rule := rules().wrong[is]
	return Finding{File: where, Rule: rule[0], What: what, Fix: strings.ReplaceAll(rule[1], "%s", name), Severe: severe}
}

// Cause returns an error without the operation and the path, in one line.
func Cause(err error) string { return clean.Cut(clean.Line(wording.Cause(err).Error()), 200) }

// Found returns the faults of what was found. Shown returns a path as the user knows it.
func Found(f *locate.Found, shown func(path string) string) []Finding {
	switch {
	case f.Err != nil:
		return []Finding{Unreadable(shown(f.Shown), f.Err)}
	case f.Is(read.Skill):
		c := checker{where: shown(filepath.Join(f.Shown, filepath.Base(f.File))), card: f.Card, folder: f.Name}
		c.skill()
		return c.found
	}
	c := checker{where: shown(f.Shown), card: f.Card, folder: f.Name}
	c.definition(f)
	return c.found
}

// checker checks one file.
type checker struct {
	where, folder string
	card          read.Card
	found         []Finding
}

// add adds a fault by its name in the rules.
func (c *checker) add(severe bool, is, format string, args ...any) {
	c.found = append(c.found, finding(severe, c.where, is, clean.Line(c.folder), fmt.Sprintf(format, args...)))
}

// unreadable checks whether the file could be read at all.
func (c *checker) unreadable() bool {
	switch {
	case c.card.Info != nil:
		return false
	case errors.Is(c.card.Err, read.ErrNotRegular):
		c.add(true, "notRegular", "%v", read.ErrNotRegular)
	case errors.Is(c.card.Err, iofs.ErrNotExist):
		c.add(true, "deadFile", DeadLink)
	default:
		c.found = append(c.found, Unreadable(c.where, c.card.Err))
	}
	return true
}

// skill checks a SKILL.md.
func (c *checker) skill() {
	if c.unreadable() {
		return
	}
	if err := c.card.Err; err != nil {
		is := "noMatter"
		switch {
		case errors.Is(err, frontmatter.ErrOpen):
			is = "openMatter"
		case errors.Is(err, frontmatter.ErrTooLarge):
			is = "longMatter"
		case errors.Is(err, frontmatter.ErrSyntax):
			is = "badMatter"
		}
		c.add(true, is, "%s", clean.Line(err.Error()))
		return
	}
	if filepath.Base(c.where) != read.SkillFiles()[0] {
		c.add(false, "fileName", "some agents only look for SKILL.md")
	}
	for _, w := range c.card.Warnings {
		c.add(false, "line", "%s", clean.Line(w))
	}
	if len(c.card.Strict) > 0 {
		c.add(false, "strict", "the front matter is not strict YAML: %s", strings.Join(c.card.Strict, ", "))
	}
	c.fields()
	c.name()
	c.description()
	c.optional()
}

// fields checks which fields there are.
func (c *checker) fields() {
	var other []string
	for _, key := range slices.Sorted(maps.Keys(c.card.Fields)) {
		switch key {
		case "allowed-tools", "compatibility", "description", "license", "metadata", "name":
		default:
			other = append(other, clean.Line(key))
		}
	}
	if len(other) > 0 {
		c.add(false, "fields", "has fields that only some agents know: %s", clean.Cut(strings.Join(other, ", "), 200))
	}
}

// text returns a field that is a string, without blanks around it.
func (c *checker) text(field string) (text string, there, isText bool) {
	v, there := c.card.Fields[field]
	text, isText = v.(string)
	return strings.TrimSpace(text), there, isText
}

// name checks the name as skills-ref does: letters and digits are those of any script,
// after normalization to NFKC.
func (c *checker) name() {
	name, there, isText := c.text("name")
	switch {
	case !there || isText && name == "":
		c.add(false, "noName", "has no name")
		return
	case !isText:
		c.add(false, "nameNoText", "the name is not a string")
		return
	}
	name = norm.NFKC.String(name)
	shown := clean.Cut(clean.Line(name), 80)
	if n := utf8.RuneCountInString(name); n > maxName {
		c.add(false, "nameLength", "the name has %d characters, agents allow %d", n, maxName)
	}
	// As Python's str.isalnum.
	if name != strings.ToLower(name) || strings.ContainsFunc(name, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		c.add(false, "nameLetters", "the name %q has other characters", shown)
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		c.add(false, "nameHyphens", "the name %q begins or ends with a hyphen", shown)
	}
	if strings.Contains(name, "--") {
		c.add(false, "nameDouble", "the name %q has hyphens beside each other", shown)
	}
	if name != norm.NFKC.String(c.folder) {
		c.add(false, "nameFolder", "the name %q is not the name of its folder, %q", shown, clean.Line(c.folder))
	}
}

func (c *checker) description() {
	about, there, isText := c.text("description")
	whole, _ := c.card.Fields["description"].(string)
	switch n := utf8.RuneCountInString(whole); {
	case !there || isText && about == "":
		c.add(true, "noAbout", "has no description")
	case !isText:
		c.add(true, "aboutNoText", "the description is not a string")
	case n > maxDescription:
		c.add(false, "aboutLength", "the description has %d characters, agents allow %d", n, maxDescription)
	}
}

// optional checks the fields that need not be there.
func (c *checker) optional() {
	if text, there, isText := c.text("compatibility"); there {
		switch n := utf8.RuneCountInString(text); {
		case !isText:
			c.add(false, "needsNoText", "compatibility is not a string")
		case n > maxCompatibility:
			c.add(false, "needsLength", "compatibility has %d characters, agents allow %d", n, maxCompatibility)
		case n == 0:
			c.add(false, "needsEmpty", "compatibility is empty")
		}
	}
	noText := func(v any) bool { _, isText := v.(string); return !isText }
	if v, there := c.card.Fields["metadata"]; there {
		if all, isMap := v.(map[string]any); !isMap || slices.ContainsFunc(slices.Collect(maps.Values(all)), noText) {
			c.add(false, "metadata", "metadata has other values than strings")
		}
	}
	if v, there := c.card.Fields["allowed-tools"]; there && noText(v) {
		if all, isList := v.([]any); !isList {
			c.add(false, "tools", "allowed-tools is neither a string nor a list")
		} else if slices.ContainsFunc(all, noText) {
			c.add(false, "tools", "the list allowed-tools has items that are not strings")
		}
	}
}

// definition checks the file of a command or subagent.
func (c *checker) definition(f *locate.Found) {
	isTOML := filepath.Ext(f.File) == ".toml"
	switch {
	case c.unreadable():
		return
	case c.card.Err != nil && isTOML:
		c.add(true, "definition", "cannot be read as TOML: %s", clean.Cut(clean.Line(c.card.Err.Error()), 200))
		return
	case c.card.Err != nil:
		c.add(true, "definition", "%s", clean.Cut(clean.Line(c.card.Err.Error()), 200))
		return
	}
	for _, w := range c.card.Warnings {
		c.add(false, "definitionLine", "%s", clean.Line(w))
	}
	want := "prompt" // geminicli.com/docs/cli/custom-commands
	if f.Is(read.Subagent) {
		want = "developer_instructions" // developers.openai.com/codex/subagents
	}
	if text, _, _ := c.text(want); isTOML && text == "" {
		c.add(true, "definitionText", "has no %s", want)
	}
	if c.card.Description == "" {
		c.add(false, "definitionAbout", "has no description")
	}
}
