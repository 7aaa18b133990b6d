package mask

import (
	"slices"
	"sync"
)

// base has the rules that all maskers share; the first rule that finds a secret
// names it. It is built when the first text is masked.
var base = sync.OnceValue(func() *matcher {
	m := new(matcher)
	all := slices.Concat(tableRules(own), shapes, tableRules(derived), anchors())
	for i := range all {
		m.add(&all[i])
	}
	return m
})

// anchors returns rules for the words that locate secrets without a shape: parts of
// their names, headers, and programs that are given passwords.
func anchors() (all []rule) {
	for _, n := range list("parts of names") {
		all = append(all, rule{literal: n, act: anchored(n), fold: true})
	}
	for _, n := range list("two words") {
		all = append(all, rule{literal: n, act: twoWords(len(n)), fold: true})
	}
	all = append(all,
		rule{name: "authorization", literal: "authorization", value: authorization, fold: true},
		rule{literal: "cookie", act: (*finder).cookie, fold: true},
		rule{name: "password", literal: "identified by", value: identified, fold: true},
		rule{name: "password", literal: ":5432:", value: pgpass},
		rule{name: "password", literal: ":*:", value: pgpass},
		rule{literal: "kind", act: (*finder).manifest, fold: true},
		rule{literal: "from-literal", act: (*finder).literals},
	)
	for _, n := range list("piped") {
		all = append(all, rule{literal: n, act: (*finder).piped, fold: true})
	}
	for _, n := range list("programs") {
		all = append(all, rule{literal: n, act: (*finder).program})
	}
	return append(all, rule{literal: " login", act: (*finder).login})
}

// anchored searches for the name around a part of it, whose first and last
// bytes may not belong to the name.
func anchored(literal string) func(f *finder, at int) {
	skip := 0
	if !is(literal[0], nameBytes) {
		skip = 1
	}
	return func(f *finder, at int) { f.name(at + skip) }
}

// twoWords searches for the value of a name of two words.
func twoWords(length int) func(f *finder, at int) {
	return func(f *finder, at int) {
		to := at + length
		if i, _ := run(f.text, to, digit|under|dash); i > to {
			to = i
		} else if i, _ := run(f.text, min(len(f.text), to+1), digit); to < len(f.text) && f.text[to] == ' ' && i > to+1 {
			to = i
		}
		f.named = to
		f.assigned(assignment{text: f.text, from: at, to: to, kind: strong})
	}
}
