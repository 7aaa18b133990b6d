package check

import (
	"slices"
	"strings"
)

// shell adds the programs that a shell script calls: the first words of its commands,
// unless it defines them. It does not parse the language: what is composed is missed.
func (l *needs) shell(name, text string) {
	known := slices.Clone(rules().words["builtins"])
	for _, m := range re("defined").FindAllStringSubmatch(text, -1) {
		known = append(known, m[1]+m[2])
	}
	add := func(program string) {
		if !slices.Contains(known, program) && re("program").MatchString(program) {
			l.add(Program, program, name)
		}
	}
	for r := range rules().of("shell") {
		for _, m := range r.re().FindAllStringSubmatch(text, 500) {
			add(m[1])
		}
	}
	until, quoted, cases := "", false, 0 // the end of a document; a string or a case goes on
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case until != "":
			if line == until {
				until = ""
			}
			continue
		case strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "case "):
			cases++
		case line == "esac":
			cases = max(cases-1, 0)
		}
		if cases > 0 && !quoted {
			line = re("branch").ReplaceAllString(line, "")
		}
		for _, command := range commands(line, &quoted) {
			add(first(command))
		}
		if m := re("document").FindStringSubmatch(line); m != nil && !strings.Contains(line, "<<<") {
			until = m[1]
		}
	}
}

// first returns the first word of a command that is no assignment, keyword or prefix.
func first(command string) string {
	for _, w := range strings.Fields(command) {
		w = strings.TrimLeft(w, "({!")
		isOption := strings.HasPrefix(w, "-") || strings.HasSuffix(w, "()")
		if w != "" && !isOption && !strings.Contains(w, "=") && !slices.Contains(rules().words["prefixes"], w) {
			return w
		}
	}
	return ""
}

// commands returns the simple commands on a line. What stands in quotation marks is left
// out, except for substitutions in double ones; quoted says whether a string goes on from
// the line before, and to the next.
func commands(line string, quoted *bool) (all []string) {
	var b strings.Builder
	cut := func() {
		if s := strings.TrimSpace(b.String()); s != "" {
			all = append(all, s)
		}
		b.Reset()
	}
	double := *quoted
	var within []bool // for each substitution, whether it is in a string
	// To returns where the next end of something is, from an offset on.
	to := func(i int, end string) int {
		if n := strings.Index(line[i:], end); n >= 0 {
			return i + n + len(end) - 1
		}
		return len(line)
	}
	for i := 0; i < len(line); i++ {
		c, rest := line[i], line[i:]
		switch {
		case c == '\\' && len(rest) > 1:
			i++
			b.WriteByte('_')
		case strings.HasPrefix(rest, "$((") && !double:
			i = to(i, "))")
		case strings.HasPrefix(rest, "$(") && !strings.HasPrefix(rest, "$(("), strings.HasPrefix(rest, "<(") && !double:
			cut()
			within, double = append(within, double), false
			i++
		case c == '"':
			if double = !double; double {
				b.WriteByte('_')
			}
		case double:
		case c == '\'':
			i = to(i+1, "'")
			b.WriteByte('_')
		case c == ')' && len(within) > 0:
			cut()
			double, within = within[len(within)-1], within[:len(within)-1]
			b.WriteString("_ ") // what follows are arguments
		case c == '#' && (i == 0 || line[i-1] == ' '):
			i = len(line)
		case c == '|' || c == ';' || c == '&' && !strings.HasSuffix(b.String(), ">"):
			cut()
		default:
			b.WriteByte(c)
		}
	}
	*quoted = double && len(within) == 0
	cut()
	return all
}
