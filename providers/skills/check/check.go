// Package check finds what is wrong with a skill by the specification of
// agentskills/agentskills, and with a command or subagent by what its agent needs.
//
// It finds all that the reference validator, skills-ref, finds, and names the rule. Its
// judgement is the reader's: a skill with a fault is shown wherever it can be read, because
// most agents read it, and some drop it silently.
package check

import (
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

// The rules, as they stand in the specification (agentskills.io/specification), and what
// only the reference validator wants.
const (
	ruleFile          = "SKILL.md: required (agentskills spec, directory structure)"
	ruleFileName      = "SKILL.md: in capital letters (agentskills spec, directory structure)"
	ruleMatter        = "frontmatter: YAML between two lines --- (agentskills spec, SKILL.md format)"
	ruleStrict        = "frontmatter: strict YAML (skills-ref)"
	ruleFields        = "frontmatter: only name, description, license, compatibility, metadata, allowed-tools (agentskills spec, frontmatter)"
	ruleName          = "name: required, a string that is not empty (agentskills spec, name)"
	ruleNameLength    = "name: at most 64 characters (agentskills spec, name)"
	ruleNameLetters   = "name: lowercase letters, digits and hyphens (agentskills spec, name)"
	ruleNameHyphens   = "name: no hyphen at the beginning or the end (agentskills spec, name)"
	ruleNameDouble    = "name: no consecutive hyphens (agentskills spec, name)"
	ruleNameFolder    = "name: that of its folder (agentskills spec, name)"
	ruleAbout         = "description: required, a string that is not empty (agentskills spec, description)"
	ruleAboutLength   = "description: at most 1024 characters (agentskills spec, description)"
	ruleCompatibility = "compatibility: a string of 1 to 500 characters (agentskills spec, compatibility)"
	ruleMetadata      = "metadata: a map of strings (agentskills spec, metadata)"
	ruleTools         = "allowed-tools: a string, or a list of strings (agentskills spec, allowed-tools)"
)

// The limits of the specification. Codex drops a skill beyond the first two.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// known returns the fields of the specification.
func known() []string {
	return []string{"allowed-tools", "compatibility", "description", "license", "metadata", "name"}
}

// DeadLink is what is wrong with a link whose target is missing. The targets in our own
// mounts are never looked at.
const DeadLink = "is a link to nothing, or into a mount of ctxfs"

// Unreadable returns the fault of what cannot be looked into. Where is its path for the
// user.
func Unreadable(where string, err error) Finding {
	f := Finding{File: where, What: "cannot be read: " + Cause(err), Fix: "look at it with ls -la", Severe: true}
	switch {
	case errors.Is(err, iofs.ErrPermission):
		f.What, f.Fix = "cannot be read: permission denied", "chmod -R u+rX "+wording.ShellWord(where)
	case errors.Is(err, iofs.ErrNotExist):
		f.What, f.Fix = DeadLink, "link it again or remove it"
	case errors.Is(err, syscall.ELOOP):
		f.What, f.Fix = "is a link to itself", "link it again or remove it"
	case errors.Is(err, locate.ErrNotFolder):
		f.What, f.Fix = err.Error(), "move it away: skills are searched for here"
	case errors.Is(err, locate.ErrTooMany):
		f.What, f.Fix = err.Error(), "move what is not a skill out of it"
	case errors.Is(err, locate.ErrOutside):
		f.What, f.Fix = err.Error(), "copy what it leads to into the project"
	case errors.Is(err, locate.ErrNoSkillFile):
		f.What, f.Fix, f.Rule = err.Error(), "write one with name and description, or move the folder away", ruleFile
	}
	return f
}

// Cause returns an error without the operation and the path, in one line.
func Cause(err error) string {
	return clean.Cut(clean.Line(wording.Cause(err).Error()), 200)
}

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

func (c *checker) add(severe bool, rule, what, fix string) {
	c.found = append(c.found, Finding{File: c.where, Rule: rule, What: what, Fix: fix, Severe: severe})
}

// unreadable checks whether the file could be read at all.
func (c *checker) unreadable() bool {
	switch {
	case c.card.Info != nil:
		return false
	case errors.Is(c.card.Err, read.ErrNotRegular):
		c.add(true, ruleFile, read.ErrNotRegular.Error(), "make it a text file with name and description")
	case errors.Is(c.card.Err, iofs.ErrNotExist):
		c.add(true, ruleFile, DeadLink, "link it to the file again, or remove it")
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
	if c.card.Err != nil {
		c.add(true, ruleMatter, clean.Line(c.card.Err.Error()), c.matterFix())
		return
	}
	if filepath.Base(c.where) != read.SkillFiles()[0] {
		c.add(false, ruleFileName, "some agents only look for SKILL.md", "rename it to SKILL.md")
	}
	for _, w := range c.card.Warnings {
		c.add(false, ruleMatter, clean.Line(w), "correct that line: some agents drop the skill")
	}
	if len(c.card.Strict) > 0 {
		c.add(false, ruleStrict, "the front matter is not strict YAML: "+strings.Join(c.card.Strict, ", "), "write one value a line, in quotes where it contains special characters")
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
		if !slices.Contains(known(), key) {
			other = append(other, clean.Line(key))
		}
	}
	if len(other) > 0 {
		what := "has fields that only some agents know: " + clean.Cut(strings.Join(other, ", "), 200)
		c.add(false, ruleFields, what, "move them into metadata, unless the skill is for one of these agents")
	}
}

// name checks the name as skills-ref does: letters and digits are those of any script,
// after normalization to NFKC.
func (c *checker) name() {
	v, ok := c.card.Fields["name"]
	name, isText := v.(string)
	switch {
	case !ok || isText && strings.TrimSpace(name) == "":
		c.add(false, ruleName, "has no name", "add the line: name: "+clean.Line(c.folder))
		return
	case !isText:
		c.add(false, ruleName, "the name is not a string", "write it on one line: name: "+clean.Line(c.folder))
		return
	}
	name = norm.NFKC.String(strings.TrimSpace(name))
	quoted := fmt.Sprintf("%q", clean.Cut(clean.Line(name), 80))
	if n := utf8.RuneCountInString(name); n > maxName {
		c.add(false, ruleNameLength, fmt.Sprintf("the name has %d characters, agents allow %d", n, maxName), "give the skill, and its folder, a shorter name")
	}
	if name != strings.ToLower(name) || strings.ContainsFunc(name, func(r rune) bool { return r != '-' && !isAlnum(r) }) {
		c.add(false, ruleNameLetters, "the name "+quoted+" has other characters", "write it in lower case, with hyphens, and its folder's the same")
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		c.add(false, ruleNameHyphens, "the name "+quoted+" begins or ends with a hyphen", "remove the hyphen, from its folder's name too")
	}
	if strings.Contains(name, "--") {
		c.add(false, ruleNameDouble, "the name "+quoted+" has hyphens beside each other", "write one hyphen, in its folder's name too")
	}
	if name != norm.NFKC.String(c.folder) {
		c.add(false, ruleNameFolder, fmt.Sprintf("the name %s is not the name of its folder, %q", quoted, clean.Line(c.folder)), "rename one of them: some agents drop the skill")
	}
}

// isAlnum reports whether Python's str.isalnum is true for a character.
func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (c *checker) description() {
	v, ok := c.card.Fields["description"]
	about, isText := v.(string)
	switch n := utf8.RuneCountInString(about); {
	case !ok || isText && strings.TrimSpace(about) == "":
		c.add(true, ruleAbout, "has no description", "add the line: description: what it does and when to use it")
	case !isText:
		c.add(true, ruleAbout, "the description is not a string", "write it on one line, in quotes if it contains special characters")
	case n > maxDescription:
		c.add(false, ruleAboutLength, fmt.Sprintf("the description has %d characters, agents allow %d", n, maxDescription), "shorten it: some agents drop the skill")
	}
}

// optional checks the fields that need not be there.
func (c *checker) optional() {
	if v, ok := c.card.Fields["compatibility"]; ok {
		text, isText := v.(string)
		switch n := utf8.RuneCountInString(text); {
		case !isText:
			c.add(false, ruleCompatibility, "compatibility is not a string", "write it as one sentence")
		case n > maxCompatibility:
			c.add(false, ruleCompatibility, fmt.Sprintf("compatibility has %d characters, agents allow %d", n, maxCompatibility), "shorten it")
		case strings.TrimSpace(text) == "":
			c.add(false, ruleCompatibility, "compatibility is empty", "remove the line")
		}
	}
	if v, ok := c.card.Fields["metadata"]; ok {
		fields, isMap := v.(map[string]any)
		nested := slices.ContainsFunc(slices.Collect(maps.Values(fields)), func(v any) bool { _, isText := v.(string); return !isText })
		if !isMap || nested {
			c.add(false, ruleMetadata, "metadata has other values than strings", "write a string for each key")
		}
	}
	if v, ok := c.card.Fields["allowed-tools"]; ok {
		switch v := v.(type) {
		case string:
		case []any:
			if slices.ContainsFunc(v, func(item any) bool { _, isText := item.(string); return !isText }) {
				c.add(false, ruleTools, "the list allowed-tools has items that are not strings", "write the tools on one line, with blanks between them")
			}
		default:
			c.add(false, ruleTools, "allowed-tools is neither a string nor a list", "write the tools on one line, with blanks between them")
		}
	}
}

// matterFix returns how to fix front matter that cannot be read.
func (c *checker) matterFix() string {
	switch {
	case errors.Is(c.card.Err, frontmatter.ErrOpen):
		return "end it with a line ---"
	case errors.Is(c.card.Err, frontmatter.ErrTooLarge):
		return "leave only name and description in it"
	case errors.Is(c.card.Err, frontmatter.ErrSyntax):
		return "correct the lines between the two lines ---, with quotes around values that contain special characters"
	}
	return "begin the file with the lines: ---, name: " + clean.Line(c.folder) + ", description: what it does and when to use it, ---"
}

// definition checks the file of a command or subagent.
func (c *checker) definition(f *locate.Found) {
	if c.unreadable() {
		return
	}
	if c.card.Err != nil {
		what := "cannot be read as " + strings.ToUpper(strings.TrimPrefix(filepath.Ext(f.File), ".")) + ": "
		if filepath.Ext(f.File) != ".toml" {
			what = ""
		}
		c.add(true, "", what+clean.Cut(clean.Line(c.card.Err.Error()), 200), "correct the file")
		return
	}
	for _, w := range c.card.Warnings {
		c.add(false, "", clean.Line(w), "correct that line")
	}
	if filepath.Ext(f.File) == ".toml" {
		want := "prompt" // geminicli.com/docs/cli/custom-commands
		if f.Is(read.Subagent) {
			want = "developer_instructions" // developers.openai.com/codex/subagents
		}
		if text, _ := c.card.Fields[want].(string); strings.TrimSpace(text) == "" {
			c.add(true, "", "has no "+want, "add it")
		}
	}
	if c.card.Description == "" {
		c.add(false, "", "has no description", "say in it what it is for")
	}
}
