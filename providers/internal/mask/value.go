package mask

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// syntax is how a value is written, which determines how far its name is
// trusted.
type syntax uint8

const (
	inAssignment syntax = iota // NAME=value, a flag, a parameter of a URL: everything but placeholders
	inHeader                   // Name-With-Dashes: value, alone on its line
	inString                   // a string of code or data: not prose
	onOwnLine                  // unquoted, alone on its line with a name, as in YAML and INI
	inText                     // unquoted in any line: not code
)

// isSecretValue reports whether the value of a name is a secret, rather than a
// placeholder, a reference, a piece of code or of prose.
func isSecretValue(name, v []byte, k kind, how syntax) bool {
	if placeholder(v) || isPath(v) || sameName(name, v) {
		return false
	}
	has := classesOf(v)
	if k == keyLike {
		return len(v) >= 16 && has&digit != 0 && looksRandom(v) && !bytes.ContainsAny(v, " \t")
	}
	if k < password && (has&^digit == 0 && len(v) < 12 && (how != inHeader || len(v) < 6) || isURL(v)) {
		return false
	}
	switch how {
	case inAssignment, inHeader:
		return true
	case inString:
		switch {
		case bytes.ContainsAny(v, " \t"):
			return k == password && !isProse(v)
		case isReference(v, has) && (k < password || has&dash == 0):
			return false
		}
		return k >= strong && len(v) >= 4 || k == weak && isToken(v, has)
	case onOwnLine:
		if k == password {
			return !isWord(v) && !isCode(v)
		}
	}
	switch {
	case isCode(v), isReference(v, has), isType(v), len(v) < 12 && bytes.HasPrefix(v, []byte("0x")):
		return false
	case k == password && len(v) < 4:
		return false
	case k == password:
		return has&digit != 0 || has&^(alnum|under|dash) != 0 && !isChain(v)
	}
	return isToken(v, has) && (k == strong || has&(lower|dash) != 0 || has&under == 0)
}

// classesOf returns the classes of all bytes; a byte without a class counts as
// base64.
func classesOf(v []byte) (has class) {
	for _, c := range v {
		if k := classes[c]; k != 0 {
			has |= k
		} else {
			has |= base64
		}
	}
	return has
}

// placeholder reports whether a value stands for another one: an empty one, a
// variable, a template, stars, or words such as "your-token".
func placeholder(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	switch first, last := v[0], v[len(v)-1]; {
	case first == '$':
		return isVariable(v[1:])
	case first == '<' && (last == '>' || bytes.IndexByte(v, '>') < 0),
		first == '[' && last == ']', first == '(' && last == ')', first == '{' && last == '}',
		first == '%' && last == '%' && len(v) > 2, first == '@' && last == '@' && len(v) > 2,
		first == '`', first == '{' && len(v) > 1 && v[1] == '{', first == '!' && len(v) > 2 && is(v[1], alnum) && isWordOf(v[1:], alnum|dash) && !bytes.ContainsAny(v, "0123456789"):
		return true
	case first == '%' && (len(v) == 2 || len(v) == 3 && v[1] == '+'):
		return true
	case bytes.HasPrefix(v, []byte("[REDACTED")), bytes.HasPrefix(v, []byte("ENC[")), bytes.HasPrefix(v, []byte("op://")),
		bytes.HasPrefix(v, []byte("vault:")), bytes.HasPrefix(v, []byte("arn:")), bytes.HasPrefix(v, []byte("secretRef:")):
		return true
	case bytes.Contains(v, []byte("...")), bytes.Contains(v, []byte("…")), bytes.Contains(v, []byte("xxx")), bytes.Contains(v, []byte("XXX")):
		return true // left out
	case bytes.Contains(v, []byte("{{")) && bytes.Contains(v, []byte("}}")), bytes.Contains(v, []byte("${")):
		return true
	}
	if len(bytes.Trim(v, "*.-_x#?•…")) == 0 || len(bytes.Trim(v, "X-_")) == 0 || len(bytes.Trim(v, "0")) == 0 {
		return true
	}
	if len(v) > 64 {
		return false
	}
	small := strings.ToLower(string(v))
	if isOneOf("placeholders", small) {
		return true
	}
	return slices.ContainsFunc(list("placeholder begins"), func(begins string) bool {
		return strings.HasPrefix(small, begins) && !strings.ContainsAny(small, digitsOf)
	})
}

const digitsOf = "0123456789"

// isVariable reports whether what follows a dollar sign is a reference: a name,
// a name in braces, a command.
func isVariable(v []byte) bool {
	if len(v) == 0 || v[0] == '{' || v[0] == '(' {
		return true
	}
	to, _ := run(v, 0, word)
	return to > 0 && (to == len(v) || v[to] == ':' || v[to] == '.' || v[to] == '[' || v[to] == '-' && to+1 < len(v) && v[to+1] == '>')
}

// sameName reports whether a value is only the name again, or its end.
func sameName(name, v []byte) bool {
	var a, b [2 * maxName]byte
	if len(v) > maxName || len(name) > maxName || len(v) < 3 {
		return false
	}
	n, w := bytes.Trim(normal(a[:0], name), "_"), bytes.Trim(normal(b[:0], v), "_")
	return bytes.Equal(n, w) || len(w) > 0 && bytes.HasSuffix(n, w) && len(n) > len(w) && n[len(n)-len(w)-1] == '_'
}

