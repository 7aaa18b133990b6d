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

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/policy"
)

// The transports.
const (
	stdio          = "stdio"
	streamableHTTP = "http"
	sse            = "sse" // HTTP as it was until 2024-11-05
)

// maxTimeout bounds configured times: some write a number for "for ever".
const maxTimeout = 30 * 24 * time.Hour

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
}

// The scopes.
const (
	scopeUser    = "user"    // the user's own, everywhere
	scopeLocal   = "local"   // the user's own, in one project
	scopeProject = "project" // that of whoever wrote the project
	scopePlugin  = "plugin"  // of a plugin that the user has installed
	scopeSystem  = "system"  // of the machine
)

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

// The states of a server that cannot run as it is configured; stateError is also
// that of one that was tried and failed.
const (
	stateError      = "error"               // it cannot be used; the fault says why
	stateUntrusted  = "untrusted"           // its project is not trusted
	stateUnresolved = "unresolved-variable" // a variable of its configuration has no value
)

// fault is why a server does not work, with the words for its STATUS.md.
type fault struct {
	state  string
	what   string
	mend   string
	told   bool // as a problem of its file, which all servers in it share
	lapsed bool // the user has wanted the server, and must do so again
}

// loginEntry is what an entry says of logging in to its server.
type loginEntry struct {
	clientID     string
	clientSecret string
	scopes       []string
	redirect     string // the redirect address
	metadata     string // the address of the authorization server's metadata
	off          bool   // no login is wanted
}

func (l loginEntry) same(o loginEntry) bool {
	return l.clientID == o.clientID && l.clientSecret == o.clientSecret && slices.Equal(l.scopes, o.scopes) &&
		l.redirect == o.redirect && l.metadata == o.metadata && l.off == o.off
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

// startable tells whether there is anything to start.
func (d *definition) startable() bool { return !d.disabled && d.fault == nil }

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

// runs is what may be shown of what is started or asked.
func (d *definition) runs() string {
	if d.transport == stdio {
		return clean.Line(d.redact(d.program()))
	}
	return clean.Line(d.redact(d.address()))
}

// entry is where the definition is written, for a text: "the entry "x" in FILE".
func (s source) entry() string { return "the entry " + s.quotedName() + " in " + s.file }

// quotedName is the server's name for a text.
func (s source) quotedName() string {
	return fmt.Sprintf("%q", clean.Cut(clean.Line(s.name), 120))
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
