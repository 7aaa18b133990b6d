package layout

import (
	"fmt"
	"os"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
)

// shown is a folder of the page with the entries for which there was room.
type shown struct {
	*folder
	level   int // of its line
	open    bool
	folders []*shown
	files   []file
	cost    int // tokens of its line, and of the lines in it that are not folders
}

// caps are how many entries of one folder are shown, if not all: the first for which
// there is room.
func caps() []int { return []int{100, 50, 25, 12, 6, 3} }

// leastTokens is how many tokens a line has at least.
const leastTokens = 2

// render returns the text of a page. Folders are opened breadth-first as long as there is
// room; those of one level share what is left, so that the first do not take all.
func render(w *walk, opts Options) string {
	first, last := head(w), foot(w)
	left := opts.Budget - tokens.Count(first) - tokens.Count(last)
	root := &shown{folder: w.root}
	for level := []*shown{root}; len(level) > 0; {
		var next []*shown
		for i, s := range level {
			share := left / (len(level) - i)
			if opts.Depth > 0 && s.level >= opts.Depth {
				break
			}
			if cost, ok := s.unfold(min(left, max(share, tokens.Count(first)))); ok {
				left -= cost
				next = append(next, s.folders...)
			}
		}
		level = next
	}
	var b strings.Builder
	b.WriteString(first)
	for _, l := range root.lines() {
		b.WriteString(l)
	}
	b.WriteString(last)
	return b.String()
}

// unfold opens a folder with as many entries as there is room for, in tokens, and returns
// what that costs; ok is false if there is no room for any.
func (s *shown) unfold(room int) (cost int, ok bool) {
	entries := len(s.folder.folders) + s.own.files
	if entries == 0 || s.remark != "" && s.remark != repositoryRemark {
		return 0, false
	}
	before := s.price()
	for _, most := range caps() {
		if min(most, entries)*leastTokens > room {
			continue
		}
		s.open, s.folders, s.files = true, nil, nil
		for _, f := range s.folder.folders[:min(most, len(s.folder.folders))] {
			sub := &shown{folder: f, level: s.level + 1}
			for len(sub.folder.folders) == 1 && sub.own.files == 0 && sub.remark == "" { // nothing but one folder
				only := *sub.folder.folders[0]
				only.name = sub.name + "/" + only.name
				sub.folder = &only
			}
			sub.cost = sub.price()
			s.folders = append(s.folders, sub)
		}
		s.files = s.folder.files[:max(0, min(most-len(s.folders), len(s.folder.files)))]
		cost = s.price() - before
		for _, sub := range s.folders {
			cost += sub.cost
		}
		if cost <= room {
			return cost, true
		}
	}
	s.open, s.folders, s.files = false, nil, nil
	return 0, false
}

// price returns the tokens of the lines about a folder, without those of the folders in it.
func (s *shown) price() int {
	n := tokens.Count(s.line())
	for _, f := range s.files {
		n += tokens.Count(s.fileLine(f))
	}
	return n + tokens.Count(s.rest())
}

// lines returns the lines about what is in a folder.
func (s *shown) lines() []string {
	var lines []string
	for _, sub := range s.folders {
		lines = append(append(lines, sub.line()), sub.lines()...)
	}
	for _, f := range s.files {
		lines = append(lines, s.fileLine(f))
	}
	if rest := s.rest(); rest != "" {
		lines = append(lines, rest)
	}
	return lines
}

// line returns the line about a folder; "" for the first one, whose line is the head.
func (s *shown) line() string {
	if s.parent == nil {
		return ""
	}
	text := indent(s.level) + clean.Path(s.name, maxName) + "/"
	if s.remark != "" {
		text += " (" + clean.Path(s.remark, maxName) + ")"
	}
	if !s.open && s.total.files+s.total.folders > 0 {
		text += " " + bracket(s.total)
	}
	return text + "\n"
}

func (s *shown) fileLine(f file) string {
	text := indent(s.level+1) + clean.Path(f.name, maxName)
	if f.link {
		if target, err := os.Readlink(s.path + "/" + f.name); err == nil {
			text += " -> " + clean.Path(target, maxName)
		}
	}
	return text + "\n"
}

// rest returns the line about what of an open folder is not shown; "" if all is.
func (s *shown) rest() string {
	if !s.open {
		return ""
	}
	var rest count
	rest.merge(s.own)
	for _, f := range s.files {
		rest.add(kindOf(f.name), -1)
	}
	for _, f := range s.folder.folders[len(s.folders):] {
		rest.merge(f.total)
		rest.folders++
	}
	if rest.files+rest.folders == 0 {
		return ""
	}
	return indent(s.level+1) + bracket(rest) + "\n"
}

// bracket returns a count as "[+4 files (3 *.js, 1 *.md) & 0 dirs]".
func bracket(c count) string {
	const most = 3
	var kinds []string
	for i, kind := range c.most() {
		if c.kinds[kind] <= 0 {
			break
		}
		if i == most {
			kinds = append(kinds, "…")
			break
		}
		kinds = append(kinds, fmt.Sprintf("%d %s", c.kinds[kind], clean.Path(kind, 2*maxExt)))
	}
	by := ""
	if len(kinds) > 0 {
		by = " (" + strings.Join(kinds, ", ") + ")"
	}
	return fmt.Sprintf("[+%d files%s & %d dirs]", c.files, by, c.folders)
}

func indent(level int) string { return strings.Repeat("  ", level) }
