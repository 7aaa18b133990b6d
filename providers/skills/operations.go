package skills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// Listed is a skill, command or subagent that is shown.
type Listed struct {
	// Name is its folder in skills/, Kind what it is, Called how its agent calls it.
	Name   string    `json:"name"`
	Kind   read.Kind `json:"kind"`
	Called string    `json:"called"`
	About  string    `json:"about,omitempty"`
	// Agent is the id of the agent whose folder it is in; "" for one of many agents.
	Agent   string       `json:"agent,omitempty"`
	Scope   locate.Scope `json:"scope"`
	Plugin  string       `json:"plugin,omitempty"`
	Project string       `json:"project,omitempty"`
	Trusted bool         `json:"trusted"`
	// SeenBy are the agents that look where it is, HiddenFor those of them that prefer
	// another of its name.
	SeenBy    []string `json:"seenBy,omitempty"`
	HiddenFor []string `json:"hiddenFor,omitempty"`
	// Tokens is nil as long as they were not counted.
	Tokens *Tokens `json:"tokens,omitempty"`
	// Missing is what it needs and is not here.
	Missing    []string `json:"missing,omitempty"`
	Problems   int      `json:"problems"`
	Suspicious int      `json:"suspicious"`
	// Path is where it is on disk; "" for the one that comes with ctxfs.
	Path string `json:"path,omitempty"`
}

// Tokens are those of the layers in which a skill is disclosed: its name and description,
// its instructions, and its other files.
type Tokens struct {
	Card int `json:"card"`
	Body int `json:"body"`
	Rest int `json:"rest"`
}

// OpList lists all that is shown, in order of names.
var OpList = fs.Op[fs.None, []Listed]{Name: "skills-list", Effect: fs.Reads}

// CheckQuery names what is to be checked.
type CheckQuery struct {
	// Dir is an absolute path: the folder of a skill, or one in which skills are; "" for
	// all that is shown.
	Dir string `json:"dir"`
	// Security has it looked for what is suspicious, instead of for faults.
	Security bool `json:"security,omitempty"`
}

// Checked is what was found.
type Checked struct {
	// Dir is the folder that was checked; "" for all that is shown.
	Dir string `json:"dir,omitempty"`
	// Skills is how many skills, commands and subagents were checked.
	Skills   int             `json:"skills"`
	Findings []check.Finding `json:"findings"`
	// Suspects is what is suspicious, if that was asked for.
	Suspects []Suspect `json:"suspects,omitempty"`
}

// Suspect is something suspicious in a skill.
type Suspect struct {
	Skill string `json:"skill"`
	// Path is the file, as the user knows it.
	Path string `json:"path"`
	check.Suspect
}

// OpCheck checks skills. It reads them now.
var OpCheck = fs.Op[CheckQuery, Checked]{Name: "skills-check", Slow: true, Effect: fs.Reads}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpList.Handle(func(context.Context, fs.None) ([]Listed, error) { return p.list(), nil }),
		OpCheck.Handle(p.check),
	}
}

func (p *Provider) list() []Listed {
	all := []Listed{}
	for _, s := range p.studied().skills {
		l := Listed{
			Name: s.name, Kind: s.Source.Kind, Called: s.called(), About: s.Card.Description, Agent: s.Source.Agent, Scope: s.Source.Scope,
			Plugin: s.Source.Plugin, Project: s.Source.Root, Trusted: s.trusted, SeenBy: s.readers(), HiddenFor: slices.Compact(slices.Clone(s.hidden)),
			Missing: p.missing(s), Problems: len(s.faults), Path: s.Shown,
		}
		if s.study != nil {
			l.Tokens, l.Suspicious = &Tokens{s.study.Card, s.study.Body, s.study.Rest}, len(s.study.Suspects)
		}
		all = append(all, l)
	}
	return all
}

