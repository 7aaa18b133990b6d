package skills

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// snapshot is everything that is shown at one moment. It is immutable once it is
// published.
type snapshot struct {
	skills   []*skill // by name
	byPath   map[string]*skill
	found    scanned
	projects []project
	faults   []check.Finding // what is wrong, also with what is no skill
	roots    []string
	pages    []shelf.Page // of all skills
	// rewritten are the files of definitions that changed with their folder staying, and the
	// skills that are trusted now or not any more, which their documents tell.
	rewritten []string
	modTime   time.Time // the time of the newest fact, or zero
	status    fs.Status
}

// snapshot makes a snapshot of what was found.
func (p *Provider) snapshot(old *snapshot, found scanned) *snapshot {
	next := &snapshot{
		byPath: make(map[string]*skill), found: found, projects: p.projects, roots: roots(found.Roots), modTime: found.ModTime,
	}
	trusts := make(map[string]bool)
	for i, f := range found.Found {
		if i == found.builtin {
			next.skills = append(next.skills, p.newBuiltin())
		}
		next.skills = append(next.skills, p.newSkill(f, p.trusts(f.Source.Root, trusts)))
	}
	if found.builtin == len(found.Found) {
		next.skills = append(next.skills, p.newBuiltin())
	}
	assignNames(next.skills)
	slices.SortFunc(next.skills, func(a, b *skill) int { return cmp.Compare(a.name, b.name) })
	kept := next.skills[:0]
	for _, s := range next.skills {
		if s.isBuiltin() || p.addNode(next, s, old.byPath[key(s.Found)]) {
			kept = append(kept, s)
		}
	}
	next.skills = kept
	prefer(next.skills)
	next.faults = next.allFaults(p.scanFaults(found), p.watchFaults())
	p.writePages(next)
	next.status = status(next)
	return next
}

func (p *Provider) newSkill(f *locate.Found, trusted bool) *skill {
	s := &skill{Found: f, trusted: trusted, faults: check.Found(f, p.shownPath)}
	if r, ok := p.studies.Get(key(f)); ok {
		s.study = &r
	}
	return s
}

func (p *Provider) newBuiltin() *skill {
	s := *p.builtin
	return &s
}

// trusts reports whether the user trusts what has a root, "" being what is the user's own.
func (p *Provider) trusts(root string, known map[string]bool) bool {
	if root == "" {
		return true
	}
	trusted, ok := known[root]
	if !ok {
		dir := root
		for _, pr := range p.projects {
			if slices.Contains(pr.Folders(), root) {
				dir = pr.Dir
			}
		}
		trusted = p.opts.Trust != nil && p.opts.Trust.Trusts(dir)
		known[root] = trusted
	}
	return trusted
}

// addNode gives a skill its folder: the one it had before, if that is the same. It reports
// false if it was deleted since.
func (p *Provider) addNode(next *snapshot, s *skill, old *skill) bool {
	switch {
	case s.Path == "":
		var changed bool
		if s.node, changed = p.definitionNode(s, old); changed && old.name == s.name {
			for _, name := range []string{read.SkillFiles()[0], s.original()} {
				next.rewritten = append(next.rewritten, filepath.Join(s.name, name))
			}
		}
	case old != nil && old.Info != nil && os.SameFile(old.Info, s.Info):
		s.node = old.node
	default:
		dir, err := fs.NewDiskDir(s.Path, p.disk())
		if err != nil {
			return false
		}
		s.node = &skillFolder{DiskDir: dir, opts: p.disk(), root: s.Source.Root}
	}
	if old != nil && old.trusted != s.trusted {
		next.rewritten = append(next.rewritten, s.name)
	}
	next.byPath[key(s.Found)] = s
	return true
}

// prefer notes which agents prefer another skill of the same name: in its own project for
// what a project has, and outside of all projects for anything else.
func prefer(all []*skill) {
	type use struct{ kind, name string }
	byName := make(map[use][]*skill)
	for _, s := range all {
		if !s.isBuiltin() {
			u := use{string(s.Source.Kind), names.Fold(cmp.Or(s.Card.Name, s.Found.Name))}
			byName[u] = append(byName[u], s)
		}
	}
	for _, same := range byName {
		if len(same) == 1 {
			continue
		}
		for _, s := range same {
			for _, r := range s.Source.Readers {
				if slices.ContainsFunc(same, func(o *skill) bool { return o != s && o.isPreferred(s, r) }) {
					s.hidden = append(s.hidden, r.Agent)
				}
			}
		}
	}
}

// isPreferred reports whether an agent that reads both prefers this one to another.
func (s *skill) isPreferred(other *skill, reader locate.Reader) bool {
	if s.Source.Root != "" && s.Source.Root != other.Source.Root {
		return false // it is not there
	}
	return slices.ContainsFunc(s.Source.Readers, func(r locate.Reader) bool {
		return r.Agent == reader.Agent && r.Rank < reader.Rank
	})
}

