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

// mcpTable is the table [mcp] of ctxfs's own configuration. Each server is decoded
// by itself, so that a fault in one does not affect the others.
type mcpTable struct {
	Servers map[string]any `toml:"servers"`
	// Inputs are the values of ${input:ID} in VS Code's files.
	Inputs map[string]string `toml:"inputs"`
	// IdleTimeout is how long an unused server runs, such as "10m"; "0" is forever.
	IdleTimeout string `toml:"idle_timeout"`
	// TokenStore is "keyring" or "file".
	TokenStore string `toml:"token_store"`
	// FileCalls lets files call tools: those that are created in the folder calls of
	// a server.
	FileCalls bool `toml:"file_calls"`
	// Policy is decoded by package policy.
	Policy map[string]any `toml:"policy"`
	// ClientIDDocument is the https address of a client ID metadata document.
	ClientIDDocument string `toml:"client_id_document"`
	// MaxInstances is how many processes of servers may run besides those that all
	// projects share.
	MaxInstances *int `toml:"max_instances"`
	// Sampler is a command, with its arguments, that answers in place of a language
	// model when a server asks for one and the user agrees. It gets the parameters
	// of sampling/createMessage as JSON, and prints the text of the answer.
	Sampler []string `toml:"sampler"`
	// QuestionTimeout is how long a question of a server waits for its answer, such
	// as "10m".
	QuestionTimeout string `toml:"question_timeout"`
}

// serverTable is one table [mcp.servers.NAME]. One with a command or a url replaces
// the servers of that name in other files, one that is disabled disables them, and
// any other changes their keys. Variables are written ${NAME} or
// ${NAME:-default}.
type serverTable struct {
	Type         string            `toml:"type"`
	Command      string            `toml:"command"`
	Args         []string          `toml:"args"`
	Env          map[string]string `toml:"env"`
	Cwd          string            `toml:"cwd"`
	URL          string            `toml:"url"`
	Headers      map[string]string `toml:"headers"`
	Disabled     *bool             `toml:"disabled"`
	StartTimeout *float64          `toml:"start_timeout"` // seconds
	// InstallTimeout bounds a start that makes progress, such as one that installs
	// packages.
	InstallTimeout *float64 `toml:"install_timeout"` // seconds
	CallTimeout    *float64 `toml:"call_timeout"`    // seconds
	// LogLevel is the least level of what log.txt keeps, such as "warning".
	LogLevel string `toml:"log_level"`
	// AllowTools and DenyTools are patterns of the tools that are shown, and of
	// those that are not.
	AllowTools []string `toml:"allow_tools"`
	DenyTools  []string `toml:"deny_tools"`
	// FileCalls overrides that of [mcp] for this server.
	FileCalls *bool `toml:"file_calls"`
	// Scope says which calls share a process: "user", "project", or "session".
	Scope string `toml:"scope"`
	// OAuth is the client to log in with, if it was registered by hand.
	OAuth *loginTable `toml:"oauth"`
}

// maxStartTimeout bounds start_timeout, install_timeout and call_timeout.
const maxStartTimeout = time.Hour

// OwnFile is ctxfs's own configuration file.
type OwnFile struct {
	Path string
	// Settings is what the file contains; nil if it cannot be used, and Fault says
	// why.
	Settings *settings.File
	Fault    *fs.Problem
}

// Settings are what the table [mcp] says, apart from the servers and the policy.
type Settings struct {
	// IdleTimeout is how long an unused server runs; 0 is forever.
	IdleTimeout time.Duration
	// TokenFiles keeps the secrets of logins in files, not in the keyring.
	TokenFiles bool
	// ClientIDDocument is the address of a client ID metadata document, or "".
	ClientIDDocument string
	// FileCalls lets files call tools.
	FileCalls bool
	// MaxInstances is how many processes of servers may run for projects and
	// sessions, besides those that all share.
	MaxInstances int
	// Sampler is the command that answers in place of a language model, or nil.
	Sampler []string
	// QuestionTimeout is how long a question of a server waits for its answer.
	QuestionTimeout time.Duration
	inputs          map[string]string
}

// usualIdle is how long an unused server runs by default: its lists are known, and
// it is started again when it is needed.
const usualIdle = 10 * time.Minute

// usualInstances is how many processes may run for projects and sessions by default:
// Node takes 60 to 120 MB for each.
const usualInstances = 8

// maxInstances bounds max_instances.
const maxInstances = 1000

// usualQuestion is how long a question of a server waits by default, and maxQuestion
// is the longest time that question_timeout may say.
const (
	usualQuestion = 10 * time.Minute
	maxQuestion   = 24 * time.Hour
)

