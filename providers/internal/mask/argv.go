package mask

import (
	"bytes"
)

// Args returns the arguments of a command line with their secrets masked:
// values of flags and assignments with secret names, arguments that a program
// takes for a password, and everything that Text finds. The first word is the
// program. Number and order do not change. It makes a copy if something is
// masked.
func Args(argv []string) []string {
	w := make(words, len(argv))
	for i, arg := range argv {
		w[i] = []byte(arg)
	}
	var found []piece
	for i := range w { // env, sudo, sh -c and the like come first
		if i == 0 || !bytes.HasPrefix(w[i], []byte("-")) {
			found = ofCommand(w[i:], shifted(found, -i))
			found = shifted(found, i)
		}
		if len(w[i]) > 2 && w[i][0] == '-' || i > 0 && isSetCommand(w[i-1]) {
			found = ofFlag(w, i, found)
		}
		found = ofVariable(w, i, found)
	}
	out := make([]string, len(argv))
	for i, arg := range argv {
		out[i] = masked(arg, i, found)
	}
	return out
}

// ofVariable finds the value of a word NAME=value or --name=value, which may
// contain blanks.
func ofVariable(w words, i int, found []piece) []piece {
	name, value, ok := bytes.Cut(w[i], []byte("="))
	name = bytes.TrimLeft(name, "-")
	if k := kindOfName(name); ok && k != nothing && isWordOf(name, nameBytes) && isSecretValue(name, value, k, inAssignment) {
		found = append(found, piece{i, len(w[i]) - len(value), len(w[i]), k.rule()})
	}
	return found
}

// Args is the function Args; it also masks known values.
func (m *Masker) Args(argv []string) []string {
	out := Args(argv)
	for i, arg := range out {
		again := Masker{known: m.known}
		out[i] = string(again.Mask([]byte(arg)))
	}
	return out
}

// shifted returns pieces with their words counted from another one.
func shifted(found []piece, by int) []piece {
	for i := range found {
		found[i].word += by
	}
	return found
}

// isSetCommand reports whether a word comes before a name and its value.
func isSetCommand(w []byte) bool { return isOneOf("set", string(w)) }

// masked returns an argument with its pieces hidden, and then with the secrets
// in its text hidden.
func masked(arg string, i int, found []piece) string {
	var first *piece // a word usually has one; cookies have more
	for k := range found {
		if p := &found[k]; p.word == i && (first == nil || p.from < first.from) {
			first = p
		}
	}
	if first == nil {
		return Text(arg)
	}
	rest := Text(arg[first.to:])
	for k := range found {
		if p := &found[k]; p != first && p.word == i && p.from >= first.to {
			rest = masked(arg[first.to:], 0, []piece{{0, p.from - first.to, p.to - first.to, p.rule}})
			break
		}
	}
	return Text(arg[:first.from]) + marker(first.rule) + rest
}

// Field returns the value of a member of an object, masked if its name is
// secret.
func Field(name, value string) string {
	if k := kindOfName([]byte(name)); k != nothing && isSecretValue([]byte(name), []byte(value), k, inString) {
		return marker(k.rule())
	}
	return value
}

// Text returns a text that stands by itself with its secrets masked.
func Text(text string) string {
	return string(New().Mask([]byte(text)))
}

func marker(rule string) string { return string(appendMarker(nil, rule)) }
