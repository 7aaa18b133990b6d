package render

import (
	"path"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// run is a command that builds, tests or checks, and how it went.
type run struct {
	Line string `json:"c"`
	// Worked and Failed are when it last did, in seconds since 1970, and Seq is the
	// number of the last call; 0 if it never did, or the time is not known.
	Worked int64 `json:"w,omitempty"`
	Failed int64 `json:"f,omitempty"`
	Seq    int   `json:"n"`
	// OK and Bad are how often it worked and failed; Last is set if it worked last.
	OK   int  `json:"ok,omitempty"`
	Bad  int  `json:"bad,omitempty"`
	Last bool `json:"last,omitempty"`
	// Error is a line of the last failure.
	Error string `json:"e,omitempty"`
}

// runs are the commands of a session, in the order of their last calls.
type runs struct {
	List []run `json:"list,omitempty"`
}

// maxRuns is how many commands are kept.
const maxRuns = 16

// add records a call of a command that has ended.
func (r *runs) add(line string, seq int, at int64, output string, failed bool) {
	one := run{Line: line}
	if i := slices.IndexFunc(r.List, func(o run) bool { return o.Line == line }); i >= 0 {
		one = r.List[i]
		r.List = slices.Delete(r.List, i, i+1)
	}
	one.Seq, one.Last = seq, !failed
	if failed {
		one.Bad++
		one.Failed, one.Error = at, errorLine(output)
	} else {
		one.OK++
		one.Worked, one.Error = at, ""
	}
	if len(r.List) == maxRuns {
		r.List = slices.Delete(r.List, 0, 1)
	}
	r.List = append(r.List, one)
}

// runLine returns what is recorded of a command line that builds, tests or checks, for a
// session in a folder: with the folder below that one to which it changes first, and
// without what its output is piped into; "" for any other command. Piped reports whether
// its exit code is that of another program, which has not seen its last lines.
func runLine(command, cwd string) (line string, piped bool) {
	command = strings.TrimSpace(clean.Prefix(command, 2000))
	dir := "."
	for strings.HasPrefix(command, "cd ") {
		to, rest, ok := strings.Cut(strings.TrimPrefix(command, "cd "), "&&")
		to = strings.Trim(strings.TrimSpace(to), `"'`)
		if !ok || strings.ContainsAny(to, "$`~*") {
			return "", false
		}
		if command = strings.TrimSpace(rest); path.IsAbs(to) {
			below, ok := strings.CutPrefix(path.Clean(to)+"/", strings.TrimSuffix(path.Clean(cwd), "/")+"/")
			if cwd == "" {
				below, ok = "", true // it is not known where the session is
			}
			if !ok {
				return "", false
			}
			dir = path.Clean(below)
			continue
		}
		if dir = path.Join(dir, to); dir == ".." || strings.HasPrefix(dir, "../") {
			return "", false
		}
	}
	for _, end := range []string{" | ", " 2>&1", " 2>/dev/null", "; echo"} {
		before, after, ok := strings.Cut(command, end)
		if command = before; ok && !seesTheEnd(end+after) {
			piped = true
		}
	}
	if command = strings.TrimSpace(command); strings.ContainsAny(command, "\n|;<>`$") || len(command) > longWhat || !builds(command) {
		return "", false
	}
	if dir != "." {
		command = "cd " + dir + " && " + command
	}
	return clean.Line(command), piped
}

// seesTheEnd reports whether what comes after a command leaves the last lines of its
// output as they are.
func seesTheEnd(rest string) bool {
	for i, part := range strings.Split(rest, "|") {
		words := strings.Fields(part)
		if i == 0 && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(w, ">") }) {
			continue // a redirection, or nothing
		}
		if len(words) == 0 || !slices.Contains([]string{"tail", "cat", "tee"}, words[0]) {
			return false
		}
	}
	return true
}

// builds reports whether a command line builds, tests or checks a project.
func builds(command string) bool {
	for part := range strings.SplitSeq(command, "&&") {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || slices.Contains([]string{"env", "time", "timeout", "npx", "bunx", "uvx"}, words[0]) || strings.Trim(words[0], "0123456789smh") == "") {
			words = words[1:]
		}
		if len(words) > 2 && words[1] == "run" && slices.Contains([]string{"uv", "poetry", "pdm", "hatch", "rye", "mise", "pixi"}, words[0]) {
			words = words[2:]
		}
		if len(words) > 2 && words[0] == "bundle" && words[1] == "exec" || len(words) > 2 && strings.HasPrefix(path.Base(words[0]), "python") && words[1] == "-m" {
			words = words[2:]
		}
		if len(words) == 0 {
			continue
		}
		program := path.Base(words[0])
		verbs, ok := builders()[program]
		if ok && (verbs == "" || slices.ContainsFunc(words[1:], func(w string) bool { return isVerb(w, verbs) })) {
			return true
		}
	}
	return false
}

// isVerb reports whether a word is one of some verbs, or a script named after one:
// "test:unit".
func isVerb(word, verbs string) bool {
	word, _, _ = strings.Cut(word, ":")
	return slices.Contains(strings.Fields(verbs), word)
}

// builders are programs that build, test or check, with the words that make them do so;
// "" if they do nothing else.
func builders() map[string]string {
	const scripts = "build test check lint typecheck compile e2e ci"
	return map[string]string{
		"go": "build test vet generate", "cargo": "build test check clippy bench nextest", "zig": "build test", "swift": "build test",
		"npm": scripts + " t", "pnpm": scripts, "yarn": scripts, "bun": scripts, "deno": "test check lint compile task", "turbo": scripts, "nx": scripts,
		"node": "--test --check", "jest": "", "vitest": "", "mocha": "", "ava": "", "tape": "", "tap": "", "playwright": "test", "cypress": "run", "tsc": "", "eslint": "", "biome": "check lint ci", "vite": "build", "webpack": "",
		"pytest": "", "tox": "", "nox": "", "unittest": "", "ruff": "check", "mypy": "", "pyright": "", "build": "", "pre-commit": "run",
		"make": "", "gmake": "", "ninja": "", "just": "", "task": "", "cmake": "--build -B -S", "ctest": "", "meson": "compile test", "bazel": "build test", "bazelisk": "build test", "buck2": "build test",
		"mvn": "", "mvnw": "", "gradle": "", "gradlew": "", "sbt": "", "ant": "", "dotnet": "build test publish", "msbuild": "", "xcodebuild": "",
		"rake": "", "rspec": "", "rubocop": "", "phpunit": "", "composer": "test check", "pest": "", "phpstan": "", "mix": "test compile credo dialyzer",
		"stack": "build test", "cabal": "build test", "dune": "build test runtest", "lein": "test", "flutter": "test build analyze", "dart": "test analyze compile",
		"terraform": "validate plan", "helm": "lint", "golangci-lint": "run", "staticcheck": "", "shellcheck": "", "docker": "build", "nix": "build flake", "trunk": "check", "goreleaser": "check build",
	}
}
