package mask

import (
	"bytes"
	"strings"
)

// A private key as text (RFC 7468, and the older forms with headers) is lines
// of base64 between two markers.
const (
	keyRule    = "private-key"
	keyLiteral = "PRIVATE KEY"
	beginMark  = "-- BEGIN " // SSH2's form, with runs of dashes as two
	endMark    = "-- END "
)

// Lines of a key of at least this many bytes are recognized by themselves;
// shorter ones end a key. A key has at most so many lines, and so many headers.
const (
	longLine   = 24
	sureLine   = 60
	maxShort   = 2
	maxLines   = 400
	maxHeaders = 8
)

// block is the state within a private key.
type block struct {
	lines   int    // hidden so far
	headers int    // before those
	short   int    // short lines that came last
	before  string // what precedes the base64 of a line, without numbers
}

// marker processes a marker of a private key, and returns where what it begins
// or ends has ended: zero if it is not a marker.
func (f *finder) marker(at int) (next int) {
	text := f.text
	start := max(lineStart(text, at), at-40)
	head := text[start:at]
	after := at + len(keyLiteral)
	rest := text[after:min(len(text), after+12)]
	rest = bytes.TrimPrefix(rest, []byte(" BLOCK")) // PGP's
	rest = bytes.TrimPrefix(rest, []byte(" "))
	if !bytes.HasPrefix(rest, []byte("----")) {
		return 0
	}
	after = min(len(text), after+12) - len(rest)
	for after < len(text) && text[after] == '-' {
		after++
	}
	switch b, e := lastMark(head, beginMark), lastMark(head, endMark); {
	case b > e:
		return f.body(after, block{})
	case e >= 0:
		f.backwards(start + e)
		return after
	}
	return 0
}

// lastMark returns where the last such mark is, with or without a blank after
// the dashes.
func lastMark(head []byte, mark string) int {
	return max(bytes.LastIndex(head, []byte(mark)), bytes.LastIndex(head, []byte(strings.Replace(mark, " ", "", 1))))
}

// body hides a key from an offset within it, and returns where it ends.
func (f *finder) body(at int, k block) (next int) {
	for first := true; at < len(f.text); first = false {
		if at >= f.last && at == f.lineStart(at) {
			f.after = new(k)
		}
		end := len(f.text)
		if i := bytes.IndexByte(f.text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := f.text[at:end]
		if e := max(bytes.Index(line, []byte("--END ")), bytes.Index(line, []byte(endMark))); e >= 0 {
			f.inline(at, at+e)
			if i := bytes.Index(line[e:], []byte(keyLiteral)); i >= 0 {
				return at + e + i + len(keyLiteral)
			}
			return end
		}
		if first && at != f.lineStart(at) { // the rest of the line of the marker
			if f.inline(at, end) {
				k.lines++
			}
			at = end
			continue
		}
		if !f.bodyLine(at, line, &k) {
			return at
		}
		at = end
	}
	if f.last == len(f.text) {
		f.after = new(k)
	}
	return at
}

func (f *finder) lineStart(at int) int { return bytes.LastIndexByte(f.text[:at], '\n') + 1 }

// bodyLine hides a line of a key, and reports whether it is one.
func (f *finder) bodyLine(at int, line []byte, k *block) bool {
	trimmed := bytes.TrimSpace(line)
	v0, v1, long := material(line)
	switch {
	case k.lines > maxLines:
		return false
	case long:
		k.lines, k.short = k.lines+1, 0
		k.before = prefix(line[:v0])
	case k.lines == 0 && (len(trimmed) == 0 || header(trimmed)):
		k.headers++
		return k.headers <= maxHeaders
	case k.lines > 0 && v1 > v0 && k.short < maxShort && prefix(line[:v0]) == k.before:
		k.short++
	default:
		return false
	}
	f.add(span{at + v0, at + v1, keyRule})
	return true
}

// header reports whether a line is a header of a key ("Proc-Type:
// 4,ENCRYPTED").
func header(line []byte) bool {
	name, _, found := bytes.Cut(line, []byte(": "))
	to, _ := run(name, 0, alnum|dash)
	return found && to == len(name) && to > 0 && to < 32
}

// material returns the base64 at the end of a line, and whether it is long
// enough to belong to a key whatever the lines around it are.
func material(line []byte) (from, to int, long bool) {
	line = bytes.TrimRight(line, " \t\r\n\"',;\\")
	to = len(bytes.TrimSuffix(line, []byte(`\n`)))
	var has class
	for from = to; from > 0 && is(line[from-1], alnum|base64); from-- {
		has |= classes[line[from-1]]
	}
	n := to - from
	return from, to, n >= sureLine || n >= longLine && mixed(has, alnum)
}

// prefix returns what precedes a line's base64, without numbers and blanks.
func prefix(text []byte) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c == ' ' || c == '\t' {
			return -1
		}
		return c
	}, string(text[:min(len(text), 256)]))
}

// inline hides the part of a key on a line after or before a marker, and reports
// whether there was any. There, line ends may be written as \n.
func (f *finder) inline(from, to int) bool {
	cut := func(c rune) bool { return strings.ContainsRune(" \t\r\n\"',;-", c) }
	rest := f.text[from:to]
	rest = bytes.TrimRightFunc(rest, cut)
	rest = bytes.TrimSuffix(bytes.TrimSuffix(rest, []byte(`\n`)), []byte(`\r`))
	for len(rest) > 0 {
		trimmed := bytes.TrimLeftFunc(rest, cut)
		trimmed = bytes.TrimPrefix(bytes.TrimPrefix(trimmed, []byte(`\r`)), []byte(`\n`))
		if len(trimmed) == len(rest) {
			break
		}
		from, rest = from+len(rest)-len(trimmed), trimmed
	}
	best := 0
	for i := 0; i < len(rest); i++ {
		end, _ := run(rest, i, alnum|base64)
		best, i = max(best, end-i), end
	}
	if best < longLine {
		return false
	}
	f.add(span{from, from + len(rest), keyRule})
	return true
}

// backwards hides the lines of a key before its end, whose beginning is not in
// the text.
func (f *finder) backwards(end int) {
	at := f.lineStart(end)
	var found []span
	for short := 0; at > 0 && len(found) < maxLines; {
		start := f.lineStart(at - 1)
		v0, v1, long := material(f.text[start:at])
		if !long && (v1 == v0 || v0 > 0 || short == maxShort || len(found) > short) {
			break
		}
		if !long {
			short++
		}
		found, at = append(found, span{start + v0, start + v1, keyRule}), start
	}
	for len(found) > 0 { // short lines alone do not count
		if s := found[len(found)-1]; s.to-s.from >= longLine {
			break
		}
		found = found[:len(found)-1]
	}
	for n := len(f.spans); n > 0 && len(found) > 0 && f.spans[n-1].to > found[len(found)-1].from; n-- {
		f.spans = f.spans[:n-1]
	}
	for i := len(found) - 1; i >= 0; i-- {
		f.add(found[i])
	}
}