// isPath reports whether a value is a file's path rather than base64.
func isPath(v []byte) bool {
	if string(v) == "/" {
		return true
	}
	rest := bytes.TrimPrefix(bytes.TrimPrefix(v, []byte("~")), []byte("."))
	rest = bytes.TrimPrefix(rest, []byte("."))
	if len(rest) < 2 || rest[0] != '/' && !(len(v) > 3 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')) {
		return false
	}
	parts, words, random := 0, 0, false
	for part := range bytes.SplitSeq(rest, []byte("/")) {
		if bytes.ContainsAny(part, "+=!#$%^&*") {
			return false
		}
		random = random || len(part) >= 20 && looksRandom(part)
		if has := classesOf(part); len(part) > 2 && has&(digit|upper) == 0 {
			words++
		}
		parts++
	}
	if random && words < 2 { // base64 has slashes too
		return false
	}
	return parts > 2 || len(v) > len(rest) || len(rest) < 12
}

// isURL reports whether a value is an address; a password in it has a rule of
// its own.
func isURL(v []byte) bool {
	i := bytes.Index(v, []byte("://"))
	return i > 0 && i < 12
}

// isProse reports whether a string of several words is a sentence.
func isProse(v []byte) bool {
	n := 0
	for w := range bytes.FieldsSeq(v) {
		if n++; isOneOf("prosaic", strings.ToLower(strings.Trim(string(w), ".,:;!?'()"))) {
			return true
		}
	}
	return n > 8
}

// isReference reports whether an unspaced value is the name of something: words
// that themselves name a secret, or, in code, a name of constants.
func isReference(v []byte, has class) bool {
	return has&(digit|base64|bearerOnly) == 0 && kindOfName(v) != nothing && (has&(under|dash) != 0 || has&upper != 0)
}

// isToken reports whether a value may be a token, rather than a word.
func isToken(v []byte, has class) bool {
	switch {
	case len(v) < 6:
		return false
	case has&digit != 0:
		return has&^digit != 0 && !isVersion(v) || len(v) >= 12
	case len(v) >= 20:
		return has&upper != 0 && has&lower != 0 && has&(under|dot) == 0 && looksRandom(v) && !isCamel(v)
	}
	return false
}

// isCamel reports whether letters are words with capitals, rather than random.
func isCamel(v []byte) bool {
	rises := 0
	for i := 1; i < len(v); i++ {
		if is(v[i-1], lower) && is(v[i], upper) {
			rises++
		}
	}
	return rises*5 < len(v)
}

// isVersion reports whether a value is a number with dots, a time or a size.
func isVersion(v []byte) bool {
	rest := bytes.Trim(v, "0123456789.:v%,+-TZ/")
	return len(rest) == 0 || len(rest) <= 2 && bytes.HasSuffix(v, rest)
}

// isCode reports whether an unquoted value is an expression.
func isCode(v []byte) bool {
	if bytes.ContainsAny(v, "()[]{}`") || bytes.Contains(v, []byte("::")) || bytes.Contains(v, []byte("->")) || bytes.Contains(v, []byte("=>")) || bytes.Contains(v, []byte("==")) && len(v) < 4 {
		return true
	}
	return isChain(v)
}

// isChain reports whether a value is names separated by dots
// ("req.body.token").
func isChain(v []byte) bool {
	dots := 0
	for part := range bytes.SplitSeq(bytes.TrimRight(v, ";,"), []byte(".")) {
		part = bytes.TrimSuffix(part, []byte("?"))
		to, has := run(part, 0, word)
		if to != len(part) || len(part) == 0 || has&digit != 0 {
			return false
		}
		dots++
	}
	return dots > 1
}

// isWord reports whether a value alone on a line is a state or a type.
func isWord(v []byte) bool {
	w := strings.ToLower(string(bytes.TrimRight(v, ".,;!?")))
	return isOneOf("placeholders", w) || isOneOf("states", w) || isType(v) || len(v) < 2
}

// isType reports whether a value is the type of a variable.
func isType(v []byte) bool {
	t := strings.TrimRight(string(v), ";,?|&*")
	return isOneOf("types", strings.TrimLeft(t, "*&?")) || strings.HasPrefix(t, "*") || strings.HasPrefix(t, "&")
}

// looksRandom reports whether a value has the entropy of a generated one, and
// digits or letters of both cases.
func looksRandom(v []byte) bool {
	has := classesOf(v)
	if has&digit == 0 && !mixed(has, upper|lower) || has&(upper|lower) == 0 {
		return false
	}
	return entropy(v) >= 3.2
}

// entropy returns the entropy of the bytes of a text, in bits per byte.
func entropy(v []byte) float64 {
	if len(v) == 0 {
		return 0
	}
	var counts [256]int
	for _, c := range v {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// isWordOf reports whether all bytes are of a class.
func isWordOf(v []byte, what class) bool {
	to, _ := run(v, 0, what)
	return to == len(v)
}
