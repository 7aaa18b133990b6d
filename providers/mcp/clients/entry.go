package clients

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/config"
)

// Entry is what a file says about a server. The fields besides Server are for
// building the Server: resolve derives its fault from them.
type Entry struct {
	config.Server
	// Trust reports whether the entry of a project's file may be started.
	Trust     Trust
	base      string       // the folder of relative paths
	invalid   string       // what is wrong with the entry as it is written, or ""
	unset     []unset      // the variables without a value
	partial   bool         // it only switches an entry of another file on or off
	override  *serverTable // the keys of others that it changes; nil if it makes a server
	fileFault fs.Problem   // why its file cannot be used
	filesRead []string     // other files that it refers to
	workspace string       // the folder of the project that it is expanded for, or ""
	ofHome    bool         // its project is the home folder, or that of all files
	placed    []string     // the keys that name the workspace
	scope     string       // what config.toml says of sharing, or ""
	scopeFrom string       // the file that says so
	changedBy []*Entry     // the entries of ctxfs's own that changed it
	twins     []*Entry     // the same server in the files of other projects
	// in returns the entry as its file says it, expanded for a project.
	in func(project string) *Entry
}

// clone returns a copy that may be modified.
func (e *Entry) clone() *Entry {
	c := *e
	c.AlsoIn, c.Notes, c.unset = slices.Clone(e.AlsoIn), slices.Clone(e.Notes), slices.Clone(e.unset)
	c.placed, c.changedBy, c.twins = slices.Clone(e.placed), slices.Clone(e.changedBy), slices.Clone(e.twins)
	c.Args, c.Secrets = slices.Clone(e.Args), slices.Clone(e.Secrets)
	c.Env, c.Headers = maps.Clone(e.Env), maps.Clone(e.Headers)
	return &c
}

// disable disables the server. How says how to enable it again, and ends before the
// words "the entry".
func (e *Entry) disable(how string) { e.Disabled, e.EnableHint = true, how+e.EntryText() }

// resolve completes the Server: its folder, its secrets, and its fault, which is
// the first of these: the file cannot be used; the project is not trusted; the
// entry is invalid; a variable has no value; there is nothing to run.
func (e *Entry) resolve() {
	e.AddOwnSecrets()
	// The folder of a project is no secret, wherever it stands.
	e.Secrets = slices.DeleteFunc(e.Secrets, func(secret string) bool { return secret == e.workspace })
	switch {
	case e.Transport != config.Stdio:
		e.Dir = ""
	case e.Dir != "" && !filepath.IsAbs(e.Dir):
		e.Dir = filepath.Join(e.base, e.Dir)
	case e.Dir == "" && e.Project != "":
		e.Dir = e.Project
	}
	e.Sharing = e.sharing()
	if e.Project == "" && e.in != nil && e.Sharing.By != config.ShareUser {
		e.InProject = e.inProject
	}
	switch {
	case e.fileFault != fs.Problem{}:
		e.Fault = &config.Fault{State: config.StateError, What: "its configuration file cannot be used: " + e.fileFault.What, Fix: e.fileFault.Mend, Reported: true}
	case e.Trust != trusted:
		e.Fault = e.Trust.fault(e.Source)
	case e.invalid != "":
		e.Fault = &config.Fault{State: config.StateError, What: "the entry is not valid: " + e.invalid, Fix: correct(e.Source)}
	case len(e.unset) > 0:
		e.Fault = e.unsetFault()
	case e.override != nil:
		e.Fault = &config.Fault{
			State: config.StateError, What: "the entry has neither a command nor a url, and no other file configures a server of this name that it could change",
			Fix: correct(e.Source),
		}
	case e.Command == "" && e.URL == "":
		e.Fault = &config.Fault{State: config.StateError, What: "the entry has neither a command nor a url", Fix: correct(e.Source)}
	}
}

// unsetFault returns the fault of an entry with variables that have no value: that of
// the first one that no project gives a value, or else what only a project gives.
func (e *Entry) unsetFault() *config.Fault {
	for _, u := range e.unset {
		if !u.workspace {
			return u.fault(e.Source)
		}
	}
	f := &config.Fault{
		State:        config.StateUnresolved,
		What:         "its configuration names the folder of the workspace (" + clean.Line(e.unset[0].variable) + "): it starts when it is called from within a project",
		Fix:          "call it from within a project, or name one with --project",
		WantsProject: true,
	}
	if e.InProject == nil {
		f.What = "its configuration names the folder of the workspace (" + clean.Line(e.unset[0].variable) + "), but all projects share one process of it: " + e.Sharing.Why
		f.Fix, f.WantsProject = `write scope = "project" for it into ctxfs's config.toml`, false
	}
	return f
}

// correct returns the fix for an invalid entry.
func correct(s config.Source) string {
	return "correct " + s.EntryText() + "; it is read again at once"
}

// fault returns the fault of an entry that uses the variable, which has no value.
func (u unset) fault(s config.Source) *config.Fault {
	variable := clean.Line(u.variable)
	f := &config.Fault{State: config.StateUnresolved, What: "the variable " + variable + " in its configuration has no value", Fix: correct(s)}
	const restart = " and restart ctxfs (ctxfs unmount, ctxfs mount)"
	switch {
	case u.input != "":
		f.What = "the input " + clean.Line(u.input) + " in its configuration has no value"
		f.Fix = "write it into ctxfs's config.toml, below [mcp.inputs], as " + clean.Line(settings.Key(u.input)) +
			` = "...", or export ` + inputVariable(u.input) + restart
	case u.keyring != "":
		table, name, _ := strings.Cut(u.key, ".")
		f.What = "the variable " + variable + " is in the keyring of " + u.keyring + ", which ctxfs does not read"
		f.Fix = "export " + clean.Line(u.name) + restart
		if name != "" {
			f.Fix += ", or write into ctxfs's config.toml, below [mcp.servers." + clean.Line(settings.Key(s.Name)) + "], " +
				table + " = {" + clean.Line(settings.Key(name)) + ` = "..."}`
		}
	case strings.HasPrefix(u.variable, "{file:"):
		f.What = "the file of " + variable + " in its configuration cannot be read"
	case u.name != "":
		f.Fix = "export " + clean.Line(u.name) + restart + ", or " + correct(s)
	}
	return f
}

// rooted reports whether the process depends on its working directory: its command
// or an argument names a file there.
func (e *Entry) rooted() bool {
	return e.Project != "" && e.Dir != "" && slices.ContainsFunc(append([]string{e.Command}, e.Args...), func(arg string) bool {
		if arg == "" || filepath.IsAbs(arg) || strings.HasPrefix(arg, "-") {
			return false
		}
		if strings.HasPrefix(arg, ".") {
			return true
		}
		_, err := os.Lstat(filepath.Join(e.Dir, arg))
		return err == nil
	})
}
