package mask

import (
	"encoding/binary"
	"slices"
	"strings"
)

// matcher knows which four bytes of a text may belong to a rule's literal. A
// literal has at least three bytes, so examining every other group of four
// bytes of a text finds all of them. Case is ignored at first: letters are
// compared with their sixth bit set.
type matcher struct {
	bits  [1 << windowBits / 32]uint32
	heads [1 << headBits][]*rule // by the first three bytes of their literals
}

const (
	windowBits = 20
	headBits   = 11
	foldBits   = 0x20202020
	scatter    = 0x9e3779b1
)

func window(w uint32) uint32 { return w * scatter >> (32 - windowBits) }

// head returns the index of three bytes in the table of literals.
func head(a, b, c byte) uint32 {
	w := uint32(a) | uint32(b)<<8 | uint32(c)<<16
	return (w | foldBits) * scatter >> (32 - headBits)
}

func (m *matcher) add(r *rule) {
	l := []byte(r.literal)
	h := head(l[0], l[1], l[2])
	m.heads[h] = append(slices.Clip(m.heads[h]), r)
	switch {
	case len(l) > 4:
		m.window(l[0], l[1], l[2], l[3])
		m.window(l[1], l[2], l[3], l[4])
	case len(l) == 4:
		m.window(l[0], l[1], l[2], l[3])
		for c := range 256 {
			m.window(l[1], l[2], l[3], byte(c))
		}
	default:
		for c := range 256 {
			m.window(l[0], l[1], l[2], byte(c))
			m.window(byte(c), l[0], l[1], l[2])
		}
	}
}

func (m *matcher) window(a, b, c, d byte) {
	h := window((uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(d)<<24) | foldBits)
	m.bits[h>>5] |= 1 << (h & 31)
}

// finder finds the secrets of a text.
type finder struct {
	text  []byte
	match *matcher
	last  int    // where the last, unfinished line begins
	spans []span // in order, without overlaps
	after *block // the private key in which the last line begins
	// assigns are the values that were given to variables of a shell.
	assigns []span

	// How far the text was searched for names, commands, cookies, manifests, and
	// shapes that may be anywhere on a line: each part is searched once.
	named, commands, cookies, manifests int
	lines                               map[*shape]int
}

// find finds all secrets. The text begins within the private key, if key is not
// nil.
func (f *finder) find(key *block) {
	from := 0
	if key != nil {
		from = f.body(0, *key)
	}
	text, bits := f.text, &f.match.bits
	i := from
	for ; i+12 <= len(text); i += 8 {
		t := text[i : i+12 : i+12]
		v := binary.LittleEndian.Uint64(t) | foldBits<<32 | foldBits
		h0, h1, h2 := window(uint32(v)), window(uint32(v>>16)), window(uint32(v>>32))
		h3 := window(binary.LittleEndian.Uint32(t[6:]) | foldBits)
		if (bits[h0>>5]>>(h0&31)|bits[h1>>5]>>(h1&31)|bits[h2>>5]>>(h2&31)|bits[h3>>5]>>(h3&31))&1 == 0 {
			continue
		}
		for j := i; j < i+8; j += 2 {
			w := window(binary.LittleEndian.Uint32(text[j:]) | foldBits)
			if bits[w>>5]>>(w&31)&1 == 0 {
				continue
			}
			if next := f.tryAt(max(j-1, from), j+1); next > j {
				from, i = next, next-8
				break
			}
		}
	}
	for at := max(i-1, from); at+2 < len(text); at++ {
		if next := f.tryAt(at, at); next > at {
			at = next - 1
		}
	}
}

// tryAt tries the rules whose literals begin at an offset from first to last.
// If a private key begins there it returns where that ends, otherwise zero.
func (f *finder) tryAt(first, last int) (next int) {
	text := f.text
	for p := first; p <= last && p+2 < len(text); p++ {
		for _, r := range f.match.heads[head(text[p], text[p+1], text[p+2])] {
			if !r.matches(text, p) {
				continue
			}
			switch {
			case r.act != nil:
				if n := len(f.spans); n == 0 || f.spans[n-1].to <= p || f.spans[n-1].from > p { // not within a secret
					r.act(f, p)
				}
			case r.value != nil:
				if v0, v1 := r.value(text, p); v1 > v0 {
					f.add(span{v0, v1, r.name})
				}
			default:
				if next := f.marker(p); next > last {
					return next
				}
			}
		}
	}
	return 0
}

// matches reports whether the rule's literal begins at an offset.
func (r *rule) matches(text []byte, p int) bool {
	n := len(r.literal)
	if len(text)-p < n {
		return false
	}
	if r.fold {
		return strings.EqualFold(string(text[p:p+n]), r.literal)
	}
	return string(text[p:p+n]) == r.literal
}

// add adds a span. If two overlap, the name of the shape stays if it covers both;
// what the second adds to the first is hidden too.
func (f *finder) add(s span) {
	i := len(f.spans)
	for i > 0 && f.spans[i-1].from > s.from {
		i--
	}
	for i > 0 && f.spans[i-1].to > s.from { // overlaps the previous one
		p := f.spans[i-1]
		if p.from == s.from && s.to >= p.to && byName(p.rule) && s.rule != "value" {
			p.rule = s.rule
		}
		s = span{p.from, max(p.to, s.to), p.rule}
		i--
		f.spans = slices.Delete(f.spans, i, i+1)
	}
	for i < len(f.spans) && f.spans[i].from < s.to { // and the following ones
		s.to = max(s.to, f.spans[i].to)
		f.spans = slices.Delete(f.spans, i, i+1)
	}
	f.spans = slices.Insert(f.spans, i, s)
}

// byName reports whether a rule recognizes a secret by its name only.
func byName(rule string) bool {
	switch rule {
	case "password", "secret", "token", "cookie", "authorization", "value":
		return true
	}
	return false
}
