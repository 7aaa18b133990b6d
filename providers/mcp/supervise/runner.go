package supervise

import (
	"path/filepath"
	"slices"
	"strings"
)

// runners are the programs that install what they run. Words are those that
// follow the program's name; options takes the package from an option, if one
// of them is there, and values are options whose value is no package.
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
	// Key is the same for two commands that install the same: the runner and
	// the package, also where they stand in the line of a shell. A command
	// without a runner is its own key, which its user may replace.
	Key string
	// Runner says that the command is that of a package runner.
	Runner bool
}

// PackageOf recognizes what a command may install.
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

// packagesOf finds the packages among the words behind a runner.
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

// shellWords are the words of a command. Those of a shell's -c are in their
// place, as far as they can be told without a shell.
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
