package mask

import "bytes"

// rule is a shape of secrets.
type rule struct {
	name    string
	literal string // part of all of them, at least three bytes
	// value returns where the secret is, given where the literal is, or an empty
	// range.
	value func(text []byte, at int) (from, to int)
	// act adds what it finds itself. A rule without value and act is a private
	// key's, which may have several lines.
	act  func(f *finder, at int)
	fold bool // the literal matches in any case
}

// shapes are the rules that need more than an expression. Sources: the services'
// documents, and github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml.
var shapes = []rule{
	{name: "api-key", literal: "sk-", value: apiKey},
	{name: "telegram", literal: ":AA", value: telegram},
	{name: "jwt", literal: "eyJ", value: jwt},
	{name: "url-password", literal: "://", value: urlPassword},
	{name: "bearer", literal: "earer ", value: bearer},
	{name: keyRule, literal: keyLiteral},
}

// class is the set of classes of a byte, as bits.
type class uint8

const (
	upper class = 1 << iota
	lower
	digit
	under
	dash
	base64 // besides letters and digits
	bearerOnly
	dot

	alnum = upper | lower | digit
	word  = alnum | under
	slug  = word | dash
)

var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c >= 'A' && c <= 'Z':
			table[c] = upper
		case c >= 'a' && c <= 'z':
			table[c] = lower
		case c >= '0' && c <= '9':
			table[c] = digit
		}
	}
	table['_'], table['-'] = under, dash
	table['+'], table['/'], table['='] = base64, base64, base64
	table['.'], table['~'] = bearerOnly|dot, bearerOnly
	return table
}()

func is(c byte, what class) bool { return classes[c]&what != 0 }

// run returns where a run of bytes of a class ends, and which classes occur in
// it.
func run(text []byte, from int, what class) (to int, has class) {
	for to = from; to < len(text) && is(text[to], what); to++ {
		has |= classes[text[to]]
	}
	return to, has
}

// begins reports whether a word begins at an offset: after anything but a
// letter, or after an escape that ends in the letter (ESC [ 1 m, \n, %3D).
func begins(text []byte, at int) bool {
	if at == 0 || !is(text[at-1], word) {
		return true
	}
	if at >= 2 && text[at-2] == '\\' || at >= 3 && text[at-3] == '%' {
		return true
	}
	i := at - 2
	for i > 0 && (is(text[i], digit) || text[i] == ';' || text[i] == ':') {
		i--
	}
	return i > 0 && text[i] == '[' && text[i-1] == '\x1b' && !is(text[at-1], digit|under)
}

// mixed reports whether all of some classes occur.
func mixed(has, all class) bool { return has&all == all }

// apiKey finds the keys of OpenAI, Anthropic and others of that form. A name with
// hyphens, such as a CSS class, is not a key: the random part of a key is long.
func apiKey(text []byte, at int) (from, to int) {
	if !begins(text, at) || at > 0 && text[at-1] == '-' {
		return 0, 0
	}
	to, has := run(text, at+3, slug)
	if to-at < 3+20 || !mixed(has, digit) {
		return 0, 0
	}
	rest := text[at+3 : to]
	for _, prefix := range []string{"ant-", "proj-", "svcacct-", "admin-", "or-v1-"} {
		if bytes.HasPrefix(rest, []byte(prefix)) && len(rest) >= 32 && mixed(has, upper|lower) {
			return at, to
		}
	}
	for i := 0; i < len(rest); i++ {
		end, has := run(rest, i, alnum)
		if end-i >= 16 && mixed(has, digit) && has&(upper|lower) != 0 {
			return at, to
		}
		i = end
	}
	return 0, 0
}

func jwt(text []byte, at int) (from, to int) {
	if !begins(text, at) {
		return 0, 0
	}
	to, _ = run(text, at, slug)
	if to-at < 12 {
		return 0, 0
	}
	dots, long := 0, 0
	for to < len(text) && text[to] == '.' && dots < 4 {
		end, _ := run(text, to+1, slug)
		long = max(long, end-to-1)
		to = end
		dots++
	}
	if dots < 2 || long < 8 {
		return 0, 0
	}
	return at, to
}

// urlPassword finds what is between a colon and the last @ of what may be the
// authority of a URL. The name of a variable is not a password.
func urlPassword(text []byte, at int) (from, to int) {
	if at == 0 || !is(text[at-1], alnum) {
		return 0, 0
	}
	rest := text[at+3:]
	const longest = 512
	rest = rest[:min(len(rest), longest)]
	if end := bytes.IndexFunc(rest, authorityEnds); end >= 0 {
		rest = rest[:end]
	}
	sign := bytes.LastIndexByte(rest, '@')
	if sign < 0 {
		return 0, 0
	}
	colon := bytes.IndexByte(rest[:sign], ':')
	if colon < 0 && sign >= 16 && isWordOf(rest[:sign], word) && looksRandom(rest[:sign]) { // a token in place of a name
		return at + 3, at + 3 + sign
	}
	if colon < 0 || colon+1 == sign || bytes.HasPrefix(rest, []byte("[REDACTED")) {
		return 0, 0
	}
	switch password := rest[colon+1 : sign]; {
	case password[0] == '$', password[0] == '{', password[0] == '%' && len(password) == 2,
		len(bytes.Trim(password, "*")) == 0, bytes.HasPrefix(password, []byte("[REDACTED")):
		return 0, 0
	}
	return at + 3 + colon + 1, at + 3 + sign
}

func authorityEnds(c rune) bool {
	switch c {
	case '/', '?', '#', '"', '\'', '`', '<', '>', '\\':
		return true
	}
	return c <= ' ' || c == '\x7f'
}

// bearer finds the value after "Authorization: Bearer", however that is quoted.
func bearer(text []byte, at int) (from, to int) {
	i := at - 1
	if i < 0 || text[i]|0x20 != 'b' {
		return 0, 0
	}
	for gap := 0; i > 0 && gap < 8 && bytes.IndexByte([]byte(` "':=\,>[`), text[i-1]) >= 0; gap++ {
		i--
	}
	const header = "authorization"
	if i < len(header) || !bytes.EqualFold(text[i-len(header):i], []byte(header)) {
		return 0, 0
	}
	from = at + len("earer ")
	to, has := run(text, from, slug|base64|bearerOnly)
	if to-from < 8 || !mixed(has, digit) && to-from < 20 {
		return 0, 0
	}
	return from, to
}

// telegram finds what follows the number of a bot; with the number, it is its
// token.
func telegram(text []byte, at int) (from, to int) {
	from = at
	for from > 0 && at-from < 16 && is(text[from-1], digit) {
		from--
	}
	to, _ = run(text, at+1, slug)
	if at-from < 5 || to-at < 33 || to-at > 41 || from > 0 && is(text[from-1], word) && !bytes.HasSuffix(text[:from], []byte("bot")) {
		return 0, 0
	}
	return at + 1, to
}
