package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Machine says what is there of what skills need. Nothing is started for that: interpreters
// and programs are looked up in PATH, modules in the folders where package managers put them.
// It remembers what it has looked up: make a new one to look again. It is not safe for
// concurrent use.
type Machine struct {
	Home      string
	LookupEnv func(string) (string, bool)
	// Hide reports whether a path is one of our own views; it may be nil.
	Hide func(path string) bool

	programs map[string]string
	modules  map[string]bool // names in the folders of Python's modules
	packages []string        // folders of Node's packages
}

// Has reports whether a need of the skill in a folder is met.
func (m *Machine) Has(n Need, dir string) bool {
	switch n.Kind {
	case Python:
		return m.hasPython(n.Name)
	case Node:
		return m.hasNode(n.Name, dir)
	}
	return m.program(n.Name) != ""
}

func (m *Machine) hides(dir string) bool { return !filepath.IsAbs(dir) || m.Hide != nil && m.Hide(dir) }

// list returns the folders that a variable names.
func (m *Machine) list(variable string) []string {
	value, _ := m.LookupEnv(variable)
	return filepath.SplitList(value)
}

// program returns the path of a program in PATH; "" if it is not there.
func (m *Machine) program(name string) string {
	if path, ok := m.programs[name]; ok {
		return path
	}
	found := ""
	for _, dir := range m.list("PATH") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); !m.hides(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = path
			break
		}
	}
	if m.programs == nil {
		m.programs = make(map[string]string)
	}
	m.programs[name] = found
	return found
}

// prefix returns the folder below whose bin a program is really installed, or "".
func (m *Machine) prefix(program string) string {
	real, err := filepath.EvalSymlinks(m.program(program))
	if err != nil || real == "" {
		return ""
	}
	return filepath.Dir(filepath.Dir(real))
}

// maxNames is how many names of a folder of modules are looked at.
const maxNames = 20_000

// hasPython reports whether a folder of modules of the Python in PATH has one: those of its
// installation, of the distribution, of the user, and of an active environment, by the layout
// that package site of Python documents (docs.python.org/3/library/site.html) and Debian's.
func (m *Machine) hasPython(name string) bool {
	if m.modules == nil {
		m.modules = make(map[string]bool)
		dirs := m.list("PYTHONPATH")
		prefixes := slices.Concat(m.list("VIRTUAL_ENV"), m.list("CONDA_PREFIX"), []string{
			filepath.Dir(filepath.Dir(m.program("python3"))), filepath.Dir(filepath.Dir(m.program("python"))), m.prefix("python3"), m.prefix("python"),
			filepath.Join(m.Home, ".local"), "/usr", "/usr/local", filepath.Join(m.Home, "Library/Python/3*"),
		})
		for _, prefix := range prefixes {
			for _, modules := range []string{"site-packages", "dist-packages"} {
				found, _ := filepath.Glob(filepath.Join(prefix, "lib*/python*", modules))
				dirs = append(dirs, found...)
			}
		}
		slices.Sort(dirs)
		for _, dir := range slices.Compact(dirs) {
			if m.hides(dir) {
				continue
			}
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

// hasNode reports whether Node would find a package from a folder, or it is installed for
// all programs (nodejs.org/api/modules.html).
func (m *Machine) hasNode(name, dir string) bool {
	if m.packages == nil {
		m.packages = append(m.list("NODE_PATH"), "/usr/lib/node_modules", "/usr/local/lib/node_modules", "/usr/share/nodejs", filepath.Join(m.Home, "node_modules"))
		if prefix := m.prefix("node"); prefix != "" {
			m.packages = append(m.packages, filepath.Join(prefix, "lib/node_modules"))
		}
	}
	folders := slices.Clone(m.packages)
	for at := dir; at != "" && at != filepath.Dir(at); at = filepath.Dir(at) {
		folders = append(folders, filepath.Join(at, "node_modules"))
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return !m.hides(folder) && err == nil && info.IsDir()
	})
}
