package mcp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// entry is what a file says of a server. Until finish its faults are what the
// other fields say; then it is a definition.
type entry struct {
	definition
	base    string     // folder that a relative one is in
	wrong   string     // what is wrong with the entry as it is written
	unset   []unset    // variables without a value
	partial bool       // the entry only switches one of another file on or off
	trust   trust      // of an entry of a project
	change  *ownServer // an entry of ctxfs's own that changes those of its name
	lost    fs.Problem // of the file, which cannot be used
	reads   []string   // other files that the entry reads
}

// clone returns a copy that may be changed.
func (d *entry) clone() *entry {
	c := *d
	c.also, c.notes, c.unset = slices.Clone(d.also), slices.Clone(d.notes), slices.Clone(d.unset)
	c.args, c.secrets = slices.Clone(d.args), slices.Clone(d.secrets)
	c.env, c.headers = maps.Clone(d.env), maps.Clone(d.headers)
	return &c
}

// disable switches the server off; how says how to switch it on again, up to
// the words "the entry".
func (d *entry) disable(how string) {
	d.disabled, d.enable = true, how+d.entry()
}

// finish brings a definition that was read into its final state.
func (d *entry) finish() {
	d.keepSecrets()
	switch {
	case d.transport != stdio:
		d.dir = ""
	case d.dir != "" && !filepath.IsAbs(d.dir):
		d.dir = filepath.Join(d.base, d.dir)
	case d.dir == "" && d.project != "":
		d.dir = d.project
	}
	switch {
	case d.lost != fs.Problem{}:
		d.fault = &fault{state: stateError, what: "its configuration file cannot be used: " + d.lost.What, mend: d.lost.Mend, told: true}
	case d.trust != trusted:
		d.fault = d.trust.fault(d.source)
	case d.wrong != "":
		d.fault = &fault{state: stateError, what: "the entry is not valid: " + d.wrong, mend: correct(d.source)}
	case len(d.unset) > 0:
		d.fault = d.unset[0].fault(d.source)
	case d.change != nil:
		d.fault = &fault{
			state: stateError, what: "the entry has neither a command nor a url, and no other file configures a server of this name that it could change",
			mend: correct(d.source),
		}
	case d.command == "" && d.url == "":
		d.fault = &fault{state: stateError, what: "the entry has neither a command nor a url", mend: correct(d.source)}
	}
}

// correct says to correct the entry.
func correct(s source) string { return "correct " + s.entry() + "; it is read again at once" }

// fault says that a variable of an entry has no value.
func (u unset) fault(s source) *fault {
	variable := clean.Line(u.variable)
	f := &fault{state: stateUnresolved, what: "the variable " + variable + " in its configuration has no value", mend: correct(s)}
	const anew = " and start ctxfs anew with it (ctxfs unmount, ctxfs mount)"
	switch {
	case u.input != "":
		f.what = "the input " + clean.Line(u.input) + " in its configuration has no value"
		f.mend = "write it into ctxfs's config.toml, below [mcp.inputs], as " + clean.Line(settings.Key(u.input)) +
			` = "...", or export ` + inputVariable(u.input) + anew
	case u.keyring != "":
		table, name, _ := strings.Cut(u.key, ".")
		f.what = "the variable " + variable + " is in the keyring of " + u.keyring + ", which ctxfs does not read"
		f.mend = "export " + clean.Line(u.name) + anew
		if name != "" {
			f.mend += ", or write into ctxfs's config.toml, below [mcp.servers." + clean.Line(settings.Key(s.name)) + "], " +
				table + " = {" + clean.Line(settings.Key(name)) + ` = "..."}`
		}
	case strings.HasPrefix(u.variable, "{file:"):
		f.what = "the file of " + variable + " in its configuration cannot be read"
	case u.name != "":
		f.mend = "export " + clean.Line(u.name) + anew + ", or " + correct(s)
	}
	return f
}

// rooted tells whether the folder in which the process runs makes a
// difference: its command or an argument names something there.
func (d *entry) rooted() bool {
	return d.project != "" && d.dir != "" && slices.ContainsFunc(append([]string{d.command}, d.args...), func(arg string) bool {
		if arg == "" || filepath.IsAbs(arg) || strings.HasPrefix(arg, "-") {
			return false
		}
		if strings.HasPrefix(arg, ".") {
			return true
		}
		_, err := os.Lstat(filepath.Join(d.dir, arg))
		return err == nil
	})
}
