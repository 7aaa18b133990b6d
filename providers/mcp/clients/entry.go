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

// Entry is what a file says of a server. Until finish its faults are what the
// other fields say; then it is a definition.
type Entry struct {
	config.Server
	base    string     // folder that a relative one is in
	wrong   string     // what is wrong with the entry as it is written
	unset   []unset    // variables without a value
	partial bool       // the entry only switches one of another file on or off
	Trust   trust      // of an entry of a project
	change  *ownServer // an entry of ctxfs's own that changes those of its name
	lost    fs.Problem // of the file, which cannot be used
	reads   []string   // other files that the entry reads
}

// clone returns a copy that may be changed.
func (d *Entry) clone() *Entry {
	c := *d
	c.AlsoIn, c.Notes, c.unset = slices.Clone(d.AlsoIn), slices.Clone(d.Notes), slices.Clone(d.unset)
	c.Args, c.Secrets = slices.Clone(d.Args), slices.Clone(d.Secrets)
	c.Env, c.Headers = maps.Clone(d.Env), maps.Clone(d.Headers)
	return &c
}

// disable switches the server off; how says how to switch it on again, up to
// the words "the entry".
func (d *Entry) disable(how string) {
	d.Disabled, d.EnableHint = true, how+d.EntryText()
}

// finish brings a definition that was read into its final state.
func (d *Entry) finish() {
	d.AddOwnSecrets()
	switch {
	case d.Transport != config.Stdio:
		d.Dir = ""
	case d.Dir != "" && !filepath.IsAbs(d.Dir):
		d.Dir = filepath.Join(d.base, d.Dir)
	case d.Dir == "" && d.Project != "":
		d.Dir = d.Project
	}
	switch {
	case d.lost != fs.Problem{}:
		d.Fault = &config.Fault{State: config.StateError, What: "its configuration file cannot be used: " + d.lost.What, Fix: d.lost.Mend, Reported: true}
	case d.Trust != trusted:
		d.Fault = d.Trust.fault(d.Source)
	case d.wrong != "":
		d.Fault = &config.Fault{State: config.StateError, What: "the entry is not valid: " + d.wrong, Fix: correct(d.Source)}
	case len(d.unset) > 0:
		d.Fault = d.unset[0].fault(d.Source)
	case d.change != nil:
		d.Fault = &config.Fault{
			State: config.StateError, What: "the entry has neither a command nor a url, and no other file configures a server of this name that it could change",
			Fix: correct(d.Source),
		}
	case d.Command == "" && d.URL == "":
		d.Fault = &config.Fault{State: config.StateError, What: "the entry has neither a command nor a url", Fix: correct(d.Source)}
	}
}

// correct says to correct the entry.
func correct(s config.Source) string {
	return "correct " + s.EntryText() + "; it is read again at once"
}

// fault says that a variable of an entry has no value.
func (u unset) fault(s config.Source) *config.Fault {
	variable := clean.Line(u.variable)
	f := &config.Fault{State: config.StateUnresolved, What: "the variable " + variable + " in its configuration has no value", Fix: correct(s)}
	const anew = " and start ctxfs anew with it (ctxfs unmount, ctxfs mount)"
	switch {
	case u.input != "":
		f.What = "the input " + clean.Line(u.input) + " in its configuration has no value"
		f.Fix = "write it into ctxfs's config.toml, below [mcp.inputs], as " + clean.Line(settings.Key(u.input)) +
			` = "...", or export ` + inputVariable(u.input) + anew
	case u.keyring != "":
		table, name, _ := strings.Cut(u.key, ".")
		f.What = "the variable " + variable + " is in the keyring of " + u.keyring + ", which ctxfs does not read"
		f.Fix = "export " + clean.Line(u.name) + anew
		if name != "" {
			f.Fix += ", or write into ctxfs's config.toml, below [mcp.servers." + clean.Line(settings.Key(s.Name)) + "], " +
				table + " = {" + clean.Line(settings.Key(name)) + ` = "..."}`
		}
	case strings.HasPrefix(u.variable, "{file:"):
		f.What = "the file of " + variable + " in its configuration cannot be read"
	case u.name != "":
		f.Fix = "export " + clean.Line(u.name) + anew + ", or " + correct(s)
	}
	return f
}

// rooted tells whether the folder in which the process runs makes a
// difference: its command or an argument names something there.
func (d *Entry) rooted() bool {
	return d.Project != "" && d.Dir != "" && slices.ContainsFunc(append([]string{d.Command}, d.Args...), func(arg string) bool {
		if arg == "" || filepath.IsAbs(arg) || strings.HasPrefix(arg, "-") {
			return false
		}
		if strings.HasPrefix(arg, ".") {
			return true
		}
		_, err := os.Lstat(filepath.Join(d.Dir, arg))
		return err == nil
	})
}
