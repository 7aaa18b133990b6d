package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/policy"
)

// The transports.
const (
	stdio          = "stdio"
	streamableHTTP = "http"
	sse            = "sse" // HTTP as it was until 2024-11-05
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
	dir       string // where the process runs; "" is the home folder
	url       string
	headers   map[string]string
	login     loginEntry

	startTimeout time.Duration // 0 is the default
	callTimeout  time.Duration // of a tool call; 0 is the default
	// installTimeout bounds a start that makes progress; 0 is the default.
	installTimeout time.Duration
	tools          policy.Filter
	limits         policy.Filter // those of entries of ctxfs's own, which hold besides
	fileCalls      *bool         // nil is as for all
	disabled       bool
	enable         string // what enables it, where it is disabled
	// fault says why the server cannot be started as it is configured.
	fault *fault
	// notes are remarks for STATUS.md.
	notes []string
	// secrets are the values that may not appear in any text.
	secrets []string

	// Until finish:
	base    string     // folder that a relative one is in
	wrong   string     // what is wrong with the entry as it is written
	unset   []unset    // variables without a value
	partial bool       // the entry only switches one of another file on or off
	trust   trust      // of an entry of a project
	change  *ownServer // an entry of ctxfs's own that changes those of its name
	lost    fs.Problem // of the file, which cannot be used
	reads   []string   // other files that the entry reads
}

// clone is a definition of its own.
func (d *definition) clone() *definition {
	c := *d
	c.also, c.notes, c.unset = slices.Clone(d.also), slices.Clone(d.notes), slices.Clone(d.unset)
	c.args, c.secrets = slices.Clone(d.args), slices.Clone(d.secrets)
	c.env, c.headers = maps.Clone(d.env), maps.Clone(d.headers)
	return &c
}

// source is a place that configures a server.
type source struct {
	client  string // "ctxfs", "claude-code", "cursor"
	scope   string
	project string // the folder of the project, or ""
	file    string
	line    int       // 0 where it is not known
	name    string    // as written there
	time    time.Time // of the file
}

// origin tells the files apart that configure servers: one file may configure
// those of many projects.
func (s source) origin() string {
	if s.scope != scopeLocal {
		return s.file
	}
	return s.file + "\x00" + s.project
}

// fault is why a server does not work, with the words for its STATUS.md.
type fault struct {
	state  string
	what   string
	mend   string
	told   bool // as a problem of its file, which all servers in it share
	lapsed bool // the user has wanted the server, and must do so again
}

// identity tells servers apart: a name in a file.
func (d *definition) identity() string { return d.name + "\x00" + d.origin() }

// same tells whether two definitions start the same server. That a project is
// not trusted does not make it another one.
func (d *definition) same(o *definition) bool {
	return d.usable() && o.usable() &&
		d.transport == o.transport &&
		d.command == o.command && slices.Equal(d.args, o.args) && maps.Equal(d.env, o.env) &&
		d.url == o.url && maps.Equal(d.headers, o.headers)
}

// usable tells whether the entry says how the server is reached.
func (d *definition) usable() bool { return d.fault == nil || d.fault.state == stateUntrusted }

// unchanged tells whether a server of definition d may go on as one of o.
func (d *definition) unchanged(o *definition) bool {
	if (d.fault == nil) != (o.fault == nil) || d.fault != nil && *d.fault != *o.fault {
		return false
	}
	return (d.fault != nil || d.same(o) && d.dir == o.dir && d.login.same(o.login)) && d.disabled == o.disabled && d.startTimeout == o.startTimeout && d.installTimeout == o.installTimeout &&
		d.callTimeout == o.callTimeout && d.tools.Equal(o.tools) && d.limits.Equal(o.limits) && slices.Equal(d.notes, o.notes)
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

// entry is where the definition is written, for a text: "the entry "x" in FILE".
func (s source) entry() string { return "the entry " + s.quotedName() + " in " + s.file }

// quotedName is the server's name for a text.
func (s source) quotedName() string {
	return fmt.Sprintf("%q", clean.Cut(clean.Line(s.name), 120))
}

// disable switches the server off; how says how to switch it on again, up to
// the words "the entry".
func (d *definition) disable(how string) {
	d.disabled, d.enable = true, how+d.entry()
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
	d.keepSecret(d.login.clientSecret)
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
