package skills

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// snapshot is everything that is shown at one moment. It is immutable once it is
// published.
type snapshot struct {
	skills  []*skill // by name
	byPath  map[string]*skill
	roots   []string
	index   *fs.Text
	text    []byte    // the text of index
	modTime time.Time // the time of the newest fact; zero if none has a time
	built   time.Time // when the program was built
	status  fs.Status
}

// snapshot makes a snapshot of what was found. It reuses the index of old if its
// text is the same.
func (p *Provider) snapshot(old *snapshot, found *scan) *snapshot {
	next := &snapshot{
		skills: found.skills, byPath: make(map[string]*skill), roots: roots(found.roots),
		index: old.index, text: old.text, modTime: found.modTime, built: p.opts.Env.Built,
	}
	assignNames(next.skills)
	slices.SortFunc(next.skills, func(a, b *skill) int { return cmp.Compare(a.name, b.name) })
	for _, s := range next.skills {
		if s.path != "" {
			next.byPath[s.path] = s
		}
	}
	faults := next.faults(found.faults, p.watchFaults())
	if text := p.renderIndex(next.skills, faults); old.index == nil || !bytes.Equal(text, old.text) {
		if old.index != nil && !next.modTime.After(old.modTime) {
			next.modTime = p.opts.Env.Now().UTC().Truncate(time.Second) // a fact without a time has changed, such as a permission
		}
		next.text, next.index = text, fs.NewText(cmp.Or(next.modTime, next.built), text)
	}
	next.status = status(next, faults)
	if old.status.State == next.status.State {
		next.status.Since = old.status.Since
	}
	return next
}

// faults returns all faults, those of one file together.
func (s *snapshot) faults(others ...[]fault) []fault {
	all := slices.Concat(others...)
	for _, sk := range s.skills {
		all = append(all, sk.faults...)
	}
	slices.SortStableFunc(all, func(a, b fault) int { return cmp.Compare(a.where, b.where) })
	return slices.Compact(all) // a folder that cannot be read cannot be watched either: one fault
}

// nodes returns the content of the provider's root.
func (s *snapshot) nodes() map[string]fs.Node {
	nodes := make(map[string]fs.Node, len(s.skills)+1)
	for _, sk := range s.skills {
		nodes[sk.name] = sk.node
	}
	nodes[indexName] = s.index
	nodes[ignoreName] = fs.NewText(s.built, []byte(ignoreText))
	return nodes
}

// ignoreName is the file that tells search tools what to skip. It shows again what
// the root of the tree hides, except for the index, which repeats the skills: a
// skill may have files with such names.
const (
	ignoreName = ".ignore"
	ignoreText = "!INDEX.*\n!HERE.md\n!OPEN.md\n!SUMMARY.md\n!LEARNED.md\n!*.jsonl\n!*.cast\n!**/terminals/*/\n/INDEX.md\n"
)

// differences returns the names in the root that were added, removed, or changed.
func (s *snapshot) differences(old *snapshot) (changed []string) {
	if s.index != old.index {
		changed = append(changed, indexName)
	}
	before := make(map[string]fs.Dir, len(old.skills))
	for _, sk := range old.skills {
		before[sk.name] = sk.node
	}
	for _, sk := range s.skills {
		if before[sk.name] != sk.node {
			changed = append(changed, sk.name)
		}
		delete(before, sk.name)
	}
	for name := range before {
		changed = append(changed, name)
	}
	return changed
}

// containing returns the skills that contain a path on disk: more than one if a
// link leads into another skill.
func (s *snapshot) containing(path string) (holding []*skill) {
	for {
		if sk := s.byPath[path]; sk != nil {
			holding = append(holding, sk)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return holding
		}
		path = parent
	}
}

// aboutLen is the most that Status says about a skill, in bytes.
const aboutLen = 200

func status(s *snapshot, faults []fault) fs.Status {
	st := fs.Status{State: "ready", Since: s.modTime, Summary: wording.Count(len(s.skills), "skills")}
	for _, f := range faults {
		if f.severe {
			st.State = "degraded"
			st.Problems = append(st.Problems, fs.Problem{What: f.sentence(), Mend: f.fix})
		}
	}
	for _, sk := range s.skills {
		item := fs.Item{Name: sk.name, Count: -1, About: clean.Sentence(sk.card.description, aboutLen)}
		if sk.path == "" {
			item.About = "" // AGENTS.md, where it would be, says as much
		}
		if sk.isBroken() {
			item.State = "error"
		}
		st.Items = append(st.Items, item)
	}
	if warnings := len(faults) - len(st.Problems); warnings > 0 {
		st.Summary += ", " + wording.Count(warnings, "warnings") + " (see skills/" + indexName + ")"
	}
	return st
}

// roots leaves out the folders that are within others.
func roots(all []string) []string {
	slices.Sort(all) // a folder comes before what is within it
	var outer []string
	for _, path := range all {
		if !slices.ContainsFunc(outer, func(root string) bool { return within(path, root) }) {
			outer = append(outer, path)
		}
	}
	return outer
}

func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// indexLen is the most of a description in the index, in bytes.
const indexLen = 250

// renderIndex writes INDEX.md: a line for each skill, then the problems.
func (p *Provider) renderIndex(skills []*skill, faults []fault) []byte {
	var b strings.Builder
	b.WriteString("# Skills\n\nEach folder here is a skill. Read its SKILL.md before you do what it is for.\n\n")
	for _, s := range skills {
		b.WriteString(s.name + " — ")
		if s.card.description == "" {
			b.WriteString("(no description, see Problems)\n")
		} else {
			b.WriteString(clean.Cut(s.card.description, indexLen) + "\n")
		}
	}
	if len(skills) == 1 && skills[0].source == p.builtin.source {
		b.WriteString("\nThere is only the built-in skill. To add one, make a folder with a SKILL.md in one of:\n\n")
		for _, src := range p.sources {
			b.WriteString("- " + shown(p.opts.Home, src.dir) + "\n")
		}
	}
	if len(faults) > 0 {
		b.WriteString("\n## Problems\n\n")
		for _, f := range faults {
			b.WriteString("- " + f.sentence() + "; fix: " + f.fix + "\n")
		}
	}
	return []byte(b.String())
}
