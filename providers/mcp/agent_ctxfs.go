package mcp

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
type ownFile struct {
	path string
	// settings is what the file holds; nil where it cannot be used, for which bad
	// says why.
	settings *settings.File
	bad      *fs.Problem
}

// ownSettings are what [mcp] says besides the servers, but for the policy.
type ownSettings struct {
	// idleTimeout is how long a server runs that is not used; 0 is for ever.
	idleTimeout time.Duration
	// tokenFiles has secrets kept in files, not in the keyring.
	tokenFiles bool
	// clientIDDocument is the address of a client ID metadata document, or "".
	clientIDDocument string
	// fileCalls has files call tools.
	fileCalls bool
	inputs    map[string]string
}

// usualIdle is how long a server runs that nobody uses, if nothing is
// configured: its lists are known, and it starts again when it is needed.
const usualIdle = 10 * time.Minute

// read reads ctxfs's own servers.
func (o ownFile) read(s surroundings) file {
	c := file{path: o.path, client: "ctxfs", scope: scopeUser, settings: ownSettings{idleTimeout: usualIdle}}
	if o.bad != nil {
		c.there, c.bad = true, o.bad
		return c
	}
	problem := func(err error) {
		c.problems = append(c.problems, fs.Problem{What: clean.Line(err.Error()), Mend: "correct " + o.path + "; it is read again at once"})
	}
	var table own
	if err := o.settings.Decode(&table, "mcp"); err != nil {
		problem(err)
	}
	table.take(&c.settings, o.path, problem)
	var changed time.Time
	if info, err := os.Stat(o.path); err == nil {
		c.there, changed = true, info.ModTime()
	}
	for _, name := range slices.Sorted(maps.Keys(table.Servers)) {
		d := &entry{definition: definition{source: source{
			client: "ctxfs", scope: scopeUser, file: o.path, name: name, time: changed, line: o.settings.Line("mcp", "servers", name),
		}}}
		readOwnServer(o.settings, d, s)
		c.entries = append(c.entries, d)
	}
	return c
}

// take reads the settings. Those that are wrong stay as they are.
func (table own) take(into *ownSettings, path string, problem func(error)) {
	into.inputs, into.fileCalls = table.Inputs, table.FileCalls
	if table.IdleTimeout != "" {
		idle, err := time.ParseDuration(table.IdleTimeout)
		if err != nil || idle < 0 {
			problem(fmt.Errorf("%s: idle_timeout is %q; it is a time such as \"10m\", or \"0\" for ever", path, clean.Line(table.IdleTimeout)))
		} else {
			into.idleTimeout = idle
		}
	}
	if err := table.takeLogins(into); err != nil {
		problem(fmt.Errorf("%s: %w", path, err))
	}
}

// readOwnServer reads the entry of a server into d.
func readOwnServer(f *settings.File, d *entry, s surroundings) {
	x := &expander{dialect: shellDialect, surroundings: s}
	d.base = s.home
	e := new(ownServer)
	if err := f.Decode(e, "mcp", "servers", d.name); err != nil {
		d.wrong = clean.Line(err.Error())
		return
	}
	d.command, d.args, d.env = x.text("command", e.Command), x.texts("args", e.Args), x.table("env", e.Env)
	d.dir = x.text("cwd", e.Cwd)
	d.url, d.headers = x.text("url", e.URL), x.table("headers", e.Headers)
	d.login, d.fileCalls = e.OAuth.read(x), e.FileCalls
	d.tools = policy.Filter{Allow: e.AllowTools, Deny: e.DenyTools}
	if e.Disabled != nil && *e.Disabled {
		d.disable("take `disabled` out of ")
	}
	d.startTimeout = d.seconds("start_timeout", e.StartTimeout)
	d.installTimeout = d.seconds("install_timeout", e.InstallTimeout)
	d.callTimeout = d.seconds("call_timeout", e.CallTimeout)
	switch {
	case d.wrong != "":
	case d.command != "" || d.url != "":
		d.wrong = d.choose(e.Type)
	case !d.disabled:
		d.change = e
	}
	d.unset = x.unset
	d.keepSecret(x.secrets...)
}

// seconds is a configured time.
func (d *entry) seconds(key string, n *float64) time.Duration {
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
func (d *entry) limit(o *entry) {
	if !o.tools.IsEmpty() {
		d.limits = d.limits.And(o.tools)
		d.notes = append(d.notes, o.file+" limits its tools, by the entry "+o.quotedName())
	}
}

// apply makes the changes of an entry of ctxfs's own to a definition.
func (d *entry) apply(o *entry) {
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
	set("args", c.Args != nil, func() { d.args = o.args })
	set("cwd", c.Cwd != "", func() { d.dir, d.base = o.dir, o.base })
	if d.transport == stdio {
		merge("env", &d.env, o.env)
	} else {
		merge("headers", &d.headers, o.headers)
	}
	set("oauth", c.OAuth != nil, func() { d.login = o.login })
	set("disabled", c.Disabled != nil, func() { d.disabled, d.enable = false, "" })
	set("start_timeout", c.StartTimeout != nil, func() { d.startTimeout = o.startTimeout })
	set("install_timeout", c.InstallTimeout != nil, func() { d.installTimeout = o.installTimeout })
	set("call_timeout", c.CallTimeout != nil, func() { d.callTimeout = o.callTimeout })
	set("file_calls", c.FileCalls != nil, func() { d.fileCalls = o.fileCalls })
	set("allow_tools", c.AllowTools != nil, func() {
		d.tools.Allow = o.tools.Allow
		d.limits = d.limits.And(policy.Filter{Allow: o.tools.Allow})
	})
	set("deny_tools", c.DenyTools != nil, func() {
		d.tools.Deny = o.tools.Deny
		d.limits = d.limits.And(policy.Filter{Deny: o.tools.Deny})
	})
	d.unset = append(d.unset, o.unset...)
	d.keepSecret(o.secrets...)
	if len(keys) > 0 {
		d.notes = append(d.notes, fmt.Sprintf("%s changes its %s", o.file, strings.Join(keys, ", ")))
	}
}
