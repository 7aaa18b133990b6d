package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The two transports.
const (
	stdio          = "stdio"
	streamableHTTP = "http"
)

// definition says how one server is reached, variables expanded, and where
// that is written.
type definition struct {
	source
	also []source // other places that configure the same server

	transport string
	command   string
	args      []string
	env       map[string]string
	dir       string // "" is the home folder
	url       string
	headers   map[string]string

	startTimeout time.Duration // 0 is the default
	disabled     bool
	// fault says why the server cannot be started as it is configured.
	fault *fault
	// notes are remarks for STATUS.md.
	notes []string
	// secrets are the values that may not appear in any text.
	secrets []string
}

// source is a place that configures a server.
type source struct {
	client string // "ctxfs", "claude-code", "cursor"
	scope  string // "user"
	file   string
	name   string    // as written there
	time   time.Time // of the file
}

// fault is why a server does not work, with the words for its STATUS.md.
type fault struct {
	state string
	what  string
	mend  string
	told  bool // as a problem of its file, which all servers in it share
}

// identity tells servers apart: a name in a file.
func (d *definition) identity() string { return d.name + "\x00" + d.file }

// same tells whether two definitions start the same server.
func (d *definition) same(o *definition) bool {
	return d.fault == nil && o.fault == nil &&
		d.transport == o.transport &&
		d.command == o.command && slices.Equal(d.args, o.args) && d.dir == o.dir && maps.Equal(d.env, o.env) &&
		d.url == o.url && maps.Equal(d.headers, o.headers)
}

// unchanged tells whether a server of definition d may go on as one of o.
func (d *definition) unchanged(o *definition) bool {
	if (d.fault == nil) != (o.fault == nil) || d.fault != nil && *d.fault != *o.fault {
		return false
	}
	return (d.fault != nil || d.same(o)) && d.disabled == o.disabled && d.startTimeout == o.startTimeout &&
		slices.Equal(d.notes, o.notes)
}

// hash names the command or the address without giving it away: no variable
// of the environment and no header goes into it.
func (d *definition) hash() string {
	what, err := json.Marshal([]any{d.transport, d.command, d.args, d.url})
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(what)
	return hex.EncodeToString(sum[:])
}

// sources are all places that configure the server, the decisive one first.
func (d *definition) sources() []source { return append([]source{d.source}, d.also...) }

// address is what may be shown of the URL: addresses carry tokens in user
// info, path and query.
func (d *definition) address() string {
	u, err := url.Parse(d.url)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// program is what may be shown of the command: people write options into it.
func (d *definition) program() string {
	if fields := strings.Fields(d.command); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// minSecret is the length in bytes of the shortest value that is taken for a
// secret: shorter ones would blot out ordinary words.
const minSecret = 6

// keepSecret remembers values that may not appear in any text, the longest
// first, so that a secret within another one leaves no rest.
func (d *definition) keepSecret(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(d.secrets, v) {
			d.secrets = append(d.secrets, v)
		}
	}
	slices.SortFunc(d.secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// keepSecrets remembers what the definition itself says in confidence.
func (d *definition) keepSecrets() {
	for name, v := range d.env {
		if !inherited(name) {
			d.keepSecret(v)
		}
	}
	for _, v := range d.headers {
		d.keepSecret(v)
		if _, token, ok := strings.Cut(v, " "); ok { // "Bearer <token>"
			d.keepSecret(strings.TrimSpace(token))
		}
	}
	if u, err := url.Parse(d.url); err == nil {
		if password, ok := u.User.Password(); ok {
			d.keepSecret(password)
		}
		d.keepSecret(u.User.Username(), u.RawQuery)
		for _, values := range u.Query() {
			d.keepSecret(values...)
		}
	}
}

// redact replaces the secrets in a text.
func (d *definition) redact(text string) string {
	for _, s := range d.secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	return text
}
