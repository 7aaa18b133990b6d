// Package config describes how to reach MCP servers, whatever program configured
// them: [Server] is what runs, [Source] the entry that configures it, and [Fault]
// why it cannot run. It holds the secrets of a server's configuration, and the
// parts that may be shown (Program, Address, Arguments, Redact). [Sharing] says which
// calls share a process, [Programs] and [PackageOf] what a command runs and installs.
//
// Package clients makes Servers of configuration files; the other packages of
// mcp start them.
//
// Which calls may share a process is decided by what was read in a server's source,
// not by its name: servers that sound stateless read files of their folder. Others
// have a process for each project.
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

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/policy"
)

// The transports.
const (
	Stdio          = "stdio"
	StreamableHTTP = "http"
	SSE            = "sse" // HTTP as it was until 2024-11-05
)

// MaxTimeout bounds configured times: some users write a large number to mean
// "forever".
const MaxTimeout = 30 * 24 * time.Hour

// Server describes how to reach one server, with all variables expanded, and where
// it is configured.
type Server struct {
	Source
	AlsoIn []Source // other entries that configure the same server

	// Transport is [Stdio], [StreamableHTTP], or [SSE]. Stdio starts a process; the
	// others connect to URL.
	Transport string
	Command   string
	Args      []string
	Env       map[string]string // what the process gets besides [Environ]
	Dir       string            // the working folder of the process; "" is the home folder
	URL       string
	Headers   map[string]string
	Login     Login

	// StartTimeout bounds a start, CallTimeout a call of a tool, InstallTimeout a
	// start that makes progress; 0 is the default of each.
	StartTimeout, CallTimeout, InstallTimeout time.Duration

	// Projects are the folders of the projects that the server belongs to, that of
	// its Source first: see Owner. They are empty if it is the user's.
	Projects []string
	// Sharing says which calls share a process of the server.
	Sharing Sharing
	// InProject returns the server as it is run for a project; see In. It is nil
	// where the project makes no difference.
	InProject func(dir string) *Server

	// LogLevel is the least level of logging messages that the server is asked for;
	// "" leaves it to the server. It can change while the server runs.
	LogLevel string

	// Tools are the tools that the server's entry shows. Limits are further
	// filters, of entries of ctxfs's own: a tool must pass both.
	Tools, Limits policy.Filter
	FileCalls     *bool // whether files call tools; nil is the setting of [mcp]
	Disabled      bool
	EnableHint    string // the change that enables a disabled server
	// Fault is why the server cannot be started as it is configured; nil if it can.
	Fault *Fault
	// Notes are remarks for STATUS.md.
	Notes []string
	// Secrets are the values that must not appear in any text, the longest first.
	Secrets []string
}

// The scopes of a [Source].
const (
	ScopeUser    = "user"    // written by the user, for everywhere
	ScopeLocal   = "local"   // written by the user, for one project
	ScopeProject = "project" // written by the authors of a project
	ScopePlugin  = "plugin"  // part of a plugin that the user has installed
	ScopeSystem  = "system"  // written by the administrator of the machine
)

// Source is the entry of a file that configures a server.
type Source struct {
	Client  string // "ctxfs", or the id of an agent
	Scope   string
	Project string // the folder of the project; "" in scopes without a project
	File    string
	Line    int       // 0 if it is not known
	Name    string    // the server's name, as written there
	Time    time.Time // when the file was modified
}

// Origin identifies the file, and in the scope "local" the project: one file of
// Claude Code configures the servers of many projects.
func (s Source) Origin() string {
	if s.Scope != ScopeLocal {
		return s.File
	}
	return s.File + "\x00" + s.Project
}

// Clients returns the ids of the agents whose own files configure the server, sorted.
func (s *Server) Clients() (ids []string) {
	for _, source := range append(s.AlsoIn[:len(s.AlsoIn):len(s.AlsoIn)], s.Source) {
		if source.Client != "ctxfs" && !slices.Contains(ids, source.Client) {
			ids = append(ids, source.Client)
		}
	}
	slices.Sort(ids)
	return ids
}

