package check

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// NeedKind is what is needed.
type NeedKind string

// The kinds.
const (
	Interpreter NeedKind = "interpreter"
	Program     NeedKind = "program"
	Python      NeedKind = "python" // a module of Python
	Node        NeedKind = "node"   // a package of Node
)

// Need is one thing that a skill needs, as it says itself or its scripts show: the
// interpreters that these name, the modules that they import, the programs that they call.
type Need struct {
	Kind NeedKind `json:"kind"`
	Name string   `json:"name"`
	// By is the file that needs it, relative to the skill's folder; the first one.
	By string `json:"by"`
}

// needs collects needs, each once.
type needs struct {
	all   []Need
	known map[Need]bool
	local map[string]bool // modules that the skill has itself
}

// maxNeeds is how many needs a skill has at most.
const maxNeeds = 200

// newNeeds returns the needs of a skill that has these files, named relative to its folder.
func newNeeds(files []string) *needs {
	l := &needs{known: make(map[Need]bool), local: make(map[string]bool)}
	for _, name := range files {
		for part := range strings.SplitSeq(strings.TrimSuffix(name, filepath.Ext(name)), "/") {
			l.local[part] = true // a script's folder, and each folder above it, may be on the path
		}
	}
	return l
}

func (l *needs) add(kind NeedKind, name, by string) {
	key := Need{Kind: kind, Name: name}
	if name == "" || len(name) > 100 || l.known[key] || len(l.all) >= maxNeeds {
		return
	}
	l.known[key] = true
	l.all = append(l.all, Need{kind, name, by})
}

// sorted returns the needs: interpreters, programs, then modules, each in order of names.
func (l *needs) sorted() []Need {
	rank := []NeedKind{Interpreter, Program, Python, Node}
	slices.SortStableFunc(l.all, func(a, b Need) int {
		return cmp.Or(slices.Index(rank, a.Kind)-slices.Index(rank, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return l.all
}

// interpreterOf returns the interpreter of a script by its extension, or "".
func interpreterOf(name string) string {
	for _, pair := range rules().words["interpreters"] {
		if ext, interpreter, _ := strings.Cut(pair, "="); strings.EqualFold(ext, filepath.Ext(name)) {
			return interpreter
		}
	}
	return ""
}

// isScript reports whether a file may be a script: by its name, or by how it begins.
func isScript(name string, head []byte) bool {
	return interpreterOf(name) != "" || strings.EqualFold(filepath.Ext(name), ".ts") || len(head) > 2 && string(head[:2]) == "#!"
}

func (l *needs) script(name, text string) {
	interpreter := cmp.Or(shebang(text), interpreterOf(name))
	l.add(Interpreter, interpreter, name)
	language := strings.TrimRight(interpreter, "0123456789.")
	switch {
	case language == "uv" || strings.Contains("\n"+text, "\n# /// script"):
		// Its modules are installed when it is run (PEP 723).
		if language != "uv" {
			l.add(Program, "uv", name)
		}
		language = "uv"
	case language == "pypy":
		language = "python"
	case slices.Contains([]string{"bun", "deno", "tsx", "ts-node"}, language) || strings.EqualFold(filepath.Ext(name), ".ts"):
		language = "node"
	case slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, language):
		l.shell(name, text)
		return
	}
	for r := range rules().of(language) {
		for _, m := range r.re().FindAllStringSubmatch(text, 500) {
			switch found := strings.Join(m[1:], ""); r.kind {
			case "python":
				for module := range strings.SplitSeq(found, ",") {
					module, _, _ = strings.Cut(strings.TrimSpace(module), " ") // import x as y
					module, _, _ = strings.Cut(module, ".")
					if module != "" && !l.local[module] && module[0] != '_' && !strings.Contains("\n"+pythonModules, "\n"+module+"\n") {
						l.add(Python, module, name)
					}
				}
			case "node":
				if module := packageOf(found); !slices.Contains(rules().words["nodeModules"], module) {
					l.add(Node, module, name)
				}
			default:
				l.add(Program, found, name)
			}
		}
	}
}

// packageOf returns the package of Node that a module is in; "" if it is in none.
func packageOf(module string) string {
	if strings.HasPrefix(module, "node:") || strings.ContainsAny(module, " :${}") || strings.HasPrefix(module, "#") {
		return ""
	}
	parts := strings.SplitN(module, "/", 3)
	if module[0] == '@' && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// shebang returns the interpreter that the first line names, as it is looked up in PATH.
func shebang(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return ""
	}
	first, _, _ := strings.Cut(text[2:], "\n")
	for i, word := range strings.Fields(first) {
		if !(i == 0 && filepath.Base(word) == "env" || strings.HasPrefix(word, "-") || i > 0 && strings.Contains(word, "=")) {
			return filepath.Base(word)
		}
	}
	return ""
}

// said adds the programs that a skill says it needs, in the file that says it: of
// "Requires git, jq and access to the internet" git and jq. Alternatives are not added.
func (l *needs) said(name, text string) {
	for _, m := range re("requirement").FindAllStringSubmatch(text, 10) {
		for _, item := range re("joint").Split(re("release").ReplaceAllString(m[1], ""), 50) {
			item = strings.Trim(item, " \t\"'`")
			for before := ""; before != item; {
				before, item = item, re("around").ReplaceAllString(item, "")
			}
			switch lower := strings.ToLower(item); lower {
			case "python":
				l.add(Interpreter, "python3", name)
				continue
			case "node", "node.js", "nodejs":
				l.add(Interpreter, "node", name)
				continue
			case "git", "docker", "ffmpeg", "pandoc":
				item = lower
			}
			if re("named").MatchString(item) && !slices.Contains(rules().words["builtins"], item) && !slices.Contains(rules().words["ordinary"], item) {
				l.add(Program, item, name)
			}
		}
	}
}
