package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// Suspect is something suspicious: text that readers do not see, an instruction to send data
// away or to weaken safety, a script that fetches code and runs it, a tool beyond what a
// skill is for.
//
// It is a word for a person who decides, and no verdict: nothing is hidden or refused
// because of it. So that they are read, there are few: what stands in quotation marks or
// after "never" counts as an example, and the installers of well-known programs are known.
type Suspect struct {
	// File is relative to the skill's folder.
	File string `json:"file"`
	// Line is where, from 1; 0 if that is no line.
	Line int `json:"line,omitempty"`
	// Kind is what it does: hidden, not seen by those who read the file; sends, sends data
	// away; weaken, weakens safety; runs, runs code that it fetches or conceals; tools, may use
	// more than it seems to need.
	Kind string `json:"kind"`
	What string `json:"what"`
	// Text is the passage, cleaned and short; it may be "".
	Text string `json:"text,omitempty"`
}

const (
	// maxFindings is how many findings of one kind one file has.
	maxFindings = 5
	// textLen is the most of a passage that is quoted, in bytes.
	textLen = 160
)

// finder looks at one file.
type finder struct {
	name  string
	found []Suspect
	count map[string]int
}

func (f *finder) add(line int, kind, what, text string) {
	if slices.ContainsFunc(f.found, func(o Suspect) bool { return line > 0 && o.Line == line && o.Kind == kind && o.What == what }) {
		return
	}
	if f.count[kind]++; f.count[kind] <= maxFindings {
		f.found = append(f.found, Suspect{f.name, line, kind, what, clean.Cut(clean.Line(text), textLen)})
	}
}

// Suspects returns what is suspicious in the text of a file of a skill.
func Suspects(name string, text []byte) []Suspect {
	f := &finder{name: name, count: make(map[string]int)}
	f.hidden(string(text))
	if isProse(name) {
		f.prose(string(text))
	} else {
		f.script(string(text))
	}
	slices.SortStableFunc(f.found, func(a, b Suspect) int { return a.Line - b.Line })
	return f.found
}

// isProse reports whether a file is read rather than run.
func isProse(name string) bool {
	return slices.Contains([]string{".md", ".mdx", ".mdc", ".txt", ".rst", ".toml", ""}, strings.ToLower(filepath.Ext(name)))
}

// line returns the number of the line at an offset.
func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// lineAt returns the line at an offset.
func lineAt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return text[begin : at+end]
	}
	return text[begin:]
}

// hidden finds characters that are not seen, one finding for all of one sort.
func (f *finder) hidden(text string) {
	text = re("flag").ReplaceAllString(text, "") // of a region, which ends with tags
	for _, where := range []string{"any", "many"} {
		for r := range rules().of(where) {
			all := r.re().FindAllStringIndex(text, -1)
			if len(all) == 0 || where == "many" && len(all) < 4 { // single ones choose the form of a Han character
				continue
			}
			one, what, _ := strings.Cut(r.what, "|")
			if len(all) == 1 {
				what = one
			}
			f.add(line(text, all[0][0]), r.kind, fmt.Sprintf("has %d %s", len(all), what), "")
		}
	}
}

// prose looks at a text that is read: its words outside of code, and its code.
func (f *finder) prose(text string) {
	code := re("code").FindAllStringIndex(text, -1)
	inCode := func(at int) bool {
		return slices.ContainsFunc(code, func(c []int) bool { return c[0] <= at && at < c[1] })
	}
	for r := range rules().of("prose") {
		for _, m := range r.re().FindAllStringIndex(text, maxFindings+1) {
			if isFlag := strings.HasPrefix(text[m[0]:], "--"); isFlag || !inCode(m[0]) && !isExample(text, m[0], m[1]) {
				f.add(line(text, m[0]), r.kind, r.what, lineAt(text, m[0]))
			}
		}
	}
	f.sends(text, code)
	shown := func(from, to int) bool { return !isExample(text, from, to) }
	f.commands(text, shown)
	for _, c := range code {
		f.flow(text, c, shown)
	}
	for _, m := range re("comment").FindAllStringIndex(text, 200) { // which a rendered page does not show
		if body := text[m[0]:m[1]]; !inCode(m[0]) && re("speaking").MatchString(body) {
			f.add(line(text, m[0]), "hidden", "has a comment with instructions, which readers do not see", body)
		}
	}
}

// script looks at a text that is run.
func (f *finder) script(text string) {
	runs := func(from, _ int) bool {
		l := strings.TrimSpace(lineAt(text, from))
		return !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "*")
	}
	f.commands(text, runs)
	f.flow(text, []int{0, len(text)}, runs)
}

func (f *finder) commands(text string, counts func(from, to int) bool) {
	for r := range rules().of("command") {
		for _, m := range r.re().FindAllStringIndex(text, 4*maxFindings) {
			if l := lineAt(text, m[0]); counts(m[0], m[1]) && (r.kind != "runs" || !re("installers").MatchString(l)) {
				f.add(line(text, m[0]), r.kind, r.what, l)
			}
		}
	}
}

// isExample reports whether a passage is quoted, or named as what not to do.
func isExample(text string, from, to int) bool {
	before := text[max(0, from-100):from]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if re("warning").MatchString(before) {
		return true
	}
	quote := strings.TrimRight(before, " *_(")
	after := strings.TrimLeft(text[to:min(len(text), to+80)], " ")
	for _, q := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"‘", "’"}, {"«", "»"}, {"„", "“"}} {
		if strings.HasSuffix(quote, q[0]) && strings.Contains(after, q[1]) {
			return true
		}
	}
	return false
}

// tools returns what is suspicious in the tools that the front matter of a file allows.
// Commands reports whether the skill has scripts or shows commands.
func tools(file string, fields map[string]any, commands bool) (found []Suspect) {
	for _, key := range []string{"allowed-tools", "tools"} {
		var all []string
		switch v := fields[key].(type) {
		case string:
			all = re("toolNames").FindAllString(v, -1)
		case []any:
			for _, item := range v {
				if s, ok := item.(string); ok {
					all = append(all, s)
				}
			}
		}
		for _, tool := range all {
			switch {
			case re("wide").MatchString(tool):
				found = append(found, Suspect{file, 0, "tools", key + " has a tool without a limit", clean.Cut(clean.Line(tool), textLen)})
			case key == "allowed-tools" && tool == "Bash" && !commands:
				found = append(found, Suspect{file, 0, "tools", "allowed-tools has all commands, though the skill has no script and shows no command", tool})
			}
		}
	}
	return found
}
