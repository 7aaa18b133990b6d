package agents

import (
	"path/filepath"
	"strings"

	"ctxfs/providers/setup/edit"
)

// Pointer is what stands in the instructions of every agent, and in the README: what is in
// the mount, and how to use it, in as few tokens as will do, since each request carries it.
// The mount's AGENTS.md says more.
const Pointer = `Context files are in ~/.agentctx (read-only, current): mcps/, skills/, rules/, memory/,
plans/, terminals/, transcripts/, workspaces/; see AGENTS.md there. Look there first
(` + "`ctxfs find \"what you want\"`" + `, ls, rg) before calling an MCP tool, asking for output or guessing.
`

// blockName is the name of the block with the pointer.
const blockName = "where context is"

func (p *plan) text() string { return strings.ReplaceAll(Pointer, usualMount, p.mount()) }

// pointer puts the pointer into the instructions that the agent reads in every session:
// between markers, or as a file of its own after head, where the agent reads all files of
// a folder. It is not put into a file that mentions the mount already.
func (p *plan) pointer() { p.pointerIn(p.file(p.agent.Always), "") }

func (p *plan) pointerIn(file, head string) {
	switch {
	case file == "":
		return
	case ownName(file):
		p.change(file, "where context is", edit.File([]byte(head+p.text())))
		return
	case p.names(file):
		p.note("%s says already where the context is; nothing is added to it", p.short(file))
		return
	}
	text := p.text()
	if p.hides(file) {
		text += "The instructions of this project are in CLAUDE.md: read it.\n"
	}
	p.change(file, "where context is", edit.Block("<!--", blockName, text))
}

// hides reports whether a file of a project keeps some agents from reading its CLAUDE.md,
// and says nothing itself: an AGENTS.md with nothing in it but ours. Amp, opencode and Zed
// read that instead.
func (p *plan) hides(file string) bool {
	return p.Project != "" && filepath.Base(file) == "AGENTS.md" && exists(filepath.Join(filepath.Dir(file), "CLAUDE.md")) &&
		strings.TrimSpace(withoutBlocks(string(content(file)))) == ""
}

// ownName reports whether a file is ours by its name.
func ownName(file string) bool { return strings.HasPrefix(filepath.Base(file), "ctxfs.") }

// names reports whether a file names the mount, besides where we do.
func (p *plan) names(file string) bool {
	foreign := withoutBlocks(string(content(file)))
	return strings.Contains(foreign, p.mount()+"/AGENTS.md") || strings.Contains(foreign, "files are in "+p.mount()) ||
		strings.Contains(foreign, p.Mount+"/AGENTS.md")
}

// withoutBlocks returns a text without what is between our markers.
func withoutBlocks(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch {
		case strings.Contains(line, "ctxfs: begin "):
			inside = true
		case inside && strings.Contains(line, "ctxfs: end"):
			inside = false
		case !inside:
			out.WriteString(line)
		}
	}
	return out.String()
}

// oneLine returns a text in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
