package main

import (
	"regexp"
	"slices"
	"strings"
)

// maxTries is how often a tool is looked for.
const maxTries = 3

// wantsOf are the words with which a tool is looked for, first try first: a fixed
// function of what the agent said before it saw any definition, newest first, and of
// what its user said last. The first is the last sentence of the newest text without
// what every sentence has; then those of the texts before it and the six longest
// words of the newest, and the six longest of the user.
func wantsOf(texts []string, user string) (wants []string) {
	var all []string
	for _, text := range texts {
		all = append(all, wantOf(lastSentence(text)))
	}
	if len(texts) > 0 {
		all = slices.Insert(all, min(2, len(all)), wantOf(otherWords(bare(texts[0]))))
	}
	fromUser := wantOf(otherWords(bare(user)))
	if len(all) >= maxTries {
		all[maxTries-1] = fromUser
	} else {
		all = append(all, fromUser)
	}
	for _, want := range all {
		if want != "" && !slices.Contains(wants, want) && len(wants) < maxTries {
			wants = append(wants, want)
		}
	}
	return wants
}

var (
	// sentenceEnd is where a sentence ends.
	sentenceEnd = regexp.MustCompile(`[.!?:。！？]+(\s+|$)|\n+`)
	// quoted is a name of something in particular: of a tool, or a value.
	quoted = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|“[^”]*”|\\*\\*")
	// searching is what an agent says when it looks for a tool.
	searching = regexp.MustCompile(`(?i)\b(search(ing)?|look(ing)?) (\w+ )?for\b`)
)

// lastSentence is the last sentence that wants something.
func lastSentence(text string) string {
	all := sentenceEnd.Split(text, -1)
	for _, s := range slices.Backward(all) {
		if wantOf(s) != "" {
			return s
		}
	}
	return ""
}

// bare is a text without names of something in particular.
func bare(text string) string {
	text = quoted.ReplaceAllString(text, " ")
	return searching.ReplaceAllString(text, " ")
}

// wantWords is the most words of a want.
const wantWords = 8

// wantOf is what is wanted, of a sentence: its words but those that every sentence
// has, and those that are values (paths, numbers, names with an underscore).
func wantOf(sentence string) string {
	var words []string
	for _, w := range strings.Fields(bare(sentence)) {
		w = strings.Trim(w, `.,;:!?()[]{}"'*-`)
		if w == "" || strings.ContainsAny(w, "/_@0123456789\\<>=") || slices.Contains(filler, strings.ToLower(w)) || strings.Contains(w, "'") {
			continue
		}
		words = append(words, w)
	}
	return strings.Join(words[:min(wantWords, len(words))], " ")
}

// filler are words that say nothing of what is wanted.
var filler = strings.Fields(`a an the this that these those it its i me my we us our you your
	to of in on at by for from with into about as and or but if so then than also both all any some more most other
	is are was were be been being do does did have has had can could will would should may might must
	let now first next great perfect good okay ok sure please try trying start starting begin going using use used need needs
	want find found help helpful tool tools server servers appropriate relevant right suitable available different another better
	approach specific specifically task information which what who how when where there here not no yes get see one two few
	hi hello thanks thank sorry hold moment while just like able provide`)

// routeWords are the words of a query to the search of LiveMCPBench: what it says of
// the tool, without the markup.
func routeWords(query string) string {
	_, words, ok := strings.Cut(query, "tool:")
	if !ok {
		words = query
	}
	words, _, _ = strings.Cut(words, "\n")
	return strings.NewReplacer("+", " ", "</tool_assistant>", " ").Replace(words)
}
