package config

import (
	"path/filepath"
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
	// Runner reports that the command runs a package runner.
	Runner bool
}

// PackageOf returns what a command may install.
func PackageOf(name string, args []string) Package {
	runner, packages := runnerIn(shellWords(append([]string{name}, args...)))
	if runner != "" {
		return Package{strings.Join(append([]string{runner}, packages...), "\x00"), true}
	}
	return Package{Key: strings.Join(append([]string{name}, args...), "\x00")}
}

// runnerIn returns the package runner in the words of a command, or "", and the
// packages that it runs, sorted.
func runnerIn(words []string) (runner string, packages []string) {
	for i := range words {
		for _, r := range runners {
			if filepath.Base(words[i]) != r.program || !hasPrefix(words[i+1:], r.words) {
				continue
			}
			if found := packagesOf(words[i+1+len(r.words):], r.options, r.values); len(found) > 0 {
				return r.program, found
			}
		}
	}
	return "", nil
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
