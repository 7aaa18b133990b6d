package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

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
			if m := nodeModule.FindString(w[at+len(modules):]); m != "" {
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
var nodeModule = regexp.MustCompile(`^(@[^/]+/[^/]+|[^/@.][^/]*)`)

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
var requirement = regexp.MustCompile(`[@\[=<>~!; ].*$`)

// pythonDots are what names of Python's packages may have between words.
var pythonDots = regexp.MustCompile(`[-_.]+`)

// pythonName returns the normalized name of a package of Python.
func pythonName(spec string) string {
	return pythonDots.ReplaceAllString(strings.ToLower(requirement.ReplaceAllString(spec, "")), "-")
}
