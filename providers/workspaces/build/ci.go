package build

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxWorkflows is how many workflows of GitHub are read.
const maxWorkflows = 20

// withCI returns commands and those that CI runs. One that CI runs, too, has both sources.
//
// The files are read line by line, whatever their syntax: they are full of anchors and of
// scripts in scripts, and only lines that are a command by themselves are of use.
func (f *folder) withCI(commands []Command) []Command {
	known := newTools()
	ci := &folder{root: f.root}
	for _, name := range f.workflows() {
		for n, line := range lines(f.text(name)) {
			if command := commandOf(line); command != "" {
				if p, ok := known.of(command); ok {
					ci.add(p, fromCI, shorter(command), name, n, "")
				}
			}
		}
	}
	for _, c := range ci.commands {
		if i := slices.IndexFunc(commands, func(k Command) bool { return k.Line == c.Line && k.Dir == c.Dir }); i < 0 {
			commands = append(commands, c)
		} else if len(commands[i].Sources) == 1 {
			commands[i].Sources = append(commands[i].Sources, c.Sources...)
			commands[i].rank += inCI
		}
	}
	return commands
}

// workflows returns the files of CI that there are, relative to the project.
func (f *folder) workflows() (names []string) {
	if f.hasFolder(".github") {
		if dir, err := open(f.root, ".github/workflows"); err == nil {
			for _, name := range dir.files[:min(len(dir.files), maxWorkflows)] {
				if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
					names = append(names, ".github/workflows/"+name)
				}
			}
		}
	}
	if f.hasFolder(".circleci") {
		names = append(names, ".circleci/config.yml")
	}
	for _, name := range []string{".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".cirrus.yml", ".drone.yml", ".woodpecker.yml"} {
		if f.has(name) {
			names = append(names, name)
		}
	}
	return names
}

// commandOf returns the command of a line of such a file: without the dash of a list, the
// key of a step, and quotes.
func commandOf(line string) string {
	text := strings.TrimSpace(line)
	text = strings.TrimSpace(strings.TrimPrefix(text, "- "))
	for _, key := range []string{"run:", "script:", "command:"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, key))
	}
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(text, quote); ok {
			if inner, ok = strings.CutSuffix(inner, quote); ok {
				text = inner
			}
		}
	}
	return text
}

// readme returns the commands in the fenced code of a README.
func (f *folder) readme() []Command {
	name := f.first("README.md", "readme.md", "Readme.md", "README", "README.txt", "README.rst", "CONTRIBUTING.md")
	if name == "" {
		return nil
	}
	known, fence := newTools(), regexp.MustCompile("^\\s*(```|~~~)")
	found, inside := &folder{root: f.root}, false
	for n, line := range lines(f.text(name)) {
		if fence.MatchString(line) {
			inside = !inside
			continue
		}
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		if !inside && !indented {
			continue
		}
		command := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "$ "), "% ")
		command, _, _ = strings.Cut(command, " #")
		if p, ok := known.of(strings.TrimSpace(command)); ok {
			found.add(p, fromReadme, command, name, n, "")
		}
	}
	return found.commands
}

// lines iterates over the lines of a text, counted from 1.
func lines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			if n++; !yield(n, strings.TrimRight(line, "\n")) {
				return
			}
		}
	}
}
