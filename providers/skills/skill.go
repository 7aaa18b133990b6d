package skills

import (
	"cmp"
	"context"
	_ "embed"
	iofs "io/fs"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// skill is one skill, command or subagent as it is shown. It is immutable once it is
// published.
type skill struct {
	*locate.Found
	name    string // its name in the tree
	trusted bool   // false for those of projects that the user has not trusted
	faults  []check.Finding
	hidden  []string // the agents that read it, and prefer another of its name
	node    fs.Dir
	study   *check.Result // nil if it was not studied yet
	text    string        // the generated SKILL.md of a definition
}

// key identifies it from one scan to the next: its folder, or else its file.
func key(f *locate.Found) string {
	return cmp.Or(f.Path, f.File)
}

// The names in the root that no skill may have.
const (
	indexName    = "INDEX.md"
	recordName   = "INDEX.tsv"
	needsName    = "NEEDS.md"
	securityName = "SECURITY.md"
)

// assignNames gives every skill, in order of precedence, its name in the tree:
//
//  1. that of its folder, if no other skill has it in any letter case;
//  2. else with "~" and its source added;
//  3. else with "~2", "~3" after that.
func assignNames(skills []*skill) {
	taken := make(map[string]bool)
	for _, name := range []string{indexName, recordName, needsName, securityName} {
		taken[strings.ToLower(name)] = true
	}
	assign := func(s *skill, name string) bool {
		key := strings.ToLower(name)
		if taken[key] {
			return false
		}
		taken[key] = true
		s.name = name
		return true
	}
	var collisions []*skill
	for _, s := range skills {
		if s.name = ""; !assign(s, folderName(s.FileName())) {
			collisions = append(collisions, s)
		}
	}
	for _, s := range collisions {
		name := folderName(s.FileName()) + "~" + names.File(s.Source.Name)
		for n, try := 2, name; !assign(s, try); n++ {
			try = name + "~" + strconv.Itoa(n)
		}
	}
}

// folderName returns the name of a skill's folder, modified if it cannot be shown as it
// is.
func folderName(name string) string {
	const room = len("~") + 101 + len("~1000")
	if name != clean.Line(name) || len(name) > 255-room {
		return names.File(name)
	}
	return name
}

// skillFolder is a skill's folder, passed through. A SKILL.md that is a symbolic link to a
// file is shown as that file: home managers link each of their files, and search tools do
// not follow links. In a project, only links to what is in it are.
type skillFolder struct {
	*fs.DiskDir
	opts fs.DiskOptions
	root string // the project's folder; "" outside of projects
}

// Lookup implements fs.Dir.
func (d *skillFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	n, err := d.DiskDir.Lookup(ctx, name)
	if _, ok := n.(*fs.DiskLink); ok && read.IsSkillFile(name) {
		if file, err := d.target(name); err == nil {
			return file, nil
		}
	}
	return n, err
}

// List implements fs.Dir.
func (d *skillFolder) List(ctx context.Context) ([]fs.Entry, error) {
	entries, err := d.DiskDir.List(ctx) // a new slice for every call
	for i, e := range entries {
		if e.Type == iofs.ModeSymlink && read.IsSkillFile(e.Name) {
			if _, err := d.target(e.Name); err == nil {
				entries[i].Type = 0
			}
		}
	}
	return entries, err
}

func (d *skillFolder) target(name string) (*fs.DiskFile, error) {
	file, err := fs.NewDiskFile(filepath.Join(d.Path(), name), d.opts)
	if err == nil && d.root != "" && !fs.Within(file.Path(), d.root) {
		return nil, locate.ErrOutside
	}
	return file, err
}

// builtinName is the name of the skill that explains the mount.
const builtinName = "agentctx"

//go:embed builtin/agentctx/SKILL.md
var builtinSkill string

func builtinText() []byte { return []byte(builtinSkill) }

// newBuiltin returns the skill that explains the mount, as old as the program.
func newBuiltin(built time.Time) *skill {
	text := builtinText()
	matter, err := frontmatter.Parse(text)
	return &skill{
		Found: &locate.Found{
			Source: &locate.Source{Name: "builtin", Kind: read.Skill, Scope: locate.Builtin}, Name: builtinName, File: read.SkillFiles()[0],
			Card: read.Card{Err: err, Name: clean.Line(matter.String("name")), Description: clean.Line(matter.String("description")), Fields: matter.Fields},
		},
		trusted: true,
		node:    fs.NewFolder(built, map[string]fs.Node{read.SkillFiles()[0]: fs.NewText(built, text)}),
	}
}

func (s *skill) isBuiltin() bool { return s.Source.Scope == locate.Builtin }

// bodyLen is how much of a skill's instructions can be found by a search, in bytes.
const bodyLen = 4 << 10

// documents yields a document for every skill, command and subagent, in the order of
// names. The instructions are read when they are asked for.
func documents(skills []*skill) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range skills {
			if s.File != "" && !yield(s.document()) {
				return
			}
		}
	}
}

func (s *skill) document() fs.Document {
	head := builtinText()
	if !s.isBuiltin() {
		head, _, _ = read.Head(s.Target, frontmatter.MaxBytes+bodyLen)
	}
	// Without front matter the whole file is the body.
	matter, _ := frontmatter.Parse(head)
	file := filepath.Base(s.File)
	if s.text != "" {
		file = read.SkillFiles()[0]
	}
	doc := fs.Document{
		Path: filepath.Join(s.name, file), Whole: s.name, Title: s.name, Kind: string(read.Skill), Place: s.Source.Root, Known: s.readers(), Quiet: !s.trusted,
		Fields: map[string]string{
			"name": s.Card.Name, "description": s.about(),
			"body": clean.Text(clean.Prefix(string(head[matter.Body:]), bodyLen)),
		},
	}
	if !s.trusted {
		doc.Fields["description"] = "[not trusted] " + doc.Fields["description"]
	}
	if s.isBuiltin() { // of interest to those who ask about ctxfs, and full of common words
		doc.Asides = []string{"ctxfs", builtinName}
		doc.Fields["title"] = "how to use ctxfs and its mount ~/.agentctx"
	}
	return doc
}
