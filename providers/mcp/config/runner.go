package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
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

// Programs returns the names by which the program of a command is known, whatever
// its version:
//
//   - "npm:PACKAGE", of npx and its like, and of a path through node_modules
//   - "pypi:PACKAGE", normalized, of uvx and pipx, and of python -m
//   - "image:NAME", of docker and podman
//   - "git:HOST/PATH", of a repository that uvx installs
//   - "program:NAME", of any other
func Programs(name string, args []string) (known []string) {
	words := shellWords(append([]string{name}, args...))
	if runner, packages := runnerIn(words); runner != "" {
		for _, p := range packages {
			known = append(known, packageName(runner, p))
		}
		return known
	}
	for _, w := range words {
		if at := strings.LastIndex(w, modules); at >= 0 {
			if m := nodeModule().FindString(w[at+len(modules):]); m != "" {
				known = append(known, "npm:"+m)
				break
			}
		}
	}
	program := path.Base(words[0])
	if i := slices.Index(words, "-m"); strings.HasPrefix(program, "python") && i > 0 && i+1 < len(words) {
		known = append(known, "pypi:"+pythonName(words[i+1]))
	}
	return append(known, "program:"+strings.TrimSuffix(program, ".exe"))
}

// modules is the folder in which npm installs packages.
const modules = "/node_modules/"

// nodeModule matches the package at the beginning of a path in that folder.
var nodeModule = regexps.Lazy(`^(@[^/]+/[^/]+|[^/@.][^/]*)`)

// packageName returns the name of a package that a runner is told to run, without
// its version.
func packageName(runner, spec string) string {
	switch runner {
	case "docker", "podman":
		image, _, _ := strings.Cut(spec, "@") // a digest
		if tag := strings.LastIndexByte(image, ':'); tag > strings.LastIndexByte(image, '/') {
			image = image[:tag]
		}
		return "image:" + strings.TrimPrefix(image, "docker.io/")
	case "uvx", "uv", "pipx":
		if address, ok := strings.CutPrefix(spec, "git+"); ok {
			_, address, _ = strings.Cut(address, "://")
			address, _, _ = strings.Cut(address, "@")
			address, _, _ = strings.Cut(address, "#")
			return "git:" + strings.TrimSuffix(strings.TrimSuffix(address, "/"), ".git")
		}
		return "pypi:" + pythonName(spec)
	}
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		spec = spec[:at]
	}
	return "npm:" + spec
}

// requirement ends the name of a package in a requirement of Python.
var requirement = regexps.Lazy(`[@\[=<>~!; ].*$`)

// pythonDots are what names of Python's packages may have between words.
var pythonDots = regexps.Lazy(`[-_.]+`)

// pythonName returns the normalized name of a package of Python.
func pythonName(spec string) string {
	return pythonDots().ReplaceAllString(strings.ToLower(requirement().ReplaceAllString(spec, "")), "-")
}
