package mask

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
)

// kind is what a name says of its value.
type kind uint8

const (
	nothing  kind = iota
	keyLike       // a key or signature: secret if it looks random
	weak          // a token or credential: also a word of parsers and of prose
	strong        // a secret, or an API key
	password      // may be any text
)

// rule returns the name of the rule for a value of the kind.
func (k kind) rule() string {
	switch k {
	case password:
		return "password"
	case strong:
		return "secret"
	}
	return "token"
}

// maxName is the length in bytes of the longest name that is examined.
const maxName = 96

// noun is the ending of secret names, in the form that normal returns. One with a leading
// underscore needs a word before it; the others may be joined to one ("dbpassword").
type noun struct {
	end  string
	kind kind
}

var nouns = sync.OnceValue(func() (all []noun) {
	for k, name := range map[kind]string{password: "password", strong: "strong", weak: "weak", keyLike: "key-like"} {
		for _, end := range list(name) {
			all = append(all, noun{end, k})
		}
	}
	slices.SortStableFunc(all, func(a, b noun) int { return cmp.Compare(b.kind, a.kind) })
	return all
})

// kindOfName returns what a name says of its value.
func kindOfName(name []byte) kind {
	var buffer [2 * maxName]byte
	if len(name) < 3 || len(name) > maxName {
		return nothing
	}
	n := bytes.Trim(normal(buffer[:0], name), "_")
	n = withoutEnd(n)
	whole := string(n)
	for _, noun := range nouns() {
		if !strings.HasSuffix(whole, noun.end) {
			continue
		}
		rest := whole[:len(whole)-len(noun.end)]
		if noun.end[0] == '_' && rest == "" {
			continue
		}
		if noun.kind < password && isOrdinary(rest) {
			return nothing
		}
		if noun.kind == keyLike && !bytes.ContainsRune(name, '_') {
			return nothing
		}
		if noun.end == "token" && rest != "" && !strings.HasSuffix(rest, "_") && !isGlued(rest) {
			return nothing
		}
		return noun.kind
	}
	return nothing
}

// isGlued reports whether a word is often written together with "token".
func isGlued(before string) bool {
	return slices.ContainsFunc(list("glued"), func(w string) bool { return strings.HasSuffix(before, w) })
}

func isOrdinary(words string) bool {
	for w := range strings.SplitSeq(words, "_") {
		if isOneOf("ordinary", w) {
			return true
		}
	}
	return false
}

// withoutEnd removes what may follow a noun: numbers, and words of besides.
func withoutEnd(n []byte) []byte {
	for {
		before := len(n)
		n = bytes.TrimRight(n, "0123456789_")
		for _, w := range list("besides") {
			if rest, ok := bytes.CutSuffix(n, []byte(w)); ok && len(rest) > 0 && rest[len(rest)-1] == '_' {
				n = rest
			}
		}
		if len(n) == before {
			return n
		}
	}
}

// normal appends a name in lower case, with its words separated by underscores:
// dbPassword, DB-PASSWORD and db.password become db_password.
func normal(dst, name []byte) []byte {
	for i, c := range name {
		switch {
		case is(c, upper):
			starts := i > 0 && (is(name[i-1], lower|digit) || is(name[i-1], upper) && i+1 < len(name) && is(name[i+1], lower))
			if starts && len(dst) > 0 && dst[len(dst)-1] != '_' {
				dst = append(dst, '_')
			}
			dst = append(dst, c|0x20)
		case is(c, lower|digit):
			dst = append(dst, c)
		case len(dst) > 0 && dst[len(dst)-1] != '_':
			dst = append(dst, '_')
		}
	}
	return dst
}
