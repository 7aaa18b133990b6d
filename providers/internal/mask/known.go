package mask

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Known are values that are secret wherever they appear in the texts of one
// terminal: those of the shell's variables with secret names, and those that
// assignments in these texts gave to such variables since. It is safe for
// concurrent use.
type Known struct {
	mu     sync.Mutex
	values []string
	match  *matcher
}

// Limits of the values that are known, and of their lengths in bytes. Shorter ones
// would blot out ordinary words.
const (
	maxKnown    = 64
	leastKnown  = 6
	mostKnown   = 4 << 10
	leastOfLine = 16 // of a value of several lines
)

// NewKnown returns the values of an environment ("NAME=value") whose names say
// that they are secret.
func NewKnown(environ []string) *Known {
	k := &Known{match: base()}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if kind := named([]byte(name)); kind != nothing && worth([]byte(name), []byte(value), kind, exact) {
			k.learn(value)
		}
	}
	return k
}

// Masker returns a Masker of another stream that also hides the known values.
func (k *Known) Masker() *Masker { return &Masker{known: k} }

// learn takes a value. Of the older ones the oldest gives way.
func (k *Known) learn(value string) {
	var fresh []string
	if strings.Contains(value, "\n") {
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimSpace(line); len(line) >= leastOfLine {
				fresh = append(fresh, line)
			}
		}
	} else {
		fresh = []string{value}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before := len(k.values)
	for _, v := range fresh {
		if telling([]byte(v)) && !slices.Contains(k.values, v) {
			k.values = append(k.values, v)
		}
	}
	if len(k.values) == before {
		return
	}
	k.values = k.values[max(0, len(k.values)-maxKnown):]
	match := *base()
	for _, v := range k.values {
		match.add(&rule{name: "value", literal: v, value: func(text []byte, at int) (from, to int) {
			return whole(text, at, len(v))
		}})
	}
	k.match = &match
}

// matcher is what finds the rules' literals and the known values.
func (k *Known) matcher() *matcher {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.match
}

// telling reports whether a value may be hidden wherever it appears: it is no
// ordinary word, number, version or path.
func telling(v []byte) bool {
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

// whole is a value of that length, if it is not part of a longer word.
func whole(text []byte, at, length int) (from, to int) {
	to = at + length
	if is(text[at], word) && !begins(text, at) || to < len(text) && is(text[to-1], word) && is(text[to], word) {
		return 0, 0
	}
	return at, to
}
