package clients

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

// own is the table [mcp] of ctxfs's own configuration. Each server is decoded
// by itself, so that a fault in one leaves the others.
type own struct {
	Servers map[string]any `toml:"servers"`
	// Inputs are the values of ${input:ID} in VS Code's files.
	Inputs map[string]string `toml:"inputs"`
	// IdleTimeout is how long a server runs that is not used, such as "10m";
	// "0" is for ever.
	IdleTimeout string `toml:"idle_timeout"`
	// TokenStore is "keyring" or "file".
	TokenStore string `toml:"token_store"`
	// FileCalls has a file that is created in the folder calls of a server
	// call a tool.
	FileCalls bool `toml:"file_calls"`
	// Policy is an [ownPolicy], decoded by itself.
	Policy           map[string]any `toml:"policy"`
	ClientIDDocument string         `toml:"client_id_document"`
}

// ownServer is one [mcp.servers.NAME]. One with a command or a url replaces
// those of that name which are found elsewhere, one that is disabled disables
// them, and any other changes their keys. Variables in its texts are written
// ${NAME} or ${NAME:-default}.
type ownServer struct {
	Type         string            `toml:"type"`
	Command      string            `toml:"command"`
	Args         []string          `toml:"args"`
	Env          map[string]string `toml:"env"`
	Cwd          string            `toml:"cwd"`
	URL          string            `toml:"url"`
	Headers      map[string]string `toml:"headers"`
	Disabled     *bool             `toml:"disabled"`
	StartTimeout *float64          `toml:"start_timeout"` // seconds
	// InstallTimeout is how long a start may take that makes progress, as where
	// packages are installed.
	InstallTimeout *float64 `toml:"install_timeout"` // seconds
	CallTimeout    *float64 `toml:"call_timeout"`    // seconds
	// AllowTools and DenyTools are patterns of the tools that are shown, and
	// of those that are not.
	AllowTools []string `toml:"allow_tools"`
	DenyTools  []string `toml:"deny_tools"`
	// FileCalls is that of [mcp], for this server.
	FileCalls *bool `toml:"file_calls"`
	// OAuth is the client as which to log in, where it was registered by hand.
	OAuth *ownLogin `toml:"oauth"`
}

// maxStartTimeout bounds start_timeout, install_timeout and call_timeout.
const maxStartTimeout = time.Hour

// ownFile is ctxfs's own configuration.
type Own struct {
	Path string
	// settings is what the file holds; nil where it cannot be used, for which bad
	// says why.
	Settings *settings.File
	Bad      *fs.Problem
}

// ownSettings are what [mcp] says besides the servers, but for the policy.
type Settings struct {
	// idleTimeout is how long a server runs that is not used; 0 is for ever.
	IdleTimeout time.Duration
	// tokenFiles has secrets kept in files, not in the keyring.
	TokenFiles bool
	// clientIDDocument is the address of a client ID metadata document, or "".
	ClientIDDocument string
	// fileCalls has files call tools.
	FileCalls bool
	inputs    map[string]string
}

// usualIdle is how long a server runs that nobody uses, if nothing is
// configured: its lists are known, and it starts again when it is needed.
const usualIdle = 10 * time.Minute

// read reads ctxfs's own servers.
func (o Own) read(m machine) File {
	c := File{Path: o.Path, Client: "ctxfs", Scope: config.ScopeUser, settings: Settings{IdleTimeout: usualIdle}}
	if o.Bad != nil {
		c.Exists, c.Bad = true, o.Bad
		return c
	}
	problem := func(err error) {
		c.problems = append(c.problems, fs.Problem{What: clean.Line(err.Error()), Mend: "correct " + o.Path + "; it is read again at once"})
	}
	var table own
	if err := o.Settings.Decode(&table, "mcp"); err != nil {
		problem(err)
	}
	table.take(&c.settings, o.Path, problem)
	var changed time.Time
	if info, err := os.Stat(o.Path); err == nil {
		c.Exists, changed = true, info.ModTime()
	}
	for _, name := range slices.Sorted(maps.Keys(table.Servers)) {
		d := &Entry{Server: config.Server{Source: config.Source{
			Client: "ctxfs", Scope: config.ScopeUser, File: o.Path, Name: name, Time: changed, Line: o.Settings.Line("mcp", "servers", name),
		}}}
		readOwnServer(o.Settings, d, m)
		c.Entries = append(c.Entries, d)
	}
	return c
}

// take reads the settings. Those that are wrong stay as they are.
func (table own) take(into *Settings, path string, problem func(error)) {
	into.inputs, into.FileCalls = table.Inputs, table.FileCalls
	if table.IdleTimeout != "" {
		idle, err := time.ParseDuration(table.IdleTimeout)
		if err != nil || idle < 0 {
			problem(fmt.Errorf("%s: idle_timeout is %q; it is a time such as \"10m\", or \"0\" for ever", path, clean.Line(table.IdleTimeout)))
		} else {
			into.IdleTimeout = idle
		}
	}
	if err := table.takeLogins(into); err != nil {
		problem(fmt.Errorf("%s: %w", path, err))
	}
}

