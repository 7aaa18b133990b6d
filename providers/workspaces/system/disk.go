package system

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
)

// maxFile is how much is read of a file that says a version, in bytes.
const maxFile = 64 << 10

// read returns the text of a small regular file; "" if there is none.
func read(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	body, _ := io.ReadAll(io.LimitReader(f, maxFile))
	return clean.Text(string(body))
}

// versionOnDisk returns the version of a program by the files around it, given its path
// without links; "" if none says it.
func versionOnDisk(name, target string) string {
	home := filepath.Dir(filepath.Dir(target)) // of bin/name
	switch name {
	case "go":
		line, _, _ := strings.Cut(read(filepath.Join(home, "VERSION")), "\n")
		if version, ok := strings.CutPrefix(line, "go"); ok {
			return version
		}
	case "java":
		_, after, _ := strings.Cut(read(filepath.Join(home, "release")), "JAVA_VERSION=\"")
		if version, _, ok := strings.Cut(after, `"`); ok {
			return version
		}
	case "npm", "pnpm", "yarn", "tsc":
		return packageVersion(map[string]string{"tsc": "typescript"}[name], name, target)
	case "pip":
		found, _ := filepath.Glob(filepath.Join(home, "lib", "python3*", "site-packages", "pip-*.dist-info"))
		if len(found) == 0 {
			return ""
		}
		version, _ := strings.CutPrefix(filepath.Base(found[0]), "pip-")
		return strings.TrimSuffix(version, ".dist-info")
	}
	if isGuest(name) {
		return ""
	}
	// A folder of a version manager: …/versions/3.11.7/bin/python3.
	for part := range strings.SplitSeq(target, string(filepath.Separator)) {
		if isVersion(part) {
			return strings.TrimPrefix(part, "v")
		}
	}
	return ""
}

// isGuest reports whether a program lies among those of an interpreter, the version of
// which is not its own.
func isGuest(name string) bool {
	switch name {
	case "pip", "pipx", "poetry", "npm", "pnpm", "yarn", "tsc", "bundle", "composer":
		return true
	}
	return false
}

// packageVersion returns the version of the npm package that has a script, by the
// package.json above it, which must have one of the names.
func packageVersion(name, other, script string) string {
	const most = 4 // folders up
	dir := filepath.Dir(script)
	for range most {
		if doc, err := jsonc.Parse([]byte(read(filepath.Join(dir, "package.json")))); err == nil {
			if named, _ := doc.Get("name"); named.Text != "" && (named.Text == name || named.Text == other) {
				version, _ := doc.Get("version")
				return clean.Line(version.Text)
			}
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

func isVersion(name string) bool {
	return regexp.MustCompile(`^v?\d+(\.\d+)+[\w.+-]*$`).MatchString(name)
}

// manager is a version manager that puts scripts on the PATH, which start the version that
// the folder asks for in which they are started.
type manager struct {
	root string
	file string // in which a folder asks for a version
}

// managerOf returns the version manager whose script a path is. Sources: the READMEs of
// pyenv, which rbenv, nodenv and goenv are like, and of asdf.
func managerOf(path string) (manager, bool) {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != "shims" {
		return manager{}, false
	}
	m := manager{root: filepath.Dir(dir)}
	switch strings.TrimPrefix(filepath.Base(m.root), ".") {
	case "pyenv":
		m.file = ".python-version"
	case "rbenv":
		m.file = ".ruby-version"
	case "nodenv":
		m.file = ".node-version"
	case "goenv":
		m.file = ".go-version"
	case "asdf":
		m.file = ".tool-versions"
	}
	return m, true
}

// resolve returns the program that a script starts in a folder, and its version; "" if that
// cannot be told by looking.
func (m manager) resolve(name, dir, home string) (path, version string) {
	for _, wanted := range m.wanted(name, dir, home) {
		if wanted == "system" || strings.ContainsAny(wanted, `/\`) || wanted == ".." {
			continue
		}
		versions := filepath.Join(m.root, "versions")
		if m.file == ".tool-versions" {
			versions = filepath.Join(m.root, "installs", plugin(name))
		}
		version = newest(versions, wanted)
		for _, bin := range []string{"bin", "go/bin"} {
			path := filepath.Join(versions, version, bin, name)
			if info, err := os.Stat(path); version != "" && err == nil && info.Mode().IsRegular() {
				return path, version
			}
		}
	}
	return "", ""
}

// wanted returns the versions for which a folder, one above it, or the user asks.
func (m manager) wanted(name, dir, home string) []string {
	if m.file == "" {
		return nil
	}
	texts := []string{}
	for at := dir; ; at = filepath.Dir(at) {
		texts = append(texts, read(filepath.Join(at, m.file)))
		if at == filepath.Dir(at) {
			break
		}
	}
	texts = append(texts, read(filepath.Join(m.root, "version")), read(filepath.Join(home, m.file)))
	for _, text := range texts {
		if m.file == ".tool-versions" {
			for line := range strings.Lines(text) {
				if words := strings.Fields(line); len(words) > 1 && words[0] == plugin(name) {
					return words[1:]
				}
			}
			continue
		}
		if words := strings.Fields(text); len(words) > 0 {
			return words
		}
	}
	return nil
}

// plugin returns the name that asdf has for what has a program.
func plugin(name string) string {
	switch name {
	case "node", "npm":
		return "nodejs"
	case "python3", "python", "pip":
		return "python"
	case "go":
		return "golang"
	case "bundle":
		return "ruby"
	case "rustc", "cargo":
		return "rust"
	}
	return name
}

// newest returns the name of the folder that is the wanted version, or the newest one of
// it: 3.11.7 for "3.11". It returns "" if there is none.
func newest(dir, wanted string) string {
	if info, err := os.Stat(filepath.Join(dir, wanted)); err == nil && info.IsDir() {
		return wanted
	}
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), wanted+".") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.MaxFunc(names, compareVersions)
}

// compareVersions compares versions by their numbers, and what is no number as text.
func compareVersions(a, b string) int {
	x, y := strings.FieldsFunc(a, isSeparator), strings.FieldsFunc(b, isSeparator)
	for i := range min(len(x), len(y)) {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		order := strings.Compare(x[i], y[i])
		if errM == nil && errN == nil {
			order = cmp.Compare(m, n)
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(len(x), len(y))
}

func isSeparator(r rune) bool { return strings.ContainsRune(".-+_", r) }
