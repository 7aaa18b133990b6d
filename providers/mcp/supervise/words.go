package supervise

import (
	"regexp"
	"strings"

	"ctxfs/providers/internal/regexps"
)

// Lines of a standard error that do not say why a program has exited.
var (
	noise = regexps.Lazy(`^(Node\.js v[\d.]+|Bun v[\d.]+.*|npm (notice|warn|WARN)\b.*|npm (error|ERR!)\s*$|` +
		`npm (error|ERR!) (A complete log of this run|\s+/.*_logs/|Log files were not written|For a full report see).*|` +
		`(Require|Import) stack:|Traceback \(most recent call last\):|goroutine \d+ \[.*|exit status \d+|error Command failed.*|` +
		`\(Use .node --trace-.* to show where the warning was created\)|\(node:\d+\) .*Warning:.*|throw \w+;?|note: run with .RUST_BACKTRACE.*|` +
		`(Usage|usage|USAGE):.*|[\s^~|{}()\[\];,.*=+-]*)$`)
	frame = regexps.Lazy(`^(\s+at .*|- /.*|node:[\w/:]+:\d+|(file://)?/[^ ]*:\d+(:\d+)?|\s+File ".*", line \d+.*|` +
		`\s*(code|errno|syscall|path|requireStack|dest|spawnargs|generatedMessage|actual|expected|operator|url): .*|created by .*|\s+/.*:\d+( \+0x.*)?)$`)
	// named is an error with its type, as languages print an uncaught one.
	named = regexps.Lazy(`^(Uncaught )?(\[?[\w.$]*(Error|Exception|Panic)( \[\w+\])?\]?|panic|fatal|FATAL|[Ff]atal error|[Ee]rror|ERROR|thread '.*' panicked)\b( at .*)?:`)
	// spoken is a line that mentions a fault.
	spoken = regexps.Lazy(`(?i)\b(error|fatal|exception|panic|cannot|can't|could not|couldn't|fail(ed|ure|s)?|missing|not (found|set|valid|defined|permitted|allowed)|` +
		`required?|invalid|denied|refused|unable|unauthorized|forbidden|no such|must|unknown|unexpected|killed|out of memory)\b`)
	npmError = regexps.Lazy(`^npm (error|ERR!) (.*)$`)
	npmCode  = regexps.Lazy(`^(code|errno|syscall|path|dest) (\S+)`)
)

// LastWords returns the line at the end of a standard error that says why the
// program has exited: the error rather than the last line, which may be the version
// of Node, a notice, or a stack frame. It returns "" if there is no line.
func LastWords(text string) string {
	var lines []string // without noise; a line of a continued block keeps its blanks
	var last string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		last = strings.TrimSpace(line)
		if !noise().MatchString(strings.TrimSpace(line)) && !frame().MatchString(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return last
	}
	if words := npmWords(lines); words != "" {
		return words
	}
	for _, says := range []*regexp.Regexp{named(), spoken()} {
		for i := len(lines) - 1; i >= 0; i-- {
			line := strings.TrimSpace(lines[i])
			if says.MatchString(line) && (says == spoken() || lines[i] == line) {
				return line
			}
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// npmWords returns the code and the first sentence of npm's error, if the lines end
// with one.
func npmWords(lines []string) string {
	code, first := "", ""
	for i := len(lines) - 1; i >= 0; i-- {
		m := npmError().FindStringSubmatch(lines[i])
		if m == nil {
			break
		}
		if c := npmCode().FindStringSubmatch(m[2]); c != nil {
			if c[1] == "code" {
				code = c[2] + ": "
			}
			continue
		}
		first = strings.TrimSpace(m[2])
	}
	if first == "" {
		return ""
	}
	if strings.Contains(first, strings.TrimSuffix(code, ": ")) {
		code = ""
	}
	return "npm error " + code + first
}
