package find

import (
	"hash/maphash"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/find/translate"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

// The fields of a document that have different weights.
const (
	nameField        = iota
	serverField      // the name of the server or folder it belongs to
	aboutField       // how that describes itself
	summaryField     // the first sentence of the description
	descriptionField // the rest of it
	parametersField  // names of parameters
	detailsField     // descriptions of parameters
	bodyField        // longer text
	fields
)

// fieldOf returns the field for a text of a document by its name; unknown names
// are body.
func fieldOf(name string) int {
	switch name {
	case "name":
		return nameField
	case "server":
		return serverField
	case "about":
		return aboutField
	case "title":
		return summaryField
	case "description":
		return descriptionField
	case "parameters":
		return parametersField
	case "details":
		return detailsField
	}
	return bodyField
}

const (
	// maxText is how much of one text of a document is indexed, in bytes.
	maxText = 16 << 10
	// maxCount is the most that a word is counted in a field: to repeat it more often
	// does not help.
	maxCount = 12
	// whyLength is the length of the longest facts.Match.Why, in bytes.
	whyLength = 160
)

// document is a document of the index.
type document struct {
	path, title, why string
	kind, place      string
	signature, use   string
	whole            string
	known            []string
	quiet            bool
	time             time.Time
	asides           []string // stems
	sum              uint64   // of its texts
	group            uint32
	length           [fields]uint16 // words in each field
	terms            []*term
	name             []*term // the words of its name, in order
}

// analysis is a document with its words, before it is in the index.
type analysis struct {
	document
	counts map[string]*[fields]uint8
	name   []string
}

// digest returns a hash that is equal for documents with equal texts.
func digest(seed maphash.Seed, d fs.Document) uint64 {
	sum := maphash.Comparable(seed, [9]any{d.Title, d.Kind, d.Place, d.Signature, d.Use, d.Whole, strings.Join(d.Known, " "), d.Quiet, d.Time.UnixNano()})
	for name, text := range d.Fields { // the sum does not depend on the order
		sum += maphash.String(seed, name+"\x00"+text)
	}
	return sum
}

func (l *lexicon) analyse(d fs.Document, sum uint64) analysis {
	a := analysis{
		document: document{
			path: d.Path, title: clean.Line(d.Title), why: clean.Sentence(d.Fields["description"], whyLength), kind: d.Kind,
			signature: d.Signature, use: d.Use, whole: d.Whole, known: d.Known, quiet: d.Quiet, place: d.Place, time: d.Time, sum: sum,
		},
		counts: make(map[string]*[fields]uint8),
	}
	for _, w := range d.Asides {
		a.asides = append(a.asides, words.Stem(words.Fold(w)))
	}
	for name, text := range d.Fields {
		text = clean.Prefix(text, maxText)
		field := fieldOf(name)
		if field == descriptionField {
			var first string
			first, text = cutSentence(text)
			l.count(&a, summaryField, first)
		}
		l.count(&a, field, text)
	}
	if len(a.name) == 0 {
		l.count(&a, nameField, d.Title)
	}
	return a
}

func (l *lexicon) count(a *analysis, field int, text string) {
	words.Split(text, func(w words.Word) {
		if field != nameField && l.functionWords[w.Text] {
			return
		}
		s := words.Stem(w.Text)
		a.add(s, field)
		if w.Kind == words.Whole || w.Kind == words.Part {
			a.length[field] = max(a.length[field], a.length[field]+1) // without overflow
			if field == nameField {
				a.name = append(a.name, s)
			}
		}
	})
	if !words.ASCII(text) {
		l.countTranslated(a, field, text)
	}
}

// countTranslated counts the best English word for each of a text in another language.
func (l *lexicon) countTranslated(a *analysis, field int, text string) {
	for _, sense := range translate.Read(text).Senses {
		a.add(words.Stem(sense.English[0]), field)
	}
}

// add counts a word, by its stem, in a field.
func (a *analysis) add(stem string, field int) {
	c := a.counts[stem]
	if c == nil {
		c = new([fields]uint8)
		a.counts[stem] = c
	}
	if c[field] < maxCount {
		c[field]++
	}
}

// cutSentence splits a text after its first sentence.
func cutSentence(text string) (first, rest string) {
	text = strings.TrimSpace(text)
	for i, r := range text {
		ends := r == '。' || r == '\n' && strings.HasPrefix(text[i+1:], "\n") ||
			(r == ' ' || r == '\n') && i > 0 && text[i-1] == '.'
		if ends {
			return text[:i], text[i:]
		}
	}
	return text, ""
}
