// Package agents describes each coding agent and each client of MCP servers, once,
// for all code that reads or writes its data: its names, its folders and files on
// every system, and the variables that tell the programs that it starts who they
// run for.
//
// An [Agent] is data. A new one is a section of agents.txt, and a fixture,
// testdata/ID.txt, with an environment and what follows from it. The code that reads an agent's files is in
// the package of the reader, which asks [ByID] where they are: package clients of
// providers/mcp for MCP servers, the packages below providers/transcripts/agents
// for sessions, providers/skills for skills.
//
// A [Path] says where something is on any system; on a [Machine] it becomes a
// path (path.go). A [Claim] is what an environment says about the session that a
// program runs in (claim.go).
//
// The package imports next to nothing, because commands that must start at once
// use it.
package agents

import (
	_ "embed"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Agent describes an agent or another client of MCP servers. An empty field means
// that the agent does not have it, or that it is undocumented.
type Agent struct {
	// ID is its name everywhere in the tree; Name is how people write it.
	ID, Name string

	// Home is the folder where it keeps most of its own files.
	Home Path
	// Programs are the names of its program, as it is found in PATH; Data are further
	// folders that are there where it is installed.
	Programs []string
	Data     []Path

	// Session are the variables that name the session: by its id, or by the path
	// of its log.
	Session []Variable
	// Marks are further variables that only its shells have.
	Marks []Variable
	// Prefix begins the names of all its variables, except for those of Settings,
	// which users set for themselves; "" where they have nothing in common.
	Prefix   string
	Settings []string

	// MCP is where it configures MCP servers.
	MCP MCP
	// ToolNames are the forms of the names that it gives to tools of MCP servers, in
	// which [ServerName] and [ToolName] stand for the two names. Cline and others
	// have a tool that calls them, with both names as arguments.
	ToolNames []string
	// Skills are the folders where it looks for skills.
	Skills Skills
	// Commands are the files that are prompts which its user calls by name, Subagents
	// those that describe agents which it starts itself. In paths of users, too, "*" and
	// "**" are as in a glob.
	Commands, Subagents Places
	// Plugins are folders of plugins or extensions, which may have all of these. How they
	// lie in it is known to package locate of providers/skills.
	Plugins []Path
	// Rules are the files that it reads as instructions.
	Rules Rules
	// Always are the files of instructions that it reads in every session, to which a few
	// lines can be added: to the first that is there. If no such file exists, the one that
	// is named AGENTS.md is created, else the last. What comes before others here is read
	// instead of them by agents that read one file only.
	Always Places
	// Permissions are the files that say what it may do without asking, and Sandbox those
	// that say what its sandbox lets commands do, where that is another file. A file whose
	// name begins with "ctxfs." is one of many in its folder, and ours.
	Permissions, Sandbox Places
	// Memory are the files and folders that it writes as its memory.
	Memory Places
	// Plans are the files in which it keeps plans and lists of tasks.
	Plans Plans
	// Hooks is where it configures commands that it runs at certain events.
	Hooks Hooks
	// Sessions are the folders with the logs or databases of its sessions.
	Sessions []Path
	// State are the folders and files that it writes for itself while it works, whatever its
	// task is: sessions, caches, tokens. What else is in them, see [Agent.Configuration]. Only
	// agents that ctxfs starts have any.
	State []Path
	// Resume is the command that continues a session, one word each; the word
	// [SessionID] stands for the session's id.
	Resume []string
}

// Configuration returns the files and folders of a user that say what the agent does, or
// what it runs: a program that can write to them decides what later sessions do. Of globs,
// and of files of ours among others, it has the folder.
func (a *Agent) Configuration() []Path {
	var all []Path
	for _, paths := range [][]Path{
		a.MCP.User, a.Skills.User, a.Commands.User, a.Subagents.User, a.Plugins, a.Rules.User, a.Rules.Settings.User,
		a.Always.User, a.Permissions.User, a.Sandbox.User, a.Hooks.User,
	} {
		for _, p := range paths {
			above, _, of := strings.Cut(string(p), "*")
			if one := strings.Index(above, "/ctxfs."); one >= 0 {
				above, of = above[:one+1], true
			}
			if of {
				above = above[:strings.LastIndexByte(above, '/')]
			}
			if !slices.Contains(all, Path(above)) {
				all = append(all, Path(above))
			}
		}
	}
	return all
}

// SessionID stands for the id of a session in [Agent.Resume].
const SessionID = "{session}"

// ServerName and ToolName stand for names in [Agent.ToolNames].
const (
	ServerName = "{server}"
	ToolName   = "{tool}"
)

// MCPTool returns the server and the tool that the name of a tool stands for in the
// agent's sessions; ok is false for tools of its own. Where the name does not tell
// where that of the server ends, both are in the tool's, with "_" between them.
func (a *Agent) MCPTool(name string) (server, tool string, ok bool) {
	for _, form := range a.ToolNames {
		before, rest, _ := strings.Cut(form, ServerName)
		between, _, _ := strings.Cut(rest, ToolName)
		both, fits := strings.CutPrefix(name, before)
		if !fits {
			continue
		}
		if len(between) == 1 && between != "/" { // names have that, too
			if strings.Contains(both, between) {
				return "", both, true
			}
			continue
		}
		if server, tool, ok = strings.Cut(both, between); ok && server != "" && tool != "" {
			return server, strings.TrimLeft(tool, between[:1]), true
		}
	}
	return "", "", false
}

// Places are files or folders of one purpose.
type Places struct {
	// System are those of the machine, User those of the user; the first one has
	// precedence.
	System, User []Path
	// Project are those in the folder of a project, relative to it with slashes;
	// "*" and "**" are as in a glob. The first one has precedence.
	Project []string
}

// Rules describes the files that an agent reads as instructions, in the order in which it
// does. In paths of users "*" and "**" are as in a glob, too. Which of the files hold when
// is in package scope of providers/rules.
type Rules struct {
	Places
	// Nested are those of Project that count in the folders below a project's root, too,
	// for what is in these folders.
	Nested []string
	// Above reports whether those of Nested count in the folders above the root, too.
	Above bool
	// Imports is over how many files those are followed that a rule imports by "@"; 0
	// if it has no imports.
	Imports int
	// Settings are the files in which users and projects name further rules, or leave
	// some out. What counts first comes first.
	Settings Places
}

// Plans describes the files in which an agent keeps plans and lists of tasks: Markdown,
// JSON or a database. In all paths "*" is as in a glob. A part of the path that is the id
// of a session of the agent's names the session.
type Plans struct {
	// Texts are Markdown files with a plan each, whose boxes are not kept up to date.
	// In those of Lists the agent keeps up to date what is done.
	Texts, Lists Places
}

// MCP describes the files where an agent configures MCP servers.
type MCP struct {
	Places
	// Syntax is that of all its files.
	Syntax Syntax
	// Key is where the servers are in a file: a name for each.
	Key string
}

// Syntax is the syntax of configuration files.
type Syntax string

// The syntaxes.
const (
	JSONC Syntax = "jsonc" // JSON with comments and trailing commas
	TOML  Syntax = "toml"
	YAML  Syntax = "yaml"
)

// Skills describes the folders of skills: each has a folder for every skill. Of two
// skills of one name an agent takes that of the project, else that of the user, else that
// of the system, else that of a plugin, unless it is said otherwise here.
type Skills struct {
	// Places are the folders of its own.
	Places
	// Also are folders of others that it reads, too, after its own, or before them with
	// AlsoFirst.
	Also      Places
	AlsoFirst bool
	// Nested is set if those of Project count in the folders below a project's root, too.
	Nested bool
	// SystemFirst is set if the system's take precedence over all others, UserFirst if the
	// user's do over the project's, KeepsAll if nothing takes precedence: it shows all.
	SystemFirst, UserFirst, KeepsAll bool
	// Groups are folders in them that contain skills from elsewhere and are never
	// skills themselves.
	Groups []string
	// Deprecated is set if the agent itself prefers [SharedSkills] and reads its
	// own folder only for old users.
	Deprecated bool
}

// Hooks describes the files with an agent's hooks; a folder where each event is a file of
// its own.
type Hooks struct {
	Places
	// Events are those that `ctxfs hook` answers.
	Events []string
}

// SharedSkills is the folder of skills that many agents read beside their own. Source:
// agentskills/agentskills, the guide for clients.
const SharedSkills Path = "~/.agents/skills"

//go:embed agents.txt
var described string

// all are the agents of agents.txt.
var all = sync.OnceValue(func() (all []Agent) {
	for line := range strings.Lines(described) {
		line = strings.TrimSpace(line)
		switch name, value, _ := strings.Cut(line, " = "); {
		case line == "", line[0] == '#':
		case line[0] == '[':
			all = append(all, Agent{ID: line[1 : len(line)-1]})
		default:
			all[len(all)-1].set(name, value)
		}
	}
	return all
})

// fields are the places of all fields in an [Agent], by their names: "Skills.Also.User".
var fields = sync.OnceValue(func() map[string][]int {
	all := make(map[string][]int)
	var add func(t reflect.Type, prefix string, at []int)
	add = func(t reflect.Type, prefix string, at []int) {
		for i := range t.NumField() {
			switch f, here := t.Field(i), append(slices.Clip(at), i); {
			case f.Anonymous:
				add(f.Type, prefix, here)
			case f.Type.Kind() == reflect.Struct:
				add(f.Type, prefix+f.Name+".", here)
			default:
				all[prefix+f.Name] = here
			}
		}
	}
	add(reflect.TypeFor[Agent](), "", nil)
	return all
})

// set sets a field to what a line says of it. It panics if there is no such field.
func (a *Agent) set(name, value string) {
	field := reflect.ValueOf(a).Elem().FieldByIndex(fields()[name])
	if strings.Contains(value, "{home}") {
		value = strings.ReplaceAll(value, "{home}", string(a.Home))
	}
	switch to := field.Addr().Interface().(type) {
	case *bool:
		*to = true
	case *int:
		*to, _ = strconv.Atoi(value)
	case *[]string:
		*to = strings.Split(value, " | ")
	case *[]Path:
		for part := range strings.SplitSeq(value, " | ") {
			*to = append(*to, Path(part))
		}
		*to = slices.Clip(*to)
	case *[]Variable:
		for part := range strings.SplitSeq(value, " | ") {
			*to = append(*to, *variable(part))
		}
		*to = slices.Clip(*to)
	default:
		field.SetString(value)
	}
}

// variable reads "NAME", "NAME=WANT", "NAME (hooks only)", or several with " & " between them.
func variable(text string) *Variable {
	text, with, more := strings.Cut(text, " & ")
	v := new(Variable)
	text, v.HooksOnly = strings.CutSuffix(text, " (hooks only)")
	v.Name, v.Want, _ = strings.Cut(text, "=")
	if more {
		v.With = variable(with)
	}
	return v
}

// All returns all agents: those with sessions in the order of the documentation
// of the tree, then those that are clients of MCP servers only. What they have must not be
// changed.
func All() []Agent { return slices.Clone(all()) }

// ByID returns the agent with that id. It panics if no agent has the id: ids are written
// in this program only.
func ByID(id string) Agent {
	for _, a := range all() {
		if a.ID == id {
			return a
		}
	}
	panic("no agent has the id " + id)
}

// Variable is an environment variable that counts if it has a value: any, or
// that of Want. With is another one that must count too.
type Variable struct {
	Name, Want string
	With       *Variable
	// HooksOnly is set if hooks get the variable, but shells do not.
	HooksOnly bool
}

// Value returns the value of the variable in an environment, which lookupEnv looks
// up as os.LookupEnv does; "" if the variable does not count.
func (v Variable) Value(lookupEnv func(string) (string, bool)) string {
	value, _ := lookupEnv(v.Name)
	if v.Want != "" && value != v.Want || v.With != nil && v.With.Value(lookupEnv) == "" {
		return ""
	}
	return value
}
