package check

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/rules/read"
)

// vagueness is a phrase that says nothing which can be checked, with what to write
// instead. The first three are the examples of code.claude.com/docs/en/memory.
type vagueness struct {
	phrase  *regexp.Regexp
	instead string
}

// vague returns the phrases that are vague.
func vague() []vagueness {
	phrase := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + s) }
	return []vagueness{
		{phrase(`format (the |your )?code (properly|correctly|nicely)\b`), `how: "Use 2-space indentation"`},
		{phrase(`^\W*(always )?test your (changes|code)[.!]?\W*$`), `the command: "Run npm test before committing"`},
		{phrase(`keep (the )?(files|code|project) (well )?(organi[sz]ed|clean|tidy)\b`), `where what belongs: "API handlers live in src/api/handlers/"`},
		{phrase(`(follow|use|apply|adhere to|respect) (the )?(usual |general |common |industry |coding )*(best|good|standard) practices\b`), "which practices"},
		{phrase(`(write|produce|create) (only )?((clean|good|nice|elegant|high[- ]quality|readable|maintainable|robust|efficient|idiomatic|production[- ](ready|quality))(, | and |,? )?)+ ?code\b`), "what makes it so, as rules that can be checked"},
		{phrase(`handle (all )?(errors|exceptions|edge cases) (properly|correctly|appropriately|gracefully|carefully)\b`), "how: what is returned, logged or retried"},
		{phrase(`(make sure|ensure) (that )?(it|everything|all|the code|your code) works?\b( (correctly|properly|as expected))?`), "the command that shows that it works"},
		{phrase(`(be|stay) (very |always )*(careful|thoughtful|diligent|thorough|smart)[.!]`), "with what, and what must not happen"},
		{phrase(`(use|choose|pick) (meaningful|good|sensible|descriptive|appropriate|proper) (variable |function )?names\b`), "the convention, with an example"},
		{phrase(`(document|comment|test|refactor|optimi[sz]e) (the |your |all )?(code )?(as|where|when|if) (appropriate|needed|necessary|possible|applicable)\b`), "when it is needed"},
		{phrase(`(write|add) (good|proper|appropriate|enough|sufficient|adequate) (tests|comments|documentation)\b`), "for what, where, and how they are run"},
		{phrase(`use common sense\b`), "nothing: every agent has been told"},
	}
}

// link is a link of Markdown; "mdc:" is Cursor's.
var link = regexps.Lazy(`\]\(<?(?:mdc:)?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)

// span is code between backticks.
var span = regexps.Lazy("`([^`]+)`")

// pathlike is a path with a folder and an extension, and nothing that is a placeholder.
var pathlike = regexps.Lazy(`^\.{0,2}/?(?:[\w@.-]+/)+[\w.-]*\w\.[A-Za-z][A-Za-z0-9]{0,5}$`)

// about is in a line whose paths need not be there: examples, and files that are made.
var about = regexps.Lazy(`(?i)\be\.g\.|\bfor example\b|\bsuch as\b|\bexamples?:|\blike this\b|→|->|\b(create[sd]?|creating|save[sd]?|write|written|generate[sd]?|output|produce[sd]?)\b`)

// placeholder is in a name that stands for others, or of a file that a build makes.
var placeholder = regexps.Lazy(`(?i)(^|[/._-])(foo|bar|baz|example|sample|my|your|some|x+|n+|yyyy|path/to)([/._-]|$)|^(\./)?(dist|build|out|target|coverage|node_modules|tmp|generated)/|[A-Z]{3,}_?NAME`)

// text finds vague phrases, and names of files that are not there.
func (c *checker) text() {
	phrases := vague()
	number := c.bodyLine()
	lines := strings.Split(strings.TrimSuffix(c.file.Raw, "\n"), "\n")
	i := 0
	for prose := range read.Prose(c.file.Raw) {
		number++
		line := prose
		if i < len(lines) {
			line = lines[i]
		}
		i++
		if prose == "" {
			continue
		}
		for _, v := range phrases {
			if found := v.phrase.FindString(prose); found != "" {
				c.add(number, Vague, "say "+v.instead, "%q can be followed in any way", strings.TrimSpace(found))
				break
			}
		}
		for _, m := range link().FindAllStringSubmatch(line, -1) {
			c.mentions(number, m[1], true)
		}
		for _, m := range span().FindAllStringSubmatch(line, -1) {
			if pathlike().MatchString(m[1]) {
				if !about().MatchString(line) {
					c.mentions(number, m[1], false)
				}
			}
		}
	}
}

// mentions finds out whether a file that is mentioned is there. Of what is no link only
// that is missed whose first folder is there: it may be of another project.
func (c *checker) mentions(line int, name string, isLink bool) {
	name, _, _ = strings.Cut(name, "#")
	if name == "" || !isLink && strings.HasPrefix(name, "/") || strings.Contains(name, ":") || strings.ContainsAny(name, "*<>{}$|") || !isLink && placeholder().MatchString(name) {
		return
	}
	name = strings.ReplaceAll(name, "%20", " ")
	dir := filepath.Dir(c.file.Path)
	bases := []string{dir, c.project.Root}
	if strings.HasPrefix(name, "/") {
		bases = []string{c.project.Root, "/"}
	}
	known := isLink
	for _, base := range bases {
		if c.project.Exists(filepath.Join(base, name)) {
			return
		}
		head, _, _ := strings.Cut(strings.TrimLeft(path.Clean(name), "./"), "/")
		known = known || c.project.Exists(filepath.Join(base, head))
	}
	below := "/" + strings.TrimPrefix(path.Clean(name), "/")
	if !isLink && slices.ContainsFunc(c.project.Files, func(file string) bool { return strings.HasSuffix(file, below) }) {
		return // of a package of the project
	}
	if known {
		c.add(line, Missing, "correct the path, or remove what says so", "%s is not there", name)
	}
}
