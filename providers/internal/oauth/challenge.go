package oauth

import (
	"net/http"
	"strings"
)

// challenge is a challenge of the scheme Bearer in a WWW-Authenticate header (RFC
// 6750 section 3, RFC 9728 section 5.1).
type challenge struct {
	bearer   bool // there is one
	scope    string
	code     string // error
	metadata string // resource_metadata
}

// parseChallenge returns the first challenge of the scheme Bearer. Malformed parts
// are skipped.
func parseChallenge(h http.Header) (c challenge) {
	for _, line := range h.Values("WWW-Authenticate") {
		p := challengeParser{rest: line}
		for !c.bearer && p.next() {
			if !strings.EqualFold(p.scheme, "Bearer") {
				continue
			}
			c = challenge{bearer: true, scope: p.params["scope"], code: p.params["error"], metadata: p.params["resource_metadata"]}
		}
	}
	return c
}

// challengeParser reads the challenges in a header, RFC 9110 section 11.6.1: a
// scheme, then parameters separated by commas, which separate challenges as well.
type challengeParser struct {
	rest   string
	scheme string
	params map[string]string // names in lower case
}

func (p *challengeParser) next() bool {
	p.rest = strings.TrimLeft(p.rest, " \t,")
	p.scheme = p.token()
	if p.scheme == "" {
		return false
	}
	p.params = make(map[string]string)
	for {
		p.rest = strings.TrimLeft(p.rest, " \t,")
		before := p.rest
		name := p.token()
		p.rest = strings.TrimLeft(p.rest, " \t")
		if name == "" || !strings.HasPrefix(p.rest, "=") {
			p.rest = before // the next scheme, or the end
			return true
		}
		p.rest = strings.TrimLeft(p.rest[1:], " \t")
		name = strings.ToLower(name)
		value := p.value()
		if _, ok := p.params[name]; !ok {
			p.params[name] = value
		}
	}
}

func (p *challengeParser) token() string {
	i := strings.IndexFunc(p.rest, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
	if i < 0 {
		i = len(p.rest)
	}
	token := p.rest[:i]
	p.rest = p.rest[i:]
	return token
}

// value reads a quoted string, or up to the next separator: some servers do not
// quote values such as addresses.
func (p *challengeParser) value() string {
	if !strings.HasPrefix(p.rest, `"`) {
		i := strings.IndexAny(p.rest, " \t,")
		if i < 0 {
			i = len(p.rest)
		}
		value := p.rest[:i]
		p.rest = p.rest[i:]
		return value
	}
	var out strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return out.String()
		case c == '\\' && i+1 < len(p.rest):
			i++
			out.WriteByte(p.rest[i])
		default:
			out.WriteByte(c)
		}
	}
	p.rest = ""
	return out.String()
}
