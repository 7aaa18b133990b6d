package need

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
)

// builtins are the words that shells know themselves, and what no system lacks.
func builtins() []string {
	return strings.Fields(`. : [ [[ ]] alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done
		echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local logout
		mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time times trap true type
		typeset ulimit umask unalias unset until wait while autoload setopt unsetopt zmodload vared print
		awk basename cat chmod chown cmp comm cp cut date dd df diff dirname du env expr find grep egrep fgrep head id install ln ls mkdir
		mkfifo mktemp mv nice nl nohup od paste ps readlink realpath rm rmdir sed seq sh sleep sort split stat stty sudo sync tail tar tee
		touch tr tty uname uniq wc which who whoami xargs yes gzip gunzip sha256sum md5sum base64 clear tput hostname`)
}

var (
	// word is a program's name at the beginning of a command.
	word = regexps.Lazy(`^[A-Za-z][A-Za-z0-9_.+-]*$`)
	// defined matches the definition of a function.
	defined = regexps.Lazy(`(?m)^[ \t]*(?:function[ \t]+([\w-]+)|([\w-]+)[ \t]*\(\))`)
	// pattern matches the beginning of a branch of a case.
	pattern = regexps.Lazy(`^\(?[^()\s]+(?:\s*\|\s*[^()\s]+)*\)`)
	// looked matches a program that is looked for.
	looked = regexps.Lazy(`\b(?:command -v|which|type -P|hash)[ \t]+["']?([A-Za-z][A-Za-z0-9_.+-]*)`)
	// document matches the beginning of a here-document.
	document = regexps.Lazy(`<<-?[ \t]*["']?([A-Za-z_]\w*)["']?`)
)

// shell adds the programs that a shell script calls: the first words of its commands,
// unless it defines them. It does not parse the language: what stands in quotation marks
// over several lines, or is composed, is missed.
func (l *List) shell(name, text string) {
	known := builtins()
	for _, m := range defined().FindAllStringSubmatch(text, -1) {
		known = append(known, m[1]+m[2])
	}
	add := func(program string) {
		if !slices.Contains(known, program) && word().MatchString(program) {
			l.add(Program, program, name)
		}
	}
	for _, m := range looked().FindAllStringSubmatch(text, 500) {
		add(m[1])
	}
	until := ""
	quoted := false // within a string of several lines
	text = strings.ReplaceAll(text, "\\\n", " ")
	cases := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if until != "" {
			if line == until {
				until = ""
			}
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "case ") {
			cases++
		}
		if cases > 0 && line == "esac" {
			cases--
		}
		if cases > 0 && !quoted {
			line = pattern().ReplaceAllString(line, "")
		}
		for _, command := range commands(line, &quoted) {
			add(first(command))
		}
		if m := document().FindStringSubmatch(line); m != nil && !strings.Contains(line, "<<<") {
			until = m[1]
		}
	}
}

// first returns the first word of a command that is no assignment, keyword or prefix.
func first(command string) string {
	for _, w := range strings.Fields(command) {
		w = strings.TrimLeft(w, "({!")
		switch {
		case w == "" || strings.Contains(w, "=") && !strings.HasPrefix(w, "-"):
			continue
		case slices.Contains([]string{"if", "then", "else", "elif", "while", "until", "do", "time", "exec", "sudo", "nohup", "env", "command", "builtin", "eval", "xargs", "!"}, w):
			continue
		case strings.HasPrefix(w, "-") || strings.HasSuffix(w, "()"):
			continue
		}
		return w
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
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte('_')
		case double && c == '$' && strings.HasPrefix(line[i:], "$(") && !strings.HasPrefix(line[i:], "$(("):
			cut()
			within, double = append(within, true), false
			i++
		case double:
			if c == '"' {
				double = false
			}
		case c == '"':
			double = true
			b.WriteByte('_')
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				i = len(line)
			} else {
				i += end + 1
			}
			b.WriteByte('_')
		case strings.HasPrefix(line[i:], "$(("):
			end := strings.Index(line[i:], "))")
			if end < 0 {
				i = len(line)
			} else {
				i += end + 1
			}
		case strings.HasPrefix(line[i:], "$("), strings.HasPrefix(line[i:], "<("):
			cut()
			within = append(within, false)
			i++
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
