package mask

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// Known holds values that are secret wherever they appear in the texts of one
// terminal: those of the shell's variables with secret names, and those assigned to
// such variables in these texts since. It is safe for concurrent use.
type Known struct {
	match  *matcher // of all rules and the environment's values
	values []string // the environment's, which are never dropped

	mu     sync.Mutex
	learnt *learnt // nil for none
	builds int     // how often learnt was built
}

// Limits of the learnt values: their number, their lengths, and all lengths
// together in bytes. Shorter ones would hide ordinary words.
const (
	maxLearnt   = 64
	leastKnown  = 6
	mostKnown   = 4 << 10
	leastOfLine = 16 // of a value of several lines
)

// NewKnown returns the values of an environment ("NAME=value") that have secret
// names.
func NewKnown(environ []string) *Known {
	k := &Known{match: base()}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if kind := kindOfName([]byte(name)); kind == nothing || !isSecretValue([]byte(name), []byte(value), kind, inAssignment) {
			continue
		}
		for _, v := range hideable(value) {
			if !slices.Contains(k.values, v) {
				k.values = append(k.values, v)
			}
		}
	}
	if len(k.values) > 0 {
		match := *base()
		for _, v := range k.values {
			match.add(&rule{name: "value", literal: v, value: func(text []byte, at int) (from, to int) {
				return wholeWord(text, at, len(v))
			}})
		}
		k.match = &match
	}
	return k
}

// Masker returns a Masker of another stream that also hides the known values.
func (k *Known) Masker() *Masker { return &Masker{known: k} }

// hideable returns the parts of a value that are hidden wherever they appear: the
// whole, or its lines.
func hideable(value string) (all []string) {
	if !strings.Contains(value, "\n") {
		if isTelling([]byte(value)) {
			all = append(all, value)
		}
		return all
	}
	for line := range strings.SplitSeq(value, "\n") {
		if line = strings.TrimSpace(line); len(line) >= leastOfLine && isTelling([]byte(line)) {
			all = append(all, line)
		}
	}
	return all
}

// learn adds the values that a text assigned. The oldest learnt values are
// dropped.
func (k *Known) learn(text []byte, assigns []span) {
	if len(assigns) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var values []string
	if k.learnt != nil {
		values = slices.Clone(k.learnt.values)
	}
	fresh := false
	for _, s := range assigns {
		for _, v := range hideable(string(text[s.from:s.to])) {
			if slices.Contains(k.values, v) || slices.Contains(values, v) {
				continue
			}
			fresh = true
			if values = append(values, v); len(values) > maxLearnt {
				values = values[1:]
			}
		}
	}
	if fresh {
		k.learnt = newLearnt(values)
		k.builds++
	}
}

// current returns what was learnt so far.
func (k *Known) current() *learnt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.learnt
}

// learnt finds the values that were learnt. It is immutable and small: it is
// built again with each value, possibly with each line of a text.
type learnt struct {
	values []string
	bits   [1 << learntBits / 32]uint32
}

const learntBits = 14

// learntStep is the distance of the four bytes that are examined: a value has
// that many possible offsets of them within its first leastKnown bytes.
const learntStep = leastKnown - 3

func learntWindow(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * scatter >> (32 - learntBits)
}

func newLearnt(values []string) *learnt {
	l := &learnt{values: values}
	for _, v := range values {
		for i := range learntStep {
			h := learntWindow([]byte(v[i : i+4]))
			l.bits[h>>5] |= 1 << (h & 31)
		}
	}
	return l
}

// find adds the values in a text to the spans of the rules, which are in order.
func (l *learnt) find(f *finder) {
	var found []span
	for at, text := 0, f.text; at+4 <= len(text); at += learntStep {
		if h := learntWindow(text[at:]); l.bits[h>>5]>>(h&31)&1 == 0 {
			continue
		}
		for p := max(at-learntStep+1, 0); p <= at; p++ {
			if to := l.longest(text, p); to > p {
				found = append(found, span{p, to, "value"})
			}
		}
	}
	if len(found) == 0 {
		return
	}
	rules := slices.Clone(f.spans)
	f.spans = f.spans[:0]
	for _, v := range found {
		for len(rules) > 0 && rules[0].from <= v.from {
			f.add(rules[0])
			rules = rules[1:]
		}
		f.add(v)
	}
	for _, s := range rules {
		f.add(s)
	}
}

// longest returns the end of the longest value that is a whole word at an offset,
// or zero.
func (l *learnt) longest(text []byte, at int) (to int) {
	for _, v := range l.values {
		if end := at + len(v); end > to && end <= len(text) && string(text[at:end]) == v {
			if _, end = wholeWord(text, at, len(v)); end > at {
				to = end
			}
		}
	}
	return to
}

// isTelling reports whether a value may be hidden wherever it appears: it is not
// an ordinary word, number, version or path.
func isTelling(v []byte) bool {
	has := classesOf(v)
	switch {
	case len(v) < leastKnown || len(v) > mostKnown, placeholder(v), isPath(v), isURL(v), isVersion(v):
		return false
	case has&^digit == 0:
		return len(v) >= 10
	case has&digit == 0 && has&^(upper|lower|under|dash) == 0: // words
		return len(v) >= leastOfLine && looksRandom(v)
	}
	return has&(upper|lower) != 0 && !bytes.Contains(v, []byte("[REDACTED"))
}

// wholeWord returns the place of a value of a length, if it is not part of a longer
// word.
func wholeWord(text []byte, at, length int) (from, to int) {
	to = at + length
	if is(text[at], word) && !begins(text, at) || to < len(text) && is(text[to-1], word) && is(text[to], word) {
		return 0, 0
	}
	return at, to
}