// The states of a server that cannot run as it is configured. StateError is also
// that of a server that was started and failed.
const (
	StateError      = "error"               // it cannot be used; the fault says why
	StateUntrusted  = "untrusted"           // its project is not trusted
	StateUnresolved = "unresolved-variable" // a variable of its configuration has no value
)

// Fault is why a server cannot run, in the words of its STATUS.md.
type Fault struct {
	State string
	What  string
	Fix   string // the command or change that fixes it
	// Reported is set if it is also reported as a problem of the file, which all
	// servers in it share.
	Reported bool
	// WantsProject is set if nothing but a project is missing: In returns the server
	// without the fault.
	WantsProject bool
	// Lapsed is set if the user has trusted the server as it was before.
	Lapsed bool
}

// Login is what an entry says about logging in to its server.
type Login struct {
	ClientID     string
	ClientSecret string
	Scopes       []string
	RedirectURL  string
	MetadataURL  string // of the authorization server's metadata
	Off          bool   // no login is wanted
}

// Same reports whether two entries say the same.
func (l Login) Same(o Login) bool {
	return l.ClientID == o.ClientID && l.ClientSecret == o.ClientSecret && slices.Equal(l.Scopes, o.Scopes) &&
		l.RedirectURL == o.RedirectURL && l.MetadataURL == o.MetadataURL && l.Off == o.Off
}

// Identity identifies the server by its name and its file.
func (s *Server) Identity() string { return s.Name + "\x00" + s.Origin() }

// Same reports whether both start the same server. Trust in its project makes no
// difference.
func (s *Server) Same(o *Server) bool {
	return s.usable() && o.usable() &&
		s.Transport == o.Transport &&
		s.Command == o.Command && slices.Equal(s.Args, o.Args) && maps.Equal(s.Env, o.Env) &&
		s.URL == o.URL && maps.Equal(s.Headers, o.Headers)
}

// usable reports whether the entry says how the server is reached.
func (s *Server) usable() bool {
	return s.Fault == nil || s.Fault.State == StateUntrusted || s.Fault.WantsProject
}

// Startable reports whether the server can be started.
func (s *Server) Startable() bool { return !s.Disabled && s.Fault == nil }

// Unchanged reports whether a running server may continue with the configuration o.
func (s *Server) Unchanged(o *Server) bool {
	if (s.Fault == nil) != (o.Fault == nil) || s.Fault != nil && *s.Fault != *o.Fault {
		return false
	}
	return (s.Fault != nil && !s.Fault.WantsProject || s.Same(o) && s.Dir == o.Dir && s.Login.Same(o.Login)) && s.Disabled == o.Disabled && s.Sharing == o.Sharing && slices.Equal(s.Projects, o.Projects) && s.StartTimeout == o.StartTimeout && s.InstallTimeout == o.InstallTimeout &&
		s.CallTimeout == o.CallTimeout && s.Tools.Equal(o.Tools) && s.Limits.Equal(o.Limits)
}

// CommandHash returns a hash of the command or the address. No variable of the
// environment and no header is part of it: it is kept where others may read it.
func (s *Server) CommandHash() string {
	what, err := json.Marshal([]any{s.Transport, s.Command, s.Args, s.URL})
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(what)
	return hex.EncodeToString(sum[:])
}

// LogLevels returns the levels of logging messages, the least first: those of
// RFC 5424.
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// Sources returns all entries that configure the server, the decisive one first.
func (s *Server) Sources() []Source { return append([]Source{s.Source}, s.AlsoIn...) }

