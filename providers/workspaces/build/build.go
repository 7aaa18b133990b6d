// Package build finds out how a project is built and tested, from its manifests and task
// files. It reads files at the top of the project, and runs nothing.
package build

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/workspaces/inside"
)

const (
	// maxLine is the length of the longest command that is shown, in bytes.
	maxLine = 160
	// maxEach is how many commands there are for one purpose.
	maxEach = 3
	// maxFolders is into how many folders is looked where the top of the project has no
	// manifest.
	maxFolders = 12
)

// Purpose is what a command is for.
type Purpose string

// The purposes, in the order in which a newcomer needs them.
const (
	Install Purpose = "install" // what the project depends on
	Build   Purpose = "build"
	Test    Purpose = "test"
	Lint    Purpose = "lint"
	Run     Purpose = "run"
)

func purposes() []Purpose { return []Purpose{Install, Build, Test, Lint, Run} }

// Command is a command with which people work on a project.
type Command struct {
	Purpose Purpose
	// Line is the command for a shell, as one line of safe text without secrets.
	Line string
	// Dir is the folder in which it is run, relative to the project; "" for its top.
	Dir string
	// Sources are where it comes from: "package.json:12".
	Sources []string
	// Comment is what its source says about it; it may be "".
	Comment string

	rank rank
}

// rank orders the commands of one purpose, the lower first.
type rank int

// The ranks by source.
const (
	fromTask       rank = 10 // a task that people name: a target of make
	fromScript     rank = 20 // a script of a manifest
	fromConvention rank = 30 // what a manifest means
	variant        rank = 5  // of a task: "test:unit"
	itself         rank = -1 // of a task that is named after its purpose: "lint" before "fmt"
)

// Read returns how the project in a folder is built and tested: its commands by purpose, the
// best of each first. What it cannot read is left out; the error is that of the folder.
func Read(dir string) ([]Command, error) {
	root, err := inside.Open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	top, err := open(root, "")
	if err != nil {
		return nil, err
	}
	top.manifests()
	commands := top.commands
	if !slices.ContainsFunc(commands, func(c Command) bool { return c.Purpose == Build || c.Purpose == Test }) {
		commands = append(commands, top.below()...)
	}
	return pick(commands), nil
}

// manifests reads what stands at the top of a folder.
func (f *folder) manifests() {
	f.tasks()
	f.javascript()
	f.python()
	f.conventions()
}

// below returns the commands of the folders in this one that have a manifest.
func (f *folder) below() (commands []Command) {
	looked := 0
	for _, name := range f.folders {
		if looked == maxFolders {
			break
		}
		if strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "third_party", "testdata", "docs", "dist", "build", "target"}, name) {
			continue
		}
		sub, err := open(f.root, name)
		if err != nil {
			continue
		}
		looked++
		sub.manifests()
		commands = append(commands, sub.commands...)
	}
	return commands
}

// pick returns the best commands of each purpose and folder, each once.
func pick(all []Command) []Command {
	slices.SortStableFunc(all, func(a, b Command) int {
		return cmp.Or(cmp.Compare(slices.Index(purposes(), a.Purpose), slices.Index(purposes(), b.Purpose)), cmp.Compare(a.rank, b.rank))
	})
	var picked []Command
	count := make(map[[2]string]int)
	for _, c := range all {
		same := func(p Command) bool { return p.Line == c.Line && p.Dir == c.Dir }
		if i := slices.IndexFunc(picked, same); i >= 0 {
			if c.Purpose == picked[i].Purpose {
				picked[i].Sources = append(picked[i].Sources, c.Sources...)
			}
			continue
		}
		key := [2]string{string(c.Purpose), c.Dir}
		if count[key]++; count[key] <= maxEach {
			picked = append(picked, c)
		}
	}
	return picked
}

// String returns a command as a line of Markdown: "test: `go test ./...` (go.mod)".
func (c Command) String() string {
	const most = 2
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", c.Purpose)
	if c.Dir != "" {
		fmt.Fprintf(&b, "in %s/: ", clean.Path(c.Dir, maxLine))
	}
	fence := "`"
	if strings.Contains(c.Line, "`") {
		fence = "``"
	}
	fmt.Fprintf(&b, "%s%s%s (%s", fence, c.Line, fence, wording.List(c.Sources, most))
	if c.Comment != "" {
		b.WriteString(": " + c.Comment)
	}
	return b.String() + ")"
}

// add adds a command; line is 0 if it comes from no line of its source.
func (f *folder) add(p Purpose, rank rank, command, source string, line int, comment string) {
	command = clean.Line(mask.Text(command))
	if command == "" || len(command) > maxLine {
		return
	}
	if source = clean.Path(source, maxLine); line > 0 {
		source = fmt.Sprintf("%s:%d", source, line)
	}
	f.commands = append(f.commands, Command{
		Purpose: p, Line: command, Dir: f.name, Sources: []string{source}, Comment: clean.Cut(clean.Line(mask.Text(comment)), maxLine), rank: rank,
	})
}

// folder is a folder with manifests, and what was found in it.
type folder struct {
	root     *inside.Folder // the project
	name     string         // relative to the project; "" for its top
	folders  []string       // in it
	files    []string       // in it, sorted
	commands []Command
}

func open(root *inside.Folder, name string) (f *folder, err error) {
	f = &folder{root: root, name: name}
	f.folders, f.files, err = root.List(name)
	return f, err
}

// first returns the first of the files that exists, or "".
func (f *folder) first(names ...string) string {
	for _, name := range names {
		if _, ok := slices.BinarySearch(f.files, name); ok {
			return name
		}
	}
	return ""
}

func (f *folder) has(names ...string) bool { return f.first(names...) != "" }

// text returns the text of a file in the folder.
func (f *folder) text(name string) string { return f.root.Text(path.Join(f.name, name)) }
