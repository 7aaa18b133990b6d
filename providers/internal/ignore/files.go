package ignore

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ctxfs/providers/internal/git"
)

// maxFile is how much of a file of patterns is read, in bytes.
const maxFile = 1 << 20

// Of returns the Matcher of a folder on disk: by the .gitignore files from the root of its
// repository down to it, the repository's info/exclude, and the user's patterns. In a
// folder of no repository, patterns hold as if it were the root of one.
func Of(dir string, user []byte) *Matcher {
	dir = filepath.Clean(dir)
	root := dir
	for !git.Exists(filepath.Join(root, ".git")) {
		if parent := filepath.Dir(root); parent != root {
			root = parent
			continue
		}
		root = dir
		break
	}
	private, common, _ := git.Folders(root)
	m := New(user, Read(filepath.Join(common, "info", "exclude")), Read(filepath.Join(root, ".gitignore")))
	m.tracked = readIndex(private, common)
	below, err := filepath.Rel(root, dir)
	if err != nil || below == "." {
		return m
	}
	at := root
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		m = m.In(name, Read(filepath.Join(at, ".gitignore")))
	}
	return m
}

// Read returns the content of a file of patterns, or its first mebibyte. It returns nil
// if the file does not exist, and for what git does not read: a link, a device.
func Read(path string) []byte {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return read(path)
}

func read(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe by now does not block
	if err != nil {
		return nil
	}
	defer f.Close()
	body, _ := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(body) > maxFile { // the last line may not be whole
		body = body[:bytes.LastIndexByte(body, '\n')+1]
	}
	return body
}

// User returns the patterns of a user for all repositories, given the home folder and
// the folder of configurations, $XDG_CONFIG_HOME or ~/.config: those of the file that
// core.excludesFile in the user's configuration of git names, or of git/ignore.
func User(home, config string) []byte {
	file := filepath.Join(config, "git", "ignore")
	for _, settings := range []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")} {
		if named := excludesFile(settings, home, 0); named != "" {
			file = named
		}
	}
	return read(file)
}

// maxIncludes is how deep configurations of git include each other.
const maxIncludes = 5

// excludesFile returns the path that a configuration of git names as core.excludesFile,
// and that it includes without a condition, or "". Source: git-config(1).
func excludesFile(settings, home string, depth int) (path string) {
	if depth > maxIncludes {
		return ""
	}
	section := ""
	for line := range strings.SplitSeq(string(read(settings)), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, line, _ = strings.Cut(name, "]")
			section, line = strings.ToLower(name), strings.TrimSpace(line)
		}
		key, value, _ := strings.Cut(line, "=")
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			path = userPath(value, filepath.Dir(settings), home)
		case "include.path":
			if included := excludesFile(userPath(value, filepath.Dir(settings), home), home, depth+1); included != "" {
				path = included
			}
		}
	}
	return path
}

// userPath returns the path that a value of a configuration is, relative to a folder.
func userPath(value, dir, home string) string {
	value = strings.TrimSpace(value)
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(quoted, `"`)
	} else if comment := strings.IndexAny(value, "#;"); comment >= 0 {
		value = strings.TrimSpace(value[:comment])
	}
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(home, below)
	}
	return git.Named(dir, []byte(value))
}