// Address returns what may be shown of the URL, scheme and host: user info, path,
// and query carry tokens.
func (s *Server) Address() string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Program returns what may be shown of the command, its first word: users write
// options into it.
func (s *Server) Program() string {
	if fields := strings.Fields(s.Command); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// Runs returns what may be shown of the target: the program, or the address.
func (s *Server) Runs() string {
	if s.Transport == Stdio {
		return clean.Line(s.Redact(s.Program()))
	}
	return clean.Line(s.Redact(s.Address()))
}

// EntryText names the entry in a sentence: `the entry "x" in FILE`.
func (s Source) EntryText() string { return "the entry " + s.QuotedName() + " in " + s.File }

// QuotedName returns the server's name for a sentence, quoted and cut.
func (s Source) QuotedName() string { return fmt.Sprintf("%q", clean.Cut(clean.Line(s.Name), 120)) }

// minSecret is the length in bytes of the shortest value that is treated as a
// secret: shorter ones would hide ordinary words.
const minSecret = 6

// AddSecrets adds values to Secrets, the longest first, so that replacing a secret
// leaves no rest of one that contains it.
func (s *Server) AddSecrets(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(s.Secrets, v) {
			s.Secrets = append(s.Secrets, v)
		}
	}
	slices.SortFunc(s.Secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// AddOwnSecrets adds the secrets in the environment, the headers, the login, and
// the URL.
func (s *Server) AddOwnSecrets() {
	for name, v := range s.Env {
		if !Ordinary(name) {
			s.AddSecrets(v)
		}
	}
	for _, v := range s.Headers {
		s.AddSecrets(v)
		if _, token, ok := strings.Cut(v, " "); ok { // "Bearer <token>"
			s.AddSecrets(strings.TrimSpace(token))
		}
	}
	s.AddSecrets(s.Login.ClientSecret)
	if u, err := url.Parse(s.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			s.AddSecrets(password)
		}
		s.AddSecrets(u.User.Username(), u.RawQuery)
		for _, values := range u.Query() {
			s.AddSecrets(values...)
		}
	}
}

// Redact returns the text with all secrets replaced by "***".
func (s *Server) Redact(text string) string {
	for _, secret := range s.Secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

// ordinary are variables whose values are no secrets.
var ordinary = [...]string{
	"HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// Ordinary reports whether the value of a variable is no secret.
func Ordinary(name string) bool { return slices.Contains(ordinary[:], name) }

// ofShell are variables that belong to one shell.
var ofShell = [...]string{"PWD", "OLDPWD", "SHLVL", "_"}

// Environ returns the environment of a server's process: what is configured for it, and all that
// the user has set, as every client passes it on (installers need proxies, certificates and
// registries), but for what belongs to one shell or to ctxfs.
func Environ(environ []string, home string, configured map[string]string) []string {
	env := make(map[string]string)
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && !slices.Contains(ofShell[:], name) && !strings.HasPrefix(name, "CTXFS_") {
			env[name] = value
		}
	}
	env["HOME"] = home
	maps.Copy(env, configured)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.ContainsAny(name+env[name], "\x00") {
			out = append(out, name+"="+env[name])
		}
	}
	return out
}

// Which calls share one process of a server.
const (
	ShareUser    = "user"    // all of them
	ShareProject = "project" // those from within one project
	ShareSession = "session" // those of one session of an agent
)

// Sharing says which calls share one process of a server, and why.
type Sharing struct {
	By  string // [ShareUser], [ShareProject] or [ShareSession]
	Why string // one sentence, for STATUS.md
}

// Owner returns the project of the server in whose folder a caller's project is, or
// that itself: the one for which the server is run. For a server that is the user's
// own, owner is the caller's project. Ok reports whether the server may be called
// from there; a server of projects may not be called from elsewhere.
func (s *Server) Owner(project string) (owner string, ok bool) {
	if len(s.Projects) == 0 {
		return project, true
	}
	for _, folder := range s.Projects {
		if fs.Within(project, folder) && len(folder) > len(owner) {
			owner = folder
		}
	}
	return owner, owner != ""
}

// In returns the server as it is run for a project: in its folder, and with the
// variables of a workspace expanded as the program that configures it does. In
// returns s itself if the project is "" or makes no difference.
func (s *Server) In(project string) *Server {
	if project == "" || s.InProject == nil {
		return s
	}
	return s.InProject(project)
}