// scanFaults returns the faults of what is no skill.
func (p *Provider) scanFaults(found scanned) (all []check.Finding) {
	for _, f := range found.Faults {
		fault := check.Unreadable(p.shownPath(f.Path), f.Err)
		for _, pr := range p.projects {
			if pr.Has(f.Path) {
				fault.Severe = false // a project's fault is no fault of the user's skills
			}
		}
		all = append(all, fault)
	}
	for _, pr := range p.projects {
		for _, note := range pr.notes {
			all = append(all, check.Finding{File: p.shownPath(pr.Dir), What: note, Fix: "look at it with ls -la"})
		}
	}
	return all
}

// allFaults returns all faults, those of one file together.
func (s *snapshot) allFaults(others ...[]check.Finding) []check.Finding {
	all := slices.Concat(others...)
	for _, sk := range s.skills {
		for _, f := range sk.faults {
			f.Severe = f.Severe && sk.Source.Root == ""
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b check.Finding) int { return cmp.Compare(a.File, b.File) })
	return slices.Compact(all) // a folder that cannot be read cannot be watched either: one fault
}

// ignoreName is the file that tells search tools what to skip. It shows again what
// the root of the tree hides, except for the pages, which repeat the skills: a
// skill may have files with such names.
const (
	ignoreName = ".ignore"
	ignoreText = "!INDEX.*\n!HERE.md\n!OPEN.md\n!SUMMARY.md\n!LEARNED.md\n!*.jsonl\n!*.cast\n!**/terminals/*/\n!**/agents/*/log.txt\n!**/agents/*/status.json\n!**/agents/*/result.json\n/INDEX.md\n/INDEX.tsv\n/NEEDS.md\n/SECURITY.md\n"
)

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

// status returns the status. Its items are the skills that every agent of the user may
// use: those of projects stand on the pages of their projects, once they are trusted, and
// commands and subagents are for those who look for one.
func status(s *snapshot) fs.Status {
	st := fs.Status{State: "ready", Since: s.modTime}
	for _, f := range s.faults {
		if f.Severe {
			st.State = "degraded"
			st.Problems = append(st.Problems, fs.Problem{What: f.Sentence(), Mend: f.Fix})
		}
	}
	count := make(map[string]int)
	for _, sk := range s.skills {
		count[string(sk.Source.Kind)]++
		if sk.Source.Root != "" {
			count["project"]++
		}
		if sk.Source.Root != "" || !sk.Is(read.Skill) {
			continue
		}
		item := fs.Item{Name: sk.name, Count: -1, About: clean.Sentence(sk.Card.Description, aboutLen)}
		if sk.study != nil && len(sk.study.Suspects) > 0 {
			item.About = "(suspicious: skills/" + securityName + ") " + item.About
		}
		if sk.isBuiltin() {
			item.About = "" // AGENTS.md, where it would be, says as much
		}
		if slices.ContainsFunc(sk.faults, func(f check.Finding) bool { return f.Severe }) {
			item.State = "error"
		}
		st.Items = append(st.Items, item)
	}
	st.Summary = wording.Count(count["skill"], "skills")
	if n := count["command"]; n > 0 {
		st.Summary += ", " + wording.Count(n, "commands")
	}
	if n := count["subagent"]; n > 0 {
		st.Summary += ", " + wording.Count(n, "subagents")
	}
	if n := count["project"]; n > 0 {
		st.Summary += fmt.Sprintf(" (%d of projects)", n)
	}
	if warnings := len(s.faults) - len(st.Problems); warnings > 0 {
		st.Summary += ", " + wording.Count(warnings, "warnings") + " (see skills/" + indexName + ")"
	}
	return st
}

// roots leaves out the folders that are within others.
func roots(all []string) []string {
	slices.Sort(all) // a folder comes before what is within it
	var outer []string
	for _, path := range all {
		if !slices.ContainsFunc(outer, func(root string) bool { return fs.Within(path, root) }) {
			outer = append(outer, path)
		}
	}
	return outer
}

// watchFaults returns the faults of what should be watched and is not.
func (p *Provider) watchFaults() []check.Finding {
	if p.watcher == nil {
		return nil
	}
	var faults []check.Finding
	for _, path := range slices.Sorted(maps.Keys(p.watched)) {
		err := p.watcher.Err(path)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) { // the scan reports that
			faults = append(faults, p.watchFault(path, err))
		}
	}
	for _, late := range p.watcher.Late() {
		faults = append(faults, check.Finding{What: late.What, Fix: late.Mend, Severe: true})
	}
	return faults
}

// watchFault returns why changes below path are not noticed.
func (p *Provider) watchFault(path string, err error) check.Finding {
	f := check.Finding{File: p.shownPath(path), What: "changes are not noticed: " + check.Cause(err), Fix: "run ctxfs mount again after changes", Severe: true}
	switch {
	case errors.Is(err, watch.ErrLimit):
		f.What = fmt.Sprintf("not all changes are noticed: it contains more than %d folders", locate.MaxFolders)
		f.Fix = "move what is not a skill out of it"
	case errors.Is(err, iofs.ErrPermission):
		if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
			path = pe.Path
		}
		f = check.Unreadable(p.shownPath(path), err)
	}
	for _, pr := range p.projects {
		f.Severe = f.Severe && !pr.Has(path)
	}
	return f
}