// read reads ctxfs's own servers and settings.
func (o OwnFile) read(m machine) File {
	c := File{Path: o.Path, Client: "ctxfs", Scope: config.ScopeUser, settings: Settings{IdleTimeout: usualIdle, MaxInstances: usualInstances, QuestionTimeout: usualQuestion}}
	if o.Fault != nil {
		c.Exists, c.Fault = true, o.Fault
		return c
	}
	problem := func(err error) {
		c.problems = append(c.problems, fs.Problem{What: clean.Line(err.Error()), Mend: "correct " + o.Path + "; it is read again at once"})
	}
	var table mcpTable
	if err := o.Settings.Decode(&table, "mcp"); err != nil {
		problem(err)
	}
	table.fill(&c.settings, o.Path, problem)
	var changed time.Time
	if info, err := os.Stat(o.Path); err == nil {
		c.Exists, changed = true, info.ModTime()
	}
	for _, name := range slices.Sorted(maps.Keys(table.Servers)) {
		e := &Entry{Server: config.Server{Source: config.Source{
			Client: "ctxfs", Scope: config.ScopeUser, File: o.Path, Name: name, Time: changed, Line: o.Settings.Line("mcp", "servers", name),
		}}}
		readServerTable(o.Settings, e, m)
		c.Entries = append(c.Entries, e)
	}
	return c
}

// fill fills in the settings. Invalid ones keep their defaults.
func (table mcpTable) fill(into *Settings, path string, problem func(error)) {
	into.inputs, into.FileCalls = table.Inputs, table.FileCalls
	if table.IdleTimeout != "" {
		idle, err := time.ParseDuration(table.IdleTimeout)
		if err != nil || idle < 0 {
			problem(fmt.Errorf("%s: idle_timeout is %q; it is a time such as \"10m\", or \"0\" for ever", path, clean.Line(table.IdleTimeout)))
		} else {
			into.IdleTimeout = idle
		}
	}
	if len(table.Sampler) > 0 {
		if table.Sampler[0] == "" {
			problem(fmt.Errorf("%s: sampler has no program; it is a list of a program and its arguments, such as [\"llm\"]", path))
		} else {
			into.Sampler = table.Sampler
		}
	}
	if table.QuestionTimeout != "" {
		wait, err := time.ParseDuration(table.QuestionTimeout)
		if err != nil || wait < time.Second || wait > maxQuestion {
			problem(fmt.Errorf("%s: question_timeout is %q; it is a time from \"1s\" to \"24h\"", path, clean.Line(table.QuestionTimeout)))
		} else {
			into.QuestionTimeout = wait
		}
	}
	if n := table.MaxInstances; n != nil {
		if *n < 0 || *n > maxInstances {
			problem(fmt.Errorf("%s: max_instances is %d; it is a number up to %d, and 0 is none besides the shared ones", path, *n, maxInstances))
		} else {
			into.MaxInstances = *n
		}
	}
	if err := table.fillLogins(into); err != nil {
		problem(fmt.Errorf("%s: %w", path, err))
	}
}

func readServerTable(f *settings.File, d *Entry, m machine) {
	d.in = func(project string) *Entry {
		run := &Entry{Server: config.Server{Source: d.Source}}
		expandServerTable(f, run, m, project)
		return run
	}
	expandServerTable(f, d, m, "")
}

// expandServerTable reads the table of a server into d, as it is run for a project, or
// for none. A relative cwd is one in the home folder in all of them.
func expandServerTable(f *settings.File, d *Entry, m machine, project string) {
	x := &expander{dialect: ownDialect, machine: m, workspace: project}
	d.base = m.Home
	e := new(serverTable)
	if err := f.Decode(e, "mcp", "servers", d.Name); err != nil {
		d.invalid = clean.Line(err.Error())
		return
	}
	d.Command, d.Args, d.Env = x.text("command", e.Command), x.texts("args", e.Args), x.table("env", e.Env)
	d.Dir = x.text("cwd", e.Cwd)
	d.URL, d.Headers = x.text("url", e.URL), x.table("headers", e.Headers)
	d.Login, d.FileCalls = e.OAuth.login(x), e.FileCalls
	d.Tools = policy.Filter{Allow: e.AllowTools, Deny: e.DenyTools}
	if e.Disabled != nil && *e.Disabled {
		d.disable("take `disabled` out of ")
	}
	d.StartTimeout = d.seconds("start_timeout", e.StartTimeout)
	d.InstallTimeout = d.seconds("install_timeout", e.InstallTimeout)
	d.CallTimeout = d.seconds("call_timeout", e.CallTimeout)
	d.LogLevel = d.level(e.LogLevel)
	d.readScope(e.Scope)
	switch {
	case d.invalid != "":
	case d.Command != "" || d.URL != "":
		d.invalid = d.choose(e.Type)
	case !d.Disabled:
		d.override = e
	}
	d.unset, d.workspace, d.placed = x.unset, project, x.placed
	d.AddSecrets(x.secrets...)
}

