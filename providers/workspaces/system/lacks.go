package system

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/inside"
)

// environments are the folders in which projects keep virtual environments of Python.
func environments() []string { return []string{".venv", "venv", "env"} }

// virtual returns the Python of the virtual environment in a project; ok is false without
// one. It is not run: pyvenv.cfg says its version. Source:
// docs.python.org/3/library/venv.html.
func virtual(project *inside.Folder, dir string) (p Program, ok bool) {
	for _, name := range environments() {
		settings := project.Text(name + "/pyvenv.cfg")
		if settings == "" {
			continue
		}
		p = Program{Name: "python", Path: filepath.Join(dir, name, "bin", "python")}
		if _, err := os.Lstat(p.Path); err != nil {
			continue
		}
		for line := range strings.Lines(settings) {
			key, value, _ := strings.Cut(line, "=")
			if key = strings.TrimSpace(key); key == "version" || key == "version_info" {
				p.Version = cmp.Or(p.Version, number(value))
			}
		}
		return p, true
	}
	return Program{}, false
}

// Lacks returns what one must know of the environment before work, a line each: the
// interpreter of the project's own, programs of another version than the project asks for,
// and packages that are not installed. What is not certain is left out.
func (s System) Lacks(dir string) (lines []string) {
	if i := slices.IndexFunc(s.Programs, func(p Program) bool { return strings.HasPrefix(p.Path, dir+"/") }); i >= 0 {
		p := s.Programs[i]
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s", clean.Path(strings.TrimPrefix(p.Path, dir+"/"), 100), p.Version)))
	}
	for _, w := range s.Wanted {
		has, ok := s.has(w.Program)
		switch {
		case !ok && isWord(w.Version):
			lines = append(lines, fmt.Sprintf("%s %s is wanted (%s), and not on the PATH", w.Program, w.Version, w.Source))
		case w.Program != "go" && isOlder(has, w.Version): // go fetches what it lacks
			lines = append(lines, fmt.Sprintf("%s %s is wanted (%s), %s is on the PATH", w.Program, w.Version, w.Source, has))
		}
	}
	for _, d := range s.Dependencies {
		var names []string
		for _, p := range d.Packages {
			if p.Installed == missing && isWord(p.Name) {
				names = append(names, p.Name)
			}
		}
		if len(names) > 0 {
			lines = append(lines, fmt.Sprintf("not installed of %s: %s (%d of %d)", d.Manifest, wording.List(names, 4), len(names), d.Declared))
		}
	}
	return lines
}

// isWord reports whether a text is a name or a version, and no sentence that may address
// its readers.
func isWord(text string) bool { return len(text) <= 60 && !strings.ContainsAny(text, " \t") }

// has returns the version of a program that a project asks for by its language's name; ok
// is false if it asks for none, and the version "" if it is not known.
func (s System) has(language string) (version string, ok bool) {
	names := map[string][]string{"python": {"python", "python3"}, "rust": {"rustc"}}[language]
	if names == nil {
		names = []string{language}
	}
	for _, name := range names {
		if i := slices.IndexFunc(s.Programs, func(p Program) bool { return p.Name == name }); i >= 0 {
			return s.Programs[i].Version, true
		}
	}
	return "", !slices.ContainsFunc(tools(), func(t tool) bool { return slices.Contains(names, t.name) }) // it was not looked for
}

// isOlder reports whether a version is certainly older than the one that is wanted: ">=22",
// "^20.1", "3.11". Of a wish in words or with alternatives that is not certain.
func isOlder(version, wanted string) bool {
	wanted = strings.TrimLeft(strings.TrimSpace(wanted), ">=^~v ")
	wanted, _, _ = strings.Cut(wanted, ",")
	if version == "" || wanted == "" || strings.Trim(wanted, "0123456789.") != "" {
		return false
	}
	return slices.Compare(numbers(version), numbers(wanted)) < 0 && !strings.HasPrefix(wanted+".", version+".")
}

// numbers returns the numbers of a version, up to the first part that is not a
// number.
func numbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		all = append(all, n)
	}
	return all
}