// Costs implements facts.CostSource: the name and the description of each skill and subagent, which
// its agents have in every request. Not so that of a command, which a person names, as of a
// skill that says so, and of what comes with ctxfs.
func (p *Provider) Costs(_ context.Context, dir string) (all []facts.Cost, _ error) {
	for _, s := range p.studied().skills {
		if s.isBuiltin() || s.Is(read.Command) || s.Card.Fields["disable-model-invocation"] == true ||
			s.Source.Root != "" && (dir == "" || !fs.Within(dir, s.Source.Root)) {
			continue
		}
		one := facts.Cost{Kind: facts.SkillCost, Name: s.name, Agents: []string{}}
		for _, id := range s.readers() {
			if !slices.Contains(s.hidden, id) {
				one.Agents = append(one.Agents, id)
			}
		}
		if s.study == nil {
			one.Unknown = "it was not read yet"
		} else {
			one.Tokens = s.study.Card
		}
		all = append(all, one)
	}
	return all, nil
}

// check checks what is in a folder, or all that is shown.
func (p *Provider) check(ctx context.Context, q CheckQuery) (Checked, error) {
	checked := Checked{Dir: q.Dir, Findings: []check.Finding{}}
	found, faults := []*locate.Found(nil), []check.Finding(nil)
	if q.Dir == "" {
		now := p.shown()
		for _, s := range now.skills {
			if !s.isBuiltin() {
				found = append(found, s.Found)
			}
		}
		for _, f := range now.found.Faults {
			faults = append(faults, check.Unreadable(p.shownPath(f.Path), f.Err))
		}
	} else {
		if !filepath.IsAbs(q.Dir) {
			return checked, fmt.Errorf("%q is not an absolute path", q.Dir)
		}
		var err error
		if found, faults, err = p.in(ctx, q.Dir); err != nil {
			return checked, err
		}
	}
	checked.Skills = len(found)
	if !q.Security {
		checked.Findings = append(checked.Findings, faults...)
	}
	for _, f := range found {
		if ctx.Err() != nil {
			return checked, ctx.Err()
		}
		if !q.Security {
			checked.Findings = append(checked.Findings, check.Found(f, p.shownPath)...)
			continue
		}
		if f.File == "" {
			continue
		}
		files := check.Files(f, p.opts.Hide)
		for _, s := range check.Study(f, files, "").Suspects {
			path := f.Shown
			if f.Path != "" {
				path = filepath.Join(f.Shown, s.File)
			}
			checked.Suspects = append(checked.Suspects, Suspect{f.Name, p.shownPath(path), s})
		}
	}
	slices.SortStableFunc(checked.Findings, func(a, b check.Finding) int { return strings.Compare(a.File, b.File) })
	return checked, nil
}

// in finds what is in a folder: a skill, or skills, commands and subagents below it.
func (p *Provider) in(ctx context.Context, dir string) (found []*locate.Found, faults []check.Finding, err error) {
	if read.IsSkillFile(filepath.Base(dir)) {
		dir = filepath.Dir(dir)
	}
	real, err := fs.Probe(p.prober, dir, func() (string, error) { return p.disk().Resolve(dir) })
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be looked into: %w", dir, wording.Cause(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is not a folder", dir)
	}
	none := func(string) *locate.Found { return nil }
	scan := p.finder.Scan(none, func(string) bool { return true })
	if file, _, _ := read.FindSkillFile(real); file != "" {
		scan.Folder(real, dir)
		return scan.Found, nil, nil
	}
	tree := p.finder.Walk(real, filepath.Base(real), nil, p.opts.Env.Now, func() bool { return ctx.Err() != nil })
	for i := range tree.Sources {
		tree.Sources[i].Root = "" // who asks for it wants to know
		scan.Source(&tree.Sources[i])
	}
	if len(scan.Found) == 0 || filepath.Base(real) == "skills" {
		scan.Source(&locate.Source{Kind: read.Skill, Dir: real, Name: filepath.Base(real)})
	}
	if filepath.Base(real) != "skills" {
		// Folders without a SKILL.md are skills that lack it only where skills are.
		scan.Found = slices.DeleteFunc(scan.Found, func(f *locate.Found) bool {
			return errors.Is(f.Err, locate.ErrNoSkillFile) && filepath.Dir(f.Path) == real
		})
	}
	for _, f := range slices.Concat(scan.Faults, tree.Faults) {
		faults = append(faults, check.Unreadable(p.shownPath(f.Path), f.Err))
	}
	if len(scan.Found) == 0 && len(faults) == 0 {
		faults = append(faults, check.Unreadable(p.shownPath(dir), locate.ErrNoSkillFile))
	}
	return scan.Found, faults, nil
}
