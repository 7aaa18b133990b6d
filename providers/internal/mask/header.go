package mask

import "bytes"

// authorization finds the credentials of a header after its scheme, however the
// header is quoted: Authorization: Basic X. Bearer has a rule of its own.
func authorization(text []byte, at int) (from, to int) {
	i := at + len("authorization")
	gap := i
	for gap < len(text) && gap-i < 8 && bytes.IndexByte([]byte(` "':=\,>[`), text[gap]) >= 0 {
		gap++
	}
	if between := text[i:gap]; !bytes.ContainsAny(between, ":=>[") && !bytes.ContainsAny(between, `"'`) {
		return 0, 0
	}
	end, _ := run(text, gap, alnum|dash)
	from = gap
	if end < len(text) && text[end] == ' ' && end > gap && end-gap < 24 {
		scheme := bytes.ToLower(text[gap:end])
		if string(scheme) == "bearer" {
			return 0, 0
		}
		from = end + 1
	}
	for to = from; to < len(text) && to-from < maxValue && !endsToken(text, to); {
		to++
	}
	v := text[from:to]
	has := classesOf(v)
	if to-from < 4 || placeholder(v) || from == gap && (to-from < 8 || has&digit == 0) ||
		from > gap && has&(digit|upper|base64) == 0 || bytes.ContainsAny(v, "({$") || hasPrefixFold(v, "realm=") {
		return 0, 0
	}
	return from, to
}

func endsToken(text []byte, i int) bool {
	return i >= len(text) || text[i] <= ' ' || bytes.IndexByte([]byte(`"',;\)}]&<`), text[i]) >= 0 || text[i] == '`' || text[i] == 0x1b
}

// cookie finds the values of a header with cookies.
func (f *finder) cookie(at int) {
	text := f.text
	if at < f.cookies {
		return
	}
	set := at >= 4 && hasPrefixFold(text[at-4:], "set-")
	if !set && at > 0 && is(text[at-1], word) && !begins(text, at) {
		return
	}
	i := at + len("cookie")
	colon := i
	for i < len(text) && i-colon < 6 && bytes.IndexByte([]byte(` "':,\`), text[i]) >= 0 {
		i++
	}
	if between := text[colon:i]; !bytes.ContainsAny(between, ":") && !bytes.Contains(between, []byte(", ")) || i < len(text) && text[i] == '=' {
		return
	}
	end := i
	for end < len(text) && end-i < maxValue && text[end] >= ' ' && !isQuote(text[end]) {
		end++
	}
	f.cookies = end
	for _, s := range cookies(text[i:end], i, set) {
		f.add(s)
	}
}

// cookies finds the values of cookies that may be a session; short words are
// settings. Only the first value of Set-Cookie is one.
func cookies(text []byte, at int, set bool) (found []span) {
	for len(text) > 0 {
		one, rest, _ := bytes.Cut(text, []byte(";"))
		name, v, ok := bytes.Cut(one, []byte("="))
		has := classesOf(v)
		if ok && !placeholder(v) && (len(v) >= 8 || kindOfName(bytes.TrimSpace(name)) != nothing) && has&^(lower|upper|dash) != 0 && has&^digit != 0 && isWordOf(bytes.TrimSpace(name), nameBytes) {
			from := at + len(name) + 1
			found = append(found, span{from, from + len(v), "cookie"})
		}
		if set {
			break
		}
		at += len(one) + 1
		text = rest
	}
	return found
}
