package build

import (
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// tasks reads the files of programs that run named tasks.
func (f *folder) tasks() {
	if name := f.first("GNUmakefile", "makefile", "Makefile"); name != "" { // in the order of make
		f.recipes(name, "make ", regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_./-]*)\s*::?(?:[^=]|$)`))
	}
	if name := f.first("justfile", "Justfile", ".justfile"); name != "" {
		f.recipes(name, "just ", regexp.MustCompile(`^@?([A-Za-z][A-Za-z0-9_-]*)(?:\s[^:]*)?:(?:[^=]|$)`))
	}
	if name := f.first("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"); name != "" {
		if doc, _, err := frontmatter.YAML(f.text(name)); err == nil {
			f.table(name, "task ", doc, "tasks", "desc")
		}
	}
	if name := f.first("mise.toml", ".mise.toml"); name != "" {
		if doc, err := settings.Document([]byte(f.text(name))); err == nil {
			f.table(name, "mise run ", doc, "tasks", "description")
		}
	}
}

// recipes reads a file of lines "name: …", whose comments stand before them, or behind
// "##" in the same line.
func (f *folder) recipes(name, run string, recipe *regexp.Regexp) {
	comment, n := "", 0
	for line := range strings.Lines(f.text(name)) {
		n++
		line = strings.TrimRight(line, "\n ")
		if m := recipe.FindStringSubmatch(line); m != nil {
			if _, said, ok := strings.Cut(line, "##"); ok {
				comment = said
			}
			if p, more, ok := namedFor(m[1]); ok && !(m[1] == "all" && doesMore(line)) {
				f.add(p, fromTask+more, run+m[1], name, n, strings.TrimSpace(comment))
			}
		}
		said, isComment := strings.CutPrefix(line, "#")
		if comment = ""; isComment {
			comment = strings.TrimLeft(said, "# ")
		}
	}
}

// doesMore reports whether a rule has prerequisites that test or check, so that it does not
// only build.
func doesMore(rule string) bool {
	_, prerequisites, _ := strings.Cut(rule, ":")
	prerequisites, _, _ = strings.Cut(prerequisites, "#")
	return slices.ContainsFunc(strings.Fields(prerequisites), func(name string) bool {
		p, _, ok := namedFor(name)
		return ok && (p == Test || p == Lint)
	})
}

// table reads the tasks in an object; each task may have a description.
func (f *folder) table(name, run string, doc syntax.Value, key, description string) {
	all, _ := doc.Get(key)
	for _, m := range all.Members {
		if p, more, ok := namedFor(m.Name); ok && isPlain(m.Name) {
			comment, _ := m.Value.Get(description)
			f.add(p, fromTask+more, run+m.Name, name, m.Value.Line, comment.Text)
		}
	}
}

// isPlain reports whether a name is one word of a shell as it stands.
func isPlain(name string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9@_:./+-]*$`).MatchString(name)
}
