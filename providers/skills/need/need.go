// Package need finds what a skill needs, from what it says and from its scripts: the
// interpreters that these name, the modules that they import, the programs that they call.
// A [Machine] says which of it is there. Nothing is started for that: interpreters and
// programs are looked up in PATH, modules in the folders where package managers put them.
package need

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
)

// Kind is what is needed.
type Kind string

// The kinds.
const (
	Interpreter Kind = "interpreter"
	Program     Kind = "program"
	Python      Kind = "python" // a module of Python
	Node        Kind = "node"   // a package of Node
)

// Need is one thing that a skill needs.
type Need struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// By is the file that needs it, relative to the skill's folder; the first one.
	By string `json:"by"`
}

// List collects needs, each once.
type List struct {
	all   []Need
	known map[Need]bool
	local map[string]bool // modules that the skill has itself
}

// maxNeeds is how many needs a skill has at most.
const maxNeeds = 200

// New returns the list of a skill that has these files, named relative to its folder.
func New(files []string) *List {
	l := &List{known: make(map[Need]bool), local: make(map[string]bool)}
	for _, name := range files {
		for part := range strings.SplitSeq(strings.TrimSuffix(name, filepath.Ext(name)), "/") {
			l.local[part] = true // a script's folder, and each folder above it, may be on the path
		}
	}
	return l
}

func (l *List) add(kind Kind, name, by string) {
	key := Need{Kind: kind, Name: name}
	if name == "" || len(name) > 100 || l.known[key] || len(l.all) >= maxNeeds {
		return
	}
	l.known[key] = true
	l.all = append(l.all, Need{kind, name, by})
}

// All returns the needs: interpreters, programs, then modules, each in order of names.
func (l *List) All() []Need {
	rank := []Kind{Interpreter, Program, Python, Node}
	slices.SortStableFunc(l.all, func(a, b Need) int {
		if a.Kind != b.Kind {
			return slices.Index(rank, a.Kind) - slices.Index(rank, b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return l.all
}

// interpreters are those of scripts by their extensions.
func interpreters() map[string]string {
	return map[string]string{
		".py": "python3", ".sh": "sh", ".bash": "bash", ".zsh": "zsh", ".fish": "fish", ".js": "node", ".mjs": "node", ".cjs": "node",
		".rb": "ruby", ".pl": "perl", ".php": "php", ".ps1": "pwsh", ".lua": "lua", ".r": "Rscript", ".jl": "julia",
	}
}

// IsScript reports whether a file may be a script: by its name, or by how it begins.
func IsScript(name string, head []byte) bool {
	return interpreters()[strings.ToLower(filepath.Ext(name))] != "" || strings.EqualFold(filepath.Ext(name), ".ts") || len(head) > 2 && string(head[:2]) == "#!"
}

// Script adds what a script needs.
func (l *List) Script(name string, text string) {
	interpreter := shebang(text)
	if interpreter == "" {
		interpreter = interpreters()[strings.ToLower(filepath.Ext(name))]
	}
	l.add(Interpreter, interpreter, name)
	switch base := strings.TrimRight(interpreter, "0123456789."); {
	case base == "uv" || strings.Contains(text, "\n# /// script") || strings.HasPrefix(text, "# /// script"):
		// Its modules are installed when it is run (PEP 723).
		if base != "uv" {
			l.add(Program, "uv", name)
		}
		l.calls(name, text)
	case base == "python" || base == "pypy":
		l.python(name, text)
	case slices.Contains([]string{"node", "bun", "deno", "tsx", "ts-node"}, base) || strings.EqualFold(filepath.Ext(name), ".ts"):
		l.node(name, text)
	case slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, base):
		l.shell(name, text)
	}
}

// shebang returns the interpreter that the first line names, as it is looked up in PATH.
func shebang(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return ""
	}
	first, _, _ := strings.Cut(text[2:], "\n")
	words := strings.Fields(first)
	for i, word := range words {
		switch {
		case i == 0 && filepath.Base(word) == "env", strings.HasPrefix(word, "-"), i > 0 && strings.Contains(word, "="):
			continue
		}
		return filepath.Base(word)
	}
	return ""
}

//go:embed python.txt
var pythonModules string

// imports match lines that import a module of Python, and of Node.
var (
	imports   = regexps.Lazy(`(?m)^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b)`)
	requires  = regexps.Lazy(`(?m)(?:\brequire\(\s*|\bfrom\s+|^\s*import\s+|\bimport\(\s*)["']([^"'\n./][^"'\n]*)["']`)
	pyCalls   = regexps.Lazy(`(?:subprocess\.(?:run|call|check_call|check_output|Popen|getoutput)\(\s*\[?\s*|os\.system\(\s*|shutil\.which\(\s*)f?["']([A-Za-z][\w.+-]*)(?:["' ])`)
	nodeCalls = regexps.Lazy(`\b(?:exec|execSync|spawn|spawnSync|execFile|execFileSync)\(\s*["'` + "`" + `]([A-Za-z][\w.+-]*)["'` + "` ]")
)

func (l *List) python(name, text string) {
	for _, m := range imports().FindAllStringSubmatch(text, 500) {
		for module := range strings.SplitSeq(m[1]+m[2], ",") {
			module, _, _ = strings.Cut(strings.TrimSpace(module), " ") // import x as y
			module, _, _ = strings.Cut(module, ".")
			if module != "" && !l.local[module] && module[0] != '_' && !strings.Contains("\n"+pythonModules, "\n"+module+"\n") {
				l.add(Python, module, name)
			}
		}
	}
	l.calls(name, text)
}

// calls adds the programs that a script in Python calls.
func (l *List) calls(name, text string) {
	for _, m := range pyCalls().FindAllStringSubmatch(text, 500) {
		l.add(Program, m[1], name)
	}
}

// nodeModules are those that come with Node (nodejs.org/api).
func nodeModules() []string {
	return []string{
		"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs",
		"http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
		"string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
	}
}

func (l *List) node(name, text string) {
	for _, m := range requires().FindAllStringSubmatch(text, 500) {
		module := m[1]
		if strings.HasPrefix(module, "node:") || strings.ContainsAny(module, " :${}") || strings.HasPrefix(module, "#") {
			continue
		}
		parts := strings.SplitN(module, "/", 3)
		module = parts[0]
		if module[0] == '@' && len(parts) > 1 {
			module += "/" + parts[1]
		}
		if !slices.Contains(nodeModules(), module) {
			l.add(Node, module, name)
		}
	}
	for _, m := range nodeCalls().FindAllStringSubmatch(text, 500) {
		l.add(Program, m[1], name)
	}
}