// readOwnServer reads the entry of a server into d.
func readOwnServer(f *settings.File, d *Entry, m machine) {
	x := &expander{dialect: shellDialect, machine: m}
	d.base = m.Home
	e := new(ownServer)
	if err := f.Decode(e, "mcp", "servers", d.Name); err != nil {
		d.wrong = clean.Line(err.Error())
		return
	}
	d.Command, d.Args, d.Env = x.text("command", e.Command), x.texts("args", e.Args), x.table("env", e.Env)
	d.Dir = x.text("cwd", e.Cwd)
	d.URL, d.Headers = x.text("url", e.URL), x.table("headers", e.Headers)
	d.Login, d.FileCalls = e.OAuth.read(x), e.FileCalls
	d.Tools = policy.Filter{Allow: e.AllowTools, Deny: e.DenyTools}
	if e.Disabled != nil && *e.Disabled {
		d.disable("take `disabled` out of ")
	}
	d.StartTimeout = d.seconds("start_timeout", e.StartTimeout)
	d.InstallTimeout = d.seconds("install_timeout", e.InstallTimeout)
	d.CallTimeout = d.seconds("call_timeout", e.CallTimeout)
	switch {
	case d.wrong != "":
	case d.Command != "" || d.URL != "":
		d.wrong = d.choose(e.Type)
	case !d.Disabled:
		d.change = e
	}
	d.unset = x.unset
	d.AddSecrets(x.secrets...)
}

// seconds is a configured time.
func (d *Entry) seconds(key string, n *float64) time.Duration {
	if n == nil {
		return 0
	}
	if !(*n >= 0 && *n <= maxStartTimeout.Seconds()) { // nan is neither
		d.wrong = fmt.Sprintf("%s is %g; it is a number of seconds up to %g", key, *n, maxStartTimeout.Seconds())
		return 0
	}
	return time.Duration(*n * float64(time.Second))
}

// limit has the allow_tools and deny_tools of an entry of ctxfs's own hold
// besides.
func (d *Entry) limit(o *Entry) {
	if !o.Tools.IsEmpty() {
		d.Limits = d.Limits.And(o.Tools)
		d.Notes = append(d.Notes, o.File+" limits its tools, by the entry "+o.QuotedName())
	}
}

// apply makes the changes of an entry of ctxfs's own to a definition.
func (d *Entry) apply(o *Entry) {
	var keys []string
	set := func(key string, given bool, change func()) {
		if given {
			keys = append(keys, key)
			d.unset = slices.DeleteFunc(d.unset, func(u unset) bool { return u.key == key })
			change()
		}
	}
	merge := func(key string, of *map[string]string, with map[string]string) {
		set(key, len(with) > 0, func() {
			d.unset = slices.DeleteFunc(d.unset, func(u unset) bool {
				name, ok := strings.CutPrefix(u.key, key+".")
				_, given := with[name]
				return ok && given
			})
			if *of == nil {
				*of = make(map[string]string)
			}
			maps.Copy(*of, with)
		})
	}
	c := o.change
	set("type", c.Type != "", func() {
		if wrong := d.choose(c.Type); wrong != "" && d.wrong == "" {
			d.wrong = wrong
		}
	})
	set("args", c.Args != nil, func() { d.Args = o.Args })
	set("cwd", c.Cwd != "", func() { d.Dir, d.base = o.Dir, o.base })
	if d.Transport == config.Stdio {
		merge("env", &d.Env, o.Env)
	} else {
		merge("headers", &d.Headers, o.Headers)
	}
	set("oauth", c.OAuth != nil, func() { d.Login = o.Login })
	set("disabled", c.Disabled != nil, func() { d.Disabled, d.EnableHint = false, "" })
	set("start_timeout", c.StartTimeout != nil, func() { d.StartTimeout = o.StartTimeout })
	set("install_timeout", c.InstallTimeout != nil, func() { d.InstallTimeout = o.InstallTimeout })
	set("call_timeout", c.CallTimeout != nil, func() { d.CallTimeout = o.CallTimeout })
	set("file_calls", c.FileCalls != nil, func() { d.FileCalls = o.FileCalls })
	set("allow_tools", c.AllowTools != nil, func() {
		d.Tools.Allow = o.Tools.Allow
		d.Limits = d.Limits.And(policy.Filter{Allow: o.Tools.Allow})
	})
	set("deny_tools", c.DenyTools != nil, func() {
		d.Tools.Deny = o.Tools.Deny
		d.Limits = d.Limits.And(policy.Filter{Deny: o.Tools.Deny})
	})
	d.unset = append(d.unset, o.unset...)
	d.AddSecrets(o.Secrets...)
	if len(keys) > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s changes its %s", o.File, strings.Join(keys, ", ")))
	}
}
