package memory

import (
	"context"
	"iter"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/page"
)

// documents yields a document for each memory below a path.
func (s *snapshot) documents(below string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, sec := range s.sections {
			for _, e := range sec.entries {
				if below != "" && !fs.Within(e.Path, below) {
					continue
				}
				description := e.Description
				if e.Untrusted {
					description = "[not trusted] " + description
				}
				const most = 2000
				if !yield(fs.Document{
					Path: e.Path, Title: strings.TrimSuffix(e.file, fact.Extension), Kind: "memory", Time: e.Modified, Place: sec.dir,
					Fields: map[string]string{"description": description, "body": clean.Prefix(e.members[0].Text, most)},
				}) {
					return
				}
			}
		}
	}
}

// maxRemarks is how many memories are told of a folder.
const maxRemarks = 8

// pushed returns the memories of a section that may be put before an agent. What is trusted
// may have changed since the snapshot was made.
func (s *snapshot) pushed(sec *section, trusts func(dir string) bool) []*page.Entry {
	return slices.DeleteFunc(slices.Clone(sec.Pushed), func(e *page.Entry) bool { return !s.byPath[e.Path].isTrusted(trusts) })
}

// isTrusted reports whether a memory lies elsewhere than in the files of projects that are
// not trusted.
func (e *entry) isTrusted(trusts func(dir string) bool) bool {
	return slices.ContainsFunc(e.members, func(memory *fact.Memory) bool { return memory.Within == "" || trusts(memory.Within) })
}

// brief returns the memories of the innermost project that has a folder. Of one that is
// not trusted nothing is told that lies in its files.
func (s *snapshot) brief(dir string, trusts func(dir string) bool) (remarks []facts.Remark) {
	sec := s.of(dir)
	if sec == nil {
		return nil
	}
	for _, e := range s.pushed(sec, trusts) {
		if len(remarks) == maxRemarks {
			break
		}
		remarks = append(remarks, facts.Remark{Topic: facts.TopicMemory, Text: e.Description, Path: e.Path, Time: e.Modified})
	}
	return remarks
}

// of returns the section of the innermost project that has a folder, or nil.
func (s *snapshot) of(dir string) (best *section) {
	for _, sec := range s.sections {
		has := sec.dir != "" && fs.Within(dir, sec.dir) || sec.work.Dir != "" && sec.work.Has(dir)
		if has && (best == nil || len(sec.dir) > len(best.dir)) {
			best = sec
		}
	}
	return best
}

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: what is remembered of the project and of the user, at
// the start of a context. It words each memory as the page of the workspace does, so that
// each is told once.
func (p *Provider) News(_ context.Context, m facts.Moment) []facts.News {
	if m.Kind != facts.SessionStarts && m.Kind != facts.Compacted {
		return nil
	}
	s := p.shown()
	text := "Remembered from before, by the user or an agent (more: " + m.Path("memory/"+indexName) + "):"
	left := page.Budget - tokens.Count(text)
	any := false
	for _, sec := range s.forProject(m.Dir) {
		for _, e := range s.pushed(sec, p.opts.Trust.Trusts) {
			line := "\n- " + clean.Cut(clean.Line(e.Description), maxPushed)
			if left -= tokens.Count(line); left < 0 {
				break
			}
			text += line
			any = true
		}
	}
	if !any {
		return nil
	}
	return []facts.News{{Kind: facts.NewsMemory, Key: strings.TrimSpace(text), Rank: facts.Orienting, Text: text}}
}

// maxPushed is the longest memory that is said, in bytes.
const maxPushed = 240
