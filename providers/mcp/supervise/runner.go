package supervise

import (
	"crypto/sha512"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// runners are the programs that install what they run. Words are those that follow
// the program's name; options are those whose value is the package, and values
// those whose value is not.
var runners = [...]struct {
	program string
	words   []string
	options []string
	values  []string
}{
	{program: "npx", options: []string{"-p", "--package"}, values: []string{"-c", "--call", "-w", "--workspace", "--cache", "--registry", "--prefix", "--userconfig"}},
	{program: "npm", words: []string{"exec"}, options: []string{"-p", "--package"}},
	{program: "npm", words: []string{"x"}, options: []string{"-p", "--package"}},
	{program: "bunx", options: []string{"-p", "--package"}},
	{program: "bun", words: []string{"x"}, options: []string{"-p", "--package"}},
	{program: "pnpx"},
	{program: "pnpm", words: []string{"dlx"}, options: []string{"--package"}},
	{program: "yarn", words: []string{"dlx"}, options: []string{"-p", "--package"}},
	{program: "uvx", options: []string{"--from"}, values: []string{"--with", "-w", "--python", "-p", "--index", "--index-url", "--default-index", "--directory", "--env-file"}},
	{program: "uv", words: []string{"tool", "run"}, options: []string{"--from"}, values: []string{"--with", "--python", "-p"}},
	{program: "pipx", words: []string{"run"}, options: []string{"--spec"}, values: []string{"--python"}},
	{program: "docker", words: []string{"run"}, values: dockerValues},
	{program: "podman", words: []string{"run"}, values: dockerValues},
}

var dockerValues = []string{
	"-e", "--env", "-v", "--volume", "-p", "--publish", "--name", "--network", "--net", "-w", "--workdir", "-u", "--user",
	"--mount", "--env-file", "--entrypoint", "--platform", "--add-host", "-l", "--label", "-h", "--hostname", "-m", "--memory", "--cpus",
}

// Package is what a command may install.
type Package struct {
	// Key is equal for two commands that install the same package: the runner and
	// the package, also within the line of a shell. A command without a runner is
	// its own key, which the caller may replace.
	Key string
	// Runner says that the command runs a package runner.
	Runner bool
}

// PackageOf returns what a command may install.
func PackageOf(name string, args []string) Package {
	words := shellWords(append([]string{name}, args...))
	for i := range words {
		for _, r := range runners {
			if filepath.Base(words[i]) != r.program || !hasPrefix(words[i+1:], r.words) {
				continue
			}
			if found := packagesOf(words[i+1+len(r.words):], r.options, r.values); len(found) > 0 {
				return Package{strings.Join(append([]string{r.program}, found...), "\x00"), true}
			}
		}
	}
	return Package{Key: strings.Join(append([]string{name}, args...), "\x00")}
}

func hasPrefix(words, prefix []string) bool {
	return len(words) >= len(prefix) && slices.Equal(words[:len(prefix)], prefix)
}

// packagesOf returns the packages among the words after a runner.
func packagesOf(words, options, values []string) (found []string) {
	first := ""
	for i := 0; i < len(words) && first == ""; i++ {
		option, value, joined := strings.Cut(words[i], "=")
		switch {
		case words[i] == "--" && i+1 < len(words):
			first = words[i+1]
		case !strings.HasPrefix(words[i], "-"):
			first = words[i]
		case slices.Contains(options, option):
			if !joined && i+1 < len(words) {
				i++
				value = words[i]
			}
			found = append(found, value)
		case slices.Contains(values, option) && !joined:
			i++
		}
	}
	if len(found) == 0 && first != "" {
		found = []string{first}
	}
	slices.Sort(found)
	return found
}

// shellWords returns the words of a command, with a shell's -c replaced by the words
// of its script, as far as they can be recognized without a shell.
func shellWords(words []string) []string {
	switch filepath.Base(words[0]) {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
	default:
		return words
	}
	for i, w := range words[:len(words)-1] {
		if i > 0 && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") {
			return strings.FieldsFunc(words[i+1], func(r rune) bool {
				return strings.ContainsRune(" \t\n;&|()<>\"'`", r)
			})
		}
	}
	return words
}

// npxFolder matches the folder of one installation by npx in a text. Only plain
// paths match: the text is written by a foreign program, and the folder goes into a
// command that removes it.
var npxFolder = regexp.MustCompile(`(/[A-Za-z0-9._@+/ -]*/_npx/[0-9a-f]{16})(?:/|['"\s]|$)`)

// brokenInstall matches what Node and npm print where an installation is
// incomplete.
var brokenInstall = regexp.MustCompile(`Cannot find module|Cannot find package|MODULE_NOT_FOUND|ENOTEMPTY|EEXIST|EINTEGRITY|` +
	`ENOENT[^\n]*_npx|Unexpected end of JSON input|ERR_INVALID_PACKAGE_CONFIG|Invalid package config|ERR_UNSUPPORTED_DIR_IMPORT|` +
	`ENOTDIR|does not provide an export named|Invalid or unexpected token|invalid ELF header|file too short`)

// notThere matches what shells and npx print where a program does not exist.
var notThere = regexp.MustCompile(`could not determine executable to run|: not found|command not found`)

// BrokenNPX returns the folder of the incomplete installation by npx because of
// which a process has failed, or "" if that is not the cause. Text is the end of
// its standard error, env its environment. The folder exists; it can be removed,
// and npx will create it again.
func BrokenNPX(stderr string, env []string, pkg Package) string {
	if brokenInstall.MatchString(stderr) {
		for _, m := range npxFolder.FindAllStringSubmatch(stderr, -1) {
			if folder := m[1]; filepath.Clean(folder) == folder && installation(folder) {
				return folder
			}
		}
	}
	if !notThere.MatchString(stderr) {
		return ""
	}
	// The message names no folder: it is the one that npx uses for the package.
	runner, specs, ok := strings.Cut(pkg.Key, "\x00")
	if !ok || runner != "npx" && runner != "npm" {
		return ""
	}
	folder := filepath.Join(npmCache(env), "_npx", npxHash(strings.Split(specs, "\x00")))
	if !installation(folder) || strings.Contains(stderr, "npm error 404") {
		return ""
	}
	return folder
}

// npxHash returns the name of npx's folder for sorted packages.
func npxHash(specs []string) string {
	sum := sha512.Sum512([]byte(strings.Join(specs, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

// installation reports whether a folder looks like an installation by npx.
func installation(folder string) bool {
	for _, name := range []string{"node_modules", "package.json", "package-lock.json"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
