// Package config says how MCP servers are reached, whatever program configured
// them: [Server] is what runs, [Source] the entry that says so, and [Fault] why
// it cannot run. It holds the secrets of a server's configuration, and what may
// be shown of it without them (Program, Address, Arguments, Redact).
//
// Package clients makes Servers of configuration files; the other packages of
// mcp start them.
package config

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
	Stdio          = "stdio"
	StreamableHTTP = "http"
	SSE            = "sse" // HTTP as it was until 2024-11-05
)

// maxTimeout bounds configured times: some write a number for "for ever".
const MaxTimeout = 30 * 24 * time.Hour

// definition says how one server is reached, variables expanded, and where
// that is written.
type Server struct {
	Source
	AlsoIn []Source // other places that configure the same server

	Transport string
	Command   string
	Args      []string
	Env       map[string]string
	Dir       string // where the process runs; "" is the home folder
	URL       string
	Headers   map[string]string
	Login     Login

	StartTimeout time.Duration // 0 is the default
	CallTimeout  time.Duration // of a tool call; 0 is the default
	// installTimeout bounds a start that makes progress; 0 is the default.
	InstallTimeout time.Duration
	Tools          policy.Filter
	Limits         policy.Filter // those of entries of ctxfs's own, which hold besides
	FileCalls      *bool         // nil is as for all
	Disabled       bool
	EnableHint     string // what enables it, where it is disabled
	// fault says why the server cannot be started as it is configured.
	Fault *Fault
	// notes are remarks for STATUS.md.
	Notes []string
	// secrets are the values that may not appear in any text.
	Secrets []string
}

// The scopes.
const (
	ScopeUser    = "user"    // the user's own, everywhere
	ScopeLocal   = "local"   // the user's own, in one project
	ScopeProject = "project" // that of whoever wrote the project
	ScopePlugin  = "plugin"  // of a plugin that the user has installed
	ScopeSystem  = "system"  // of the machine
)

// source is a place that configures a server.
type Source struct {
	Client  string // "ctxfs", "claude-code", "cursor"
	Scope   string
	Project string // the folder of the project, or ""
	File    string
	Line    int       // 0 where it is not known
	Name    string    // as written there
	Time    time.Time // of the file
}

// origin tells the files apart that configure servers: one file may configure
// those of many projects.
func (s Source) Origin() string {
	if s.Scope != ScopeLocal {
		return s.File
	}
	return s.File + "\x00" + s.Project
}

// The states of a server that cannot run as it is configured; stateError is also
// that of one that was tried and failed.
const (
	StateError      = "error"               // it cannot be used; the fault says why
	StateUntrusted  = "untrusted"           // its project is not trusted
	StateUnresolved = "unresolved-variable" // a variable of its configuration has no value
)

// fault is why a server does not work, with the words for its STATUS.md.
type Fault struct {
	State    string
	What     string
	Fix      string
	Reported bool // as a problem of its file, which all servers in it share
	Lapsed   bool // the user has wanted the server, and must do so again
}

// loginEntry is what an entry says of logging in to its server.
type Login struct {
	ClientID     string
	ClientSecret string
	Scopes       []string
	RedirectURL  string // the redirect address
	MetadataURL  string // the address of the authorization server's metadata
	Off          bool   // no login is wanted
}

func (l Login) Same(o Login) bool {
	return l.ClientID == o.ClientID && l.ClientSecret == o.ClientSecret && slices.Equal(l.Scopes, o.Scopes) &&
		l.RedirectURL == o.RedirectURL && l.MetadataURL == o.MetadataURL && l.Off == o.Off
}

// identity tells servers apart: a name in a file.
func (d *Server) Identity() string { return d.Name + "\x00" + d.Origin() }

// same tells whether two definitions start the same server. That a project is
// not trusted does not make it another one.
func (d *Server) Same(o *Server) bool {
	return d.usable() && o.usable() &&
		d.Transport == o.Transport &&
		d.Command == o.Command && slices.Equal(d.Args, o.Args) && maps.Equal(d.Env, o.Env) &&
		d.URL == o.URL && maps.Equal(d.Headers, o.Headers)
}

// usable tells whether the entry says how the server is reached.
func (d *Server) usable() bool { return d.Fault == nil || d.Fault.State == StateUntrusted }

// startable tells whether there is anything to start.
func (d *Server) Startable() bool { return !d.Disabled && d.Fault == nil }

// unchanged tells whether a server of definition d may go on as one of o.
func (d *Server) Unchanged(o *Server) bool {
	if (d.Fault == nil) != (o.Fault == nil) || d.Fault != nil && *d.Fault != *o.Fault {
		return false
	}
	return (d.Fault != nil || d.Same(o) && d.Dir == o.Dir && d.Login.Same(o.Login)) && d.Disabled == o.Disabled && d.StartTimeout == o.StartTimeout && d.InstallTimeout == o.InstallTimeout &&
		d.CallTimeout == o.CallTimeout && d.Tools.Equal(o.Tools) && d.Limits.Equal(o.Limits) && slices.Equal(d.Notes, o.Notes)
}

// hash names the command or the address without giving it away: no variable
// of the environment and no header goes into it.
func (d *Server) CommandHash() string {
	what, err := json.Marshal([]any{d.Transport, d.Command, d.Args, d.URL})
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(what)
	return hex.EncodeToString(sum[:])
}

// sources are all places that configure the server, the decisive one first.
func (d *Server) Sources() []Source { return append([]Source{d.Source}, d.AlsoIn...) }

// address is what may be shown of the URL: addresses carry tokens in user
// info, path and query.
func (d *Server) Address() string {
	u, err := url.Parse(d.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// program is what may be shown of the command: people write options into it.
func (d *Server) Program() string {
	if fields := strings.Fields(d.Command); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// runs is what may be shown of what is started or asked.
func (d *Server) Runs() string {
	if d.Transport == Stdio {
		return clean.Line(d.Redact(d.Program()))
	}
	return clean.Line(d.Redact(d.Address()))
}

// entry is where the definition is written, for a text: "the entry "x" in FILE".
func (s Source) EntryText() string { return "the entry " + s.QuotedName() + " in " + s.File }

// quotedName is the server's name for a text.
func (s Source) QuotedName() string {
	return fmt.Sprintf("%q", clean.Cut(clean.Line(s.Name), 120))
}

// minSecret is the length in bytes of the shortest value that is taken for a
// secret: shorter ones would blot out ordinary words.
const minSecret = 6

// keepSecret remembers values that may not appear in any text, the longest
// first, so that a secret within another one leaves no rest.
func (d *Server) AddSecrets(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(d.Secrets, v) {
			d.Secrets = append(d.Secrets, v)
		}
	}
	slices.SortFunc(d.Secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// keepSecrets remembers what the definition itself says in confidence.
func (d *Server) AddOwnSecrets() {
	for name, v := range d.Env {
		if !Inherited(name) {
			d.AddSecrets(v)
		}
	}
	for _, v := range d.Headers {
		d.AddSecrets(v)
		if _, token, ok := strings.Cut(v, " "); ok { // "Bearer <token>"
			d.AddSecrets(strings.TrimSpace(token))
		}
	}
	d.AddSecrets(d.Login.ClientSecret)
	if u, err := url.Parse(d.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			d.AddSecrets(password)
		}
		d.AddSecrets(u.User.Username(), u.RawQuery)
		for _, values := range u.Query() {
			d.AddSecrets(values...)
		}
	}
}

// redact replaces the secrets in a text.
func (d *Server) Redact(text string) string {
	for _, s := range d.Secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	return text
}
