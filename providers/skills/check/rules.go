package check

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"ctxfs/providers/internal/regexps"
)

// rule is a line of rules.tsv with a regular expression.
type rule struct {
	kind, where, what string
	re                func() *regexp.Regexp
}

// table is rules.tsv.
type table struct {
	rules       []rule
	expressions map[string]func() *regexp.Regexp
	words       map[string][]string
	wrong       map[string][2]string // a rule of the specification, and what to do
}

//go:embed rules.tsv
var rulesText string

//go:embed python.txt
var pythonModules string

// rules reads rules.tsv, when it is first asked for.
var rules = sync.OnceValue(func() *table {
	t := &table{expressions: make(map[string]func() *regexp.Regexp), words: make(map[string][]string), wrong: make(map[string][2]string)}
	var parts []string
	for line := range strings.Lines(rulesText) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if len(f) < 4 {
			continue
		}
		last := strings.NewReplacer(parts...).Replace(f[3])
		switch f[0] {
		case "part":
			parts = append(parts, "@{"+f[1]+"}", last)
		case "expression":
			t.expressions[f[1]] = regexps.Lazy(last)
		case "words":
			t.words[f[1]] = strings.Fields(last)
		case "wrong":
			t.wrong[f[1]] = [2]string{f[2], last}
		default:
			t.rules = append(t.rules, rule{f[0], f[1], f[2], regexps.Lazy(last)})
		}
	}
	return t
})

// of yields the rules for a place.
func (t *table) of(where string) func(yield func(rule) bool) {
	return func(yield func(rule) bool) {
		for _, r := range t.rules {
			if r.where == where && !yield(r) {
				return
			}
		}
	}
}

func re(name string) *regexp.Regexp { return rules().expressions[name]() }