// readScope reads which calls share a process of the server.
func (e *Entry) readScope(scope string) {
	switch scope {
	case "":
	case config.ShareUser, config.ShareProject, config.ShareSession:
		e.scope, e.scopeFrom = scope, e.File
	default:
		e.invalid = fmt.Sprintf(`scope is %q; it is "user" (one process for all), "project" (one for each project) or "session" (one for each session of an agent)`, clean.Line(scope))
	}
}

// seconds returns a configured time, and records a fault if it is out of range.
func (e *Entry) seconds(key string, n *float64) time.Duration {
	if n == nil {
		return 0
	}
	if !(*n >= 0 && *n <= maxStartTimeout.Seconds()) { // NaN is neither
		e.invalid = fmt.Sprintf("%s is %g; it is a number of seconds up to %g", key, *n, maxStartTimeout.Seconds())
		return 0
	}
	return time.Duration(*n * float64(time.Second))
}

// level returns a configured level of logging messages, and records a fault if the
// text is not a level.
func (e *Entry) level(level string) string {
	if level != "" && !slices.Contains(config.LogLevels(), level) {
		e.invalid = fmt.Sprintf("log_level is %q; it is one of %s", clean.Line(level), strings.Join(config.LogLevels(), ", "))
		return ""
	}
	return level
}

// limitBy adds the allow_tools and deny_tools of one of ctxfs's own entries to the
// limits.
func (e *Entry) limitBy(o *Entry) {
	if !o.Tools.IsEmpty() {
		e.Limits = e.Limits.And(o.Tools)
		e.Notes = append(e.Notes, o.File+" limits its tools, by the entry "+o.QuotedName())
	}
}

// overrideBy makes the changes that one of ctxfs's own entries says.
func (e *Entry) overrideBy(o *Entry) {
	var keys []string
	set := func(key string, given bool, change func()) {
		if given {
			keys = append(keys, key)
			e.unset = slices.DeleteFunc(e.unset, func(u unset) bool { return u.key == key })
			e.placed = slices.DeleteFunc(e.placed, func(at string) bool { return at == key })
			change()
		}
	}
	merge := func(key string, of *map[string]string, with map[string]string) {
		set(key, len(with) > 0, func() {
			replaced := func(at string) bool {
				name, ok := strings.CutPrefix(at, key+".")
				_, given := with[name]
				return ok && given
			}
			e.unset = slices.DeleteFunc(e.unset, func(u unset) bool { return replaced(u.key) })
			e.placed = slices.DeleteFunc(e.placed, replaced)
			for name, value := range with {
				put(of, name, value)
			}
		})
	}
	c := o.override
	set("type", c.Type != "", func() {
		if wrong := e.choose(c.Type); wrong != "" && e.invalid == "" {
			e.invalid = wrong
		}
	})
	set("args", c.Args != nil, func() { e.Args = o.Args })
	set("cwd", c.Cwd != "", func() { e.Dir, e.base = o.Dir, o.base })
	if e.Transport == config.Stdio {
		merge("env", &e.Env, o.Env)
	} else {
		merge("headers", &e.Headers, o.Headers)
	}
	set("scope", c.Scope != "", func() { e.scope, e.scopeFrom = o.scope, o.scopeFrom })
	set("oauth", c.OAuth != nil, func() { e.Login = o.Login })
	set("disabled", c.Disabled != nil, func() { e.Disabled, e.EnableHint = false, "" })
	set("start_timeout", c.StartTimeout != nil, func() { e.StartTimeout = o.StartTimeout })
	set("install_timeout", c.InstallTimeout != nil, func() { e.InstallTimeout = o.InstallTimeout })
	set("call_timeout", c.CallTimeout != nil, func() { e.CallTimeout = o.CallTimeout })
	set("log_level", c.LogLevel != "", func() { e.LogLevel = o.LogLevel })
	set("file_calls", c.FileCalls != nil, func() { e.FileCalls = o.FileCalls })
	set("allow_tools", c.AllowTools != nil, func() {
		e.Tools.Allow = o.Tools.Allow
		e.Limits = e.Limits.And(policy.Filter{Allow: o.Tools.Allow})
	})
	set("deny_tools", c.DenyTools != nil, func() {
		e.Tools.Deny = o.Tools.Deny
		e.Limits = e.Limits.And(policy.Filter{Deny: o.Tools.Deny})
	})
	e.unset = append(e.unset, o.unset...)
	e.placed = append(e.placed, o.placed...)
	e.changedBy = append(e.changedBy, o)
	e.AddSecrets(o.Secrets...)
	if len(keys) > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s changes its %s", o.File, strings.Join(keys, ", ")))
	}
}
