package system

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
)

// maxFile is how much is read of a file that says a version, in bytes.
const maxFile = 64 << 10

// read returns the text of a small regular file, or "".
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

// isGuest reports whether a program lies among those of an interpreter whose version
// is not its own.
func isGuest(name string) bool {
	return slices.Contains([]string{"pip", "pipx", "poetry", "npm", "pnpm", "yarn", "tsc", "bundle", "composer"}, name)
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
