package need

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Machine says what is there. It remembers what it has looked up: make a new one to look
// again. It is not safe for concurrent use.
type Machine struct {
	opts     Options
	programs map[string]string
	modules  map[string]bool // names in the folders of Python's modules
	packages []string        // folders of Node's packages
}

// Options are the surroundings of a [Machine].
type Options struct {
	Home      string
	LookupEnv func(string) (string, bool)
	// Hide reports whether a path is one of our own views; it may be nil.
	Hide func(path string) bool
}

// NewMachine returns a Machine that has looked up nothing.
func NewMachine(opts Options) *Machine {
	return &Machine{opts: opts, programs: make(map[string]string)}
}

// Has reports whether a need of the skill in a folder is met.
func (m *Machine) Has(n Need, dir string) bool {
	switch n.Kind {
	case Python:
		return m.hasPython(n.Name)
	case Node:
		return m.hasNode(n.Name, dir)
	}
	return m.Program(n.Name) != ""
}

// Program returns the path of a program in PATH; "" if it is not there.
func (m *Machine) Program(name string) string {
	if path, ok := m.programs[name]; ok {
		return path
	}
	list, _ := m.opts.LookupEnv("PATH")
	found := ""
	for _, dir := range filepath.SplitList(list) {
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) || m.opts.Hide != nil && m.opts.Hide(dir) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = path
			break
		}
	}
	m.programs[name] = found
	return found
}

// maxNames is how many names of a folder of modules are looked at.
const maxNames = 20_000

// hasPython reports whether a folder of modules of the Python in PATH has one: those of its
// installation, of the distribution, of the user, and of an active environment.
func (m *Machine) hasPython(name string) bool {
	if m.modules == nil {
		m.modules = make(map[string]bool)
		for _, dir := range m.pythonFolders() {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries[:min(len(entries), maxNames)] {
				module, _, _ := strings.Cut(e.Name(), ".") // x, x.py, x.cpython-311-x86_64-linux-gnu.so
				if !strings.HasSuffix(e.Name(), ".dist-info") && !strings.HasSuffix(e.Name(), ".pth") {
					m.modules[module] = true
				}
			}
		}
	}
	return m.modules[name]
}

// pythonFolders returns the folders with modules, by the layout that package site of
// Python documents (docs.python.org/3/library/site.html) and Debian's.
func (m *Machine) pythonFolders() (all []string) {
	var prefixes []string
	if env, ok := m.opts.LookupEnv("VIRTUAL_ENV"); ok && filepath.IsAbs(env) {
		prefixes = append(prefixes, env)
	}
	if env, ok := m.opts.LookupEnv("CONDA_PREFIX"); ok && filepath.IsAbs(env) {
		prefixes = append(prefixes, env)
	}
	for _, name := range []string{"python3", "python"} {
		program := m.Program(name)
		if program == "" {
			continue
		}
		prefixes = append(prefixes, filepath.Dir(filepath.Dir(program)))
		if real, err := filepath.EvalSymlinks(program); err == nil {
			prefixes = append(prefixes, filepath.Dir(filepath.Dir(real)))
		}
	}
	prefixes = append(prefixes, filepath.Join(m.opts.Home, ".local"), "/usr", "/usr/local")
	var patterns []string
	for _, prefix := range prefixes {
		for _, lib := range []string{"lib", "lib64"} {
			patterns = append(patterns, filepath.Join(prefix, lib, "python3*", "site-packages"), filepath.Join(prefix, lib, "python3*", "dist-packages"))
		}
	}
	patterns = append(patterns, filepath.Join(m.opts.Home, "Library/Python/3*/lib/python/site-packages"))
	if path, ok := m.opts.LookupEnv("PYTHONPATH"); ok {
		all = append(all, filepath.SplitList(path)...)
	}
	for _, pattern := range patterns {
		dirs, _ := filepath.Glob(pattern)
		all = append(all, dirs...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(dir string) bool { return !filepath.IsAbs(dir) || m.opts.Hide != nil && m.opts.Hide(dir) })
}

// hasNode reports whether Node would find a package from a folder, or it is installed for
// all programs (nodejs.org/api/modules.html).
func (m *Machine) hasNode(name, dir string) bool {
	if m.packages == nil {
		m.packages = []string{"/usr/lib/node_modules", "/usr/local/lib/node_modules", "/usr/share/nodejs"}
		if program := m.Program("node"); program != "" {
			if real, err := filepath.EvalSymlinks(program); err == nil {
				m.packages = append(m.packages, filepath.Join(filepath.Dir(filepath.Dir(real)), "lib/node_modules"))
			}
		}
		if path, ok := m.opts.LookupEnv("NODE_PATH"); ok {
			m.packages = append(m.packages, filepath.SplitList(path)...)
		}
		m.packages = append(m.packages, filepath.Join(m.opts.Home, "node_modules"))
	}
	folders := slices.Clone(m.packages)
	for at := dir; at != "" && at != filepath.Dir(at); at = filepath.Dir(at) {
		folders = append(folders, filepath.Join(at, "node_modules"))
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		if m.opts.Hide != nil && m.opts.Hide(folder) {
			return false
		}
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && info.IsDir()
	})
}
