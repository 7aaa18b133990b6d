package skills

import (
	"context"
	_ "embed"
	"errors"
	iofs "io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/names"
)

// skill is one skill as a scan found it. It is immutable after that.
type skill struct {
	name   string // its name in the tree
	folder string // the name of its folder on disk
	source string
	path   string      // the path of its folder, links resolved; "" for the built-in one
	info   os.FileInfo // of its folder
	file   string      // its SKILL.md; "" if it has none
	target string      // what file leads to, if it is a link
	card   card
	faults []fault
	node   fs.Dir
}

// isBroken reports whether the skill cannot be used as it is.
func (s *skill) isBroken() bool {
	for _, f := range s.faults {
		if f.severe {
			return true
		}
	}
	return false
}

// skillFiles returns the names that SKILL.md may have, in order of precedence. The
// second one is accepted by the validator of agentskills/agentskills.
func skillFiles() []string { return []string{"SKILL.md", "skill.md"} }

func isSkillFile(name string) bool { return slices.Contains(skillFiles(), name) }

// findSkillFile returns the path of a folder's SKILL.md, which may be of any
// type, and whether it is a link; "" if it has none. The error says that the
// folder cannot be searched.
func findSkillFile(dir string) (file string, linked bool, err error) {
	for _, name := range skillFiles() {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err == nil {
			return path, info.Mode().Type() == iofs.ModeSymlink, nil
		}
		if !errors.Is(err, iofs.ErrNotExist) {
			return "", false, err
		}
	}
	return "", false, nil
}

// indexName is the name of the list of skills; no skill may have it.
const indexName = "INDEX.md"

// assignNames gives every skill, in order of precedence, its name in the tree:
//
//  1. that of its folder, if no other skill has it in any letter case;
//  2. else with "~" and its source added;
//  3. else with "~2", "~3" after that.
func assignNames(skills []*skill) {
	taken := map[string]bool{strings.ToLower(indexName): true}
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
		if s.name = ""; !assign(s, folderName(s.folder)) {
			collisions = append(collisions, s)
		}
	}
	for _, s := range collisions {
		name := folderName(s.folder) + "~" + s.source
		for n, try := 2, name; !assign(s, try); n++ {
			try = name + "~" + strconv.Itoa(n)
		}
	}
}

// folderName returns the name of a skill's folder, modified if it cannot be shown
// as it is.
func folderName(name string) string {
	const room = len("~claude-code~1000")
	if name != clean.Line(name) || len(name) > 255-room {
		return names.File(name)
	}
	return name
}

// skillFolder is a skill's folder, passed through. A SKILL.md that is a symbolic
// link to a file is shown as that file: home managers link each of their files, and
// search tools do not follow links.
type skillFolder struct {
	*fs.DiskDir
	opts fs.DiskOptions
}

// Lookup implements fs.Dir.
func (d *skillFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	n, err := d.DiskDir.Lookup(ctx, name)
	if _, ok := n.(*fs.DiskLink); ok && isSkillFile(name) {
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
		if e.Type == iofs.ModeSymlink && isSkillFile(e.Name) {
			if _, err := d.target(e.Name); err == nil {
				entries[i].Type = 0
			}
		}
	}
	return entries, err
}

func (d *skillFolder) target(name string) (*fs.DiskFile, error) {
	return fs.NewDiskFile(filepath.Join(d.Path(), name), d.opts)
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
		folder: builtinName, source: "builtin", file: "SKILL.md",
		card: card{err: err, name: clean.Line(matter.String("name")), description: clean.Line(matter.String("description"))},
		node: fs.NewFolder(built, map[string]fs.Node{"SKILL.md": fs.NewText(built, text)}),
	}
}

// bodyLen is how much of a skill's instructions can be found by a search, in bytes.
const bodyLen = 4 << 10

// documents yields a document for every SKILL.md, in the order of names. The
// instructions are read when they are asked for.
func documents(skills []*skill) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range skills {
			if s.file == "" {
				continue
			}
			head := builtinText()
			if s.path != "" {
				head, _, _ = readHead(s.target, frontmatter.MaxBytes+bodyLen)
			}
			// Without front matter the whole file is the body.
			matter, _ := frontmatter.Parse(head)
			doc := fs.Document{
				Path: filepath.Join(s.name, filepath.Base(s.file)), Whole: s.name, Title: s.name, Kind: "skill",
				Fields: map[string]string{
					"name": s.card.name, "description": s.card.description,
					"body": clean.Text(clean.Prefix(string(head[matter.Body:]), bodyLen)),
				},
			}
			if s.path == "" { // of interest to those who ask about ctxfs, and full of common words
				doc.Asides = []string{"ctxfs", builtinName}
				doc.Fields["title"] = "how to use ctxfs and its mount ~/.agentctx"
			}
			if !yield(doc) {
				return
			}
		}
	}
}
