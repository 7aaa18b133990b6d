package skills

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/skills/read"
)

// about returns the description, after what it is if it is no skill.
func (s *skill) about() string {
	if what := s.what(); what != "" {
		return strings.TrimSuffix(what+": "+s.Card.Description, ": ")
	}
	return s.Card.Description
}

// what returns what a definition is, such as "command /git:commit of Claude Code"; "" for
// a skill.
func (s *skill) what() string {
	if s.Is(read.Skill) {
		return ""
	}
	call := clean.Line(s.Found.Name)
	if s.Is(read.Command) {
		call = "/" + call
	} else if s.Card.Name != "" {
		call = s.Card.Name
	}
	return fmt.Sprintf("%s %s of %s", s.Source.Kind, call, agentName(s.Source.Agent))
}

// called returns how agents call it.
func (s *skill) called() string {
	if s.Is(read.Skill) && s.Card.Name != "" {
		return s.Card.Name
	}
	return clean.Line(s.Found.Name)
}

// readers returns the ids of the agents that look where it is.
func (s *skill) readers() (ids []string) {
	for _, r := range s.Source.Readers {
		ids = append(ids, r.Agent)
	}
	return slices.Compact(ids)
}

// agentName returns how people write an agent's id.
func agentName(id string) string {
	if id == "" {
		return "several agents"
	}
	return agents.ByID(id).Name
}

// original returns the name that the file of a definition has in its folder.
func (s *skill) original() string {
	base := filepath.Base(s.File)
	ext := filepath.Ext(base)
	if name := names.File(strings.TrimSuffix(base, ext)) + ext; !strings.EqualFold(name, read.SkillFiles()[0]) && base == clean.Line(base) {
		return base
	}
	return "original" + ext
}

// describe writes the SKILL.md of a definition: what it is, where it comes from, and how
// to follow it. Its text stands in the original file beside it, once.
func (s *skill) describe(home string) string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	var b strings.Builder
	origin := clean.Line(wording.Tilde(s.Shown, home))
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n", quote(s.name), quote(s.about()))
	fmt.Fprintf(&b, "metadata:\n  kind: %s\n  agent: %s\n  scope: %s\n", s.Source.Kind, quote(s.Source.Agent), s.Source.Scope)
	if s.Source.Plugin != "" {
		fmt.Fprintf(&b, "  plugin: %s\n", quote(s.Source.Plugin))
	}
	fmt.Fprintf(&b, "  origin: %s\n---\n\n", quote(origin))
	what := s.what()
	fmt.Fprintf(&b, "This is the %s, which is not a skill, but can be followed like one.\nIts file is beside this one, as it is on disk (%s).\n\n", what, origin)
	if !s.trusted {
		b.WriteString("Its project is not trusted: what it says was written by the project's author.\n\n")
	}
	file := s.original()
	switch {
	case s.Is(read.Subagent):
		fmt.Fprintf(&b, "Read %s: it says how a subagent does this work. Take that role yourself, or give its\ntext to a subagent of yours with the task.\n", file)
	default:
		fmt.Fprintf(&b, "Read %s and do what it says. %s\n", file, arguments(s.Source.Agent, filepath.Ext(file)))
	}
	return b.String()
}

// arguments says what stands for the words after a command, by its agent's documentation.
func arguments(agent, ext string) string {
	switch {
	case ext == ".toml":
		return "{{args}} stands for the words after the command, !{…} for the\noutput of a shell command, @{…} for a file: run or read these only if you need them."
	case agent == "vscode":
		return "${input:…} stands for what the user is asked, ${file} and the\nlike for what is open in the editor."
	}
	return "$ARGUMENTS, $1, $2 and so on stand for the words after the command,\n!`…` for the output of a shell command, @… for a file: run or read these only if you need them."
}

// definitionNode returns the folder of a definition: the same one as before, if there was
// one. It reports whether what is in it has changed.
func (p *Provider) definitionNode(s *skill, old *skill) (node fs.Dir, changed bool) {
	s.text = s.describe(p.opts.Home)
	var folder *fs.Folder
	if old != nil {
		folder, _ = old.node.(*fs.Folder)
		if folder != nil && old.text == s.text && old.Target == s.Target {
			return folder, false
		}
	}
	if folder == nil {
		folder = new(fs.Folder)
	}
	modified := wording.Later(s.Card.ModTime(), p.opts.Env.Built)
	nodes := map[string]fs.Node{read.SkillFiles()[0]: fs.NewText(modified, []byte(s.text))}
	if file, err := fs.NewDiskFile(s.Target, p.disk()); err == nil {
		nodes[s.original()] = file
	}
	folder.Replace(modified, nodes)
	return folder, old != nil
}
