package mask

// pairs tells which two bytes may be the first or the second pair of a rule's
// literal. A literal has three bytes at least, so looking at every other pair of
// a text finds all of them.
var pairs = func() (table [1 << 16]bool) {
	for _, r := range rules {
		table[pair(r.literal[0], r.literal[1])] = true
		table[pair(r.literal[1], r.literal[2])] = true
	}
	return table
}()

// starting is the rules by the first byte of their literals.
var starting = func() (table [256][]rule) {
	for _, r := range rules {
		table[r.literal[0]] = append(table[r.literal[0]], r)
	}
	return table
}()

func pair(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// finder finds the secrets of a text.
type finder struct {
	text  []byte
	last  int    // where the last line begins, which is not finished
	spans []span // in order, without overlaps
	after *block // the private key in which the last line begins
}

// find finds all of them. The text begins within a private key, or nil.
func (f *finder) find(key *block) {
	from := 0
	if key != nil {
		from = f.body(0, *key)
	}
	text := f.text
	i := from
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8 : i+8]
		if !(pairs[pair(t[0], t[1])] || pairs[pair(t[2], t[3])] || pairs[pair(t[4], t[5])] || pairs[pair(t[6], t[7])]) {
			continue
		}
		for j := i; j < i+8; j += 2 {
			if next := f.look(j, from); next > j {
				from, i = next, next-8
				break
			}
		}
	}
	for ; i+2 <= len(text); i += 2 {
		if next := f.look(i, from); next > i {
			from, i = next, next-2
		}
	}
}

// look tries the rules for a literal that has its first or second byte at an
// offset, but not before from. Where a private key begins it returns where that
// ends, otherwise zero.
func (f *finder) look(at, from int) (next int) {
	if !pairs[pair(f.text[at], f.text[at+1])] {
		return 0
	}
	for p := max(at-1, from); p <= at; p++ {
		for k := range starting[f.text[p]] {
			r := &starting[f.text[p]][k]
			if len(f.text)-p < len(r.literal) || string(f.text[p:p+len(r.literal)]) != r.literal {
				continue
			}
			if r.value == nil {
				if next := f.marker(p); next > at {
					return next
				}
				continue
			}
			if v0, v1 := r.value(f.text, p); v1 > v0 {
				f.add(span{v0, v1, r.name})
			}
		}
	}
	return 0
}

// add adds a span that ends the list, or comes before the last one: the password
// of a URL is known before its user name is looked at.
func (f *finder) add(s span) {
	n := len(f.spans)
	switch {
	case n == 0 || s.from >= f.spans[n-1].to:
		f.spans = append(f.spans, s)
	case s.to <= f.spans[n-1].from && (n == 1 || s.from >= f.spans[n-2].to):
		f.spans = append(f.spans, f.spans[n-1])
		f.spans[n-1] = s
	}
}
